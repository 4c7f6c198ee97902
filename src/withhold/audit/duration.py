"""How long an audit will take, said before it starts: processor seconds, stage by stage, from rows and columns alone.

The unit costs are of one core of a server of 2024 with wide vector units, read off `benchmarks/audit/cost.py`. What was
measured with them, from 100 x 5 to 300 x 10,000, lies within a factor of 1.6; a core shared with other work is slower.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from withhold.audit.attackers.boosting import stopping
from withhold.audit.attackers.cells import CELLS as CELLS_ALONG
from withhold.audit.attackers.cells import MOST_PAIRS, MOST_ROWS
from withhold.audit.attackers.cells import WIDEST as WIDEST_CELLS
from withhold.audit.attackers.convolutional import passes
from withhold.audit.attackers.linear_pixels import MOST_PIXELS
from withhold.audit.attackers.pairs import WIDEST
from withhold.audit.effort import Effort, lower_efforts
from withhold.audit.fidelity.fidelity import MOST_COLUMNS
from withhold.audit.fidelity.fidelity import MOST_ROWS as MOST_COMPARED
from withhold.audit.kept.columns import MOST_TRAINING_ROWS
from withhold.audit.kept.decoder import network_sizes
from withhold.audit.kept.utility import FEW_ROWS
from withhold.audit.leakage.material import Material
from withhold.audit.people.linkage import MOST_CANDIDATES
from withhold.audit.people.membership import FEWEST
from withhold.audit.people.membership import MOST_ROWS as MOST_MEMBERS
from withhold.audit.request import Request
from withhold.audit.stages import ATTACKING, COLUMNS, COMPARING, CONTROLS, KEPT, PEOPLE, PLANTING
from withhold.audit.view.view import EXACT_WIDTH
from withhold.contracts.timetable import in_words
from withhold.training.trees import cells_for

# Multiply-adds a second in products of matrices, and seconds a step of a network spends outside of them.
RATE, STEP_SECONDS = 7e10, 0.001
# Networks stop by themselves, mostly after so many passes; trees so many rounds before they begin to wait.
USUAL_PASSES, USUAL_ROUNDS = 9, 30
# A distance with its ranking, and its share for each direction.
DISTANCE_SECONDS, DIRECTION_SECONDS = 2.0e-9, 3.0e-11
# For each entry of a matrix: one round of trees, cutting columns into cells, the cheaper attackers, reading a column.
ROUND_SECONDS, CELL_SECONDS, ENTRY_SECONDS, READING_SECONDS = 4e-9, 2e-7, 1.3e-7, 1.3e-7
# A tree and an attack on a fold however few the rows; a column that a leaf looks at, and each of its cells.
TREE_SECONDS, FOLD_SECONDS, LEAF_SECONDS, SCAN_SECONDS = 0.0006, 0.03, 1.2e-7, 2.2e-9
# Fifteen neighbours of a row among two columns, for each of the pairs of columns that are asked: half of the most.
ASK_SECONDS, ASKED_PAIRS = 1e-5, MOST_PAIRS / 2
# A pair of columns that is compared with chance, beside the products that say how far it tells.
PAIR_SECONDS = 8e-8
# A column however few the rows: reading it for each of the views, for retention and for findings; what single columns
# tell, for each attribute.
COLUMN_SECONDS, TOLD_SECONDS = 7e-4, 8e-4
# Of the training rows, those the network learns from; most rows kept for calibration.
LEARNED, MOST_HELD = 0.77, 10_000
FIXED_SECONDS = 1.0
# One pass of the convolutions over one image, and everything they do once with one of its pixels.
PICTURE_SECONDS, PIXEL_SECONDS = 1.2e-4, 2.4e-7
# A regression on pixels: once with each pixel, and for each class with each of those it keeps. Measured on colour
# images of 32, 64 and 96 pixels a side with 2, 6 and 12 classes: half of this to a little more.
SCREEN_SECONDS, SCORE_SECONDS = 5e-8, 2e-8
# Cells of a column that is read back, and seconds a cell of one row.
CELLS, CELL_ROW_SECONDS = 14, 5e-9
# The spectrum of an entry, and the nearest rows of a row.
SPECTRUM_SECONDS, NEAREST_SECONDS = 1e-7, 3e-5
# Linkage however few the rows, and for each column of each pair of records; of membership, columns of the release and
# of both files side by side, in those of the release, and a row's distance from what was expected of it.
LINK_SECONDS, LINKED_SECONDS, VIEWS, EXPECTED_SECONDS = 0.15, 4e-8, (1.0, 1.0, 3.5), 2.5e-4
# Two columns related to each other, for each row; two models that predict a column, and their share for each entry.
RELATED_SECONDS, MODELS_SECONDS, PREDICTED_SECONDS = 1e-7, 0.05, 1.2e-6
# A step of the optimiser for each weight of what reads columns back, and of the network that attacks.
WEIGHT_SECONDS, UPDATE_SECONDS = 4e-9, 2.5e-9


@dataclass(frozen=True)
class Sizes:
    """What an audit is about, in numbers.

    Attributes
    ----------
    rows, columns, codes : int
        Of the release as attackers read it: as numbers, and as codes for trees. Both are more than the columns of the
        file where values are skewed, rounded or categories.
    attacks : int
        How many times the whole panel is run on all folds: for each attribute once, twice with utility attributes,
        and once for each further surface.
    sensitive, utility : int
        Attributes to be hidden, to be kept.
    original : int
        Columns of the original; 0 without one.
    pixels : int
        Of an image, colours counted apart; 0 without images.
    classes : int
        Of the attribute with most of them.
    panel : tuple of str or None
        Who attacks; None for the standard panel.
    parts : bool
        Whether some rows were fitted and others not: then membership is attacked.
    """

    rows: int
    columns: int
    codes: int
    attacks: int
    sensitive: int = 1
    utility: int = 0
    original: int = 0
    pixels: int = 0
    classes: int = 2
    panel: tuple[str, ...] | None = None
    parts: bool = False

    def has(self, *names: str) -> bool:
        """Whether one of these attackers is in the panel."""
        return self.panel is None or any(name in self.panel for name in names)


def sizes_of(request: Request, material: Material, panel: Sequence[str] | None = None) -> Sizes:
    """Return the sizes of an audit; two attributes or more are attacked once more, together."""
    attributes = len(request.sensitive) + (len(request.sensitive) > 1)
    a_piece = (1 if material.total_view is None else 2) + sum(1 + surface.draws for surface in material.surfaces)
    original = 0 if request.original is None else request.original.num_columns
    columns, codes = material.view.dense.shape[1], material.view.ordinal.shape[1]
    codes += 0 if material.view.relations is None else material.view.relations.shape[1]
    images = material.view.images
    pixels = 0 if images is None else int(np.prod(images.shape[1:]))
    return Sizes(
        request.n,
        columns,
        codes,
        a_piece * attributes,
        attributes,
        len(request.utility),
        original,
        pixels,
        max([2, *(attribute.n_classes for attribute in request.sensitive)]),
        None if panel is None else tuple(panel),
        request.fit_rows is not None and bool(request.fit_rows.any()) and not request.fit_rows.all(),
    )


def estimate_seconds(sizes: Sizes, effort: Effort) -> float:
    """Return a rough processor time in seconds.

    Parameters
    ----------
    effort : Effort
        Its folds and the sizes of its attackers.

    Examples
    --------
    >>> from withhold.audit.effort import EFFORTS
    >>> sizes = Sizes(50_000, 66, 66, attacks=2, utility=1)
    >>> estimate_seconds(sizes, EFFORTS["quick"]) < estimate_seconds(sizes, EFFORTS["standard"])
    True
    """
    return FIXED_SECONDS + sum(stage_seconds(sizes, effort).values())


def stages_of(sizes: Sizes, effort: Effort) -> list[tuple[str, float]]:
    """Return the stages of an audit in their order, with the seconds of each; attributes come one after the other.

    Examples
    --------
    >>> from withhold.audit.effort import EFFORTS
    >>> [name for name, _ in stages_of(Sizes(2_000, 9, 9, attacks=1), EFFORTS["quick"])][:2]
    ['measuring what is kept', 'attacking']
    """
    seconds = stage_seconds(sizes, effort)
    each = (
        [(name, seconds[name] / sizes.sensitive) for name in (ATTACKING, PLANTING, CONTROLS)] if sizes.sensitive else []
    )
    after = [(name, seconds[name]) for name in (PEOPLE, COMPARING, COLUMNS)]
    return [(KEPT, seconds[KEPT]), *(each * sizes.sensitive), *after]


def stage_seconds(sizes: Sizes, effort: Effort) -> dict[str, float]:
    """Return the processor seconds of each stage, over all attributes."""
    n, p, q = sizes.rows, max(1, sizes.columns), max(1, sizes.codes)
    folds = max(2, min(effort.folds, n // 2))
    train = n * (folds - 1) / folds
    convolutions, every_pixel = _cnn_seconds(train, sizes, effort), _pixel_seconds(train, sizes)
    pictures = convolutions or every_pixel
    attack = sum(_attack_seconds(n, sizes, one) for one in (*lower_efforts(effort), effort))
    trees = _tree_seconds(train, q, effort) if sizes.has("boosting") else 0.0
    network = _network_seconds(train, p, effort) if sizes.has("mlp") else 0.0
    cheap = _cheap_seconds(train, sizes)
    # Few rows find no plant, and a step of the search then ends with its first form.
    looks = 1 + effort.plant_rungs / (1 if n >= FEW_ROWS else 3)
    plants = looks * effort.folds_of_plants(n, folds) * cheap
    # Where nobody in the panel reads columns, those who read pictures stand for them.
    only_pictures = sizes.panel is not None and {"cnn", "pixels"} >= {*sizes.panel}
    controls = effort.plant_folds * (trees + cheap / 4 + only_pictures * pictures)
    if sizes.original:
        controls += attack + _whitening_seconds(n, p)
    if sizes.utility:
        controls += effort.control_folds * trees
    scored = folds if n < FEW_ROWS else min(folds, effort.utility_folds)
    once = trees + cheap / 4 + effort.utility_network * network + pictures
    kept = sizes.utility * scored * (2 if sizes.original else 1) * once
    reading = READING_SECONDS * n * (p * sizes.attacks + 3 * sizes.original + p * sizes.sensitive)
    # Lower efforts attack the release, with utility and without; further surfaces are attacked by this one alone.
    whole = min(sizes.attacks, sizes.sensitive * (1 + (sizes.utility > 0)))
    attacks = whole * attack + (sizes.attacks - whole) * _attack_seconds(n, sizes, effort)
    attacks += sizes.attacks * _whitening_seconds(n, p)
    return {
        KEPT: float(kept + _retention_seconds(train, p, sizes.original, effort)),
        ATTACKING: float(attacks + reading),
        PLANTING: float(sizes.sensitive * plants),
        CONTROLS: float(sizes.sensitive * controls),
        PEOPLE: float(_people_seconds(sizes, effort)),
        COMPARING: float(_fidelity_seconds(n, sizes.original, effort)),
        COLUMNS: (q + sizes.original) * (COLUMN_SECONDS + TOLD_SECONDS * sizes.sensitive),
    }


def _people_seconds(sizes: Sizes, effort: Effort) -> float:
    """Seconds of linking records to their originals, and of attacking membership in three views."""
    n = sizes.rows
    seconds = NEAREST_SECONDS * n * (sizes.attacks + (sizes.original > 0))
    if sizes.original:
        seconds += LINK_SECONDS + LINKED_SECONDS * min(MOST_CANDIDATES, n / 2) ** 2 * sizes.original
    if sizes.parts:
        rows = min(n, int(np.clip(effort.membership_entries / max(1, 3 * sizes.original), FEWEST, MOST_MEMBERS)))
        for width in VIEWS if sizes.original else VIEWS[:1]:
            columns, codes = int(width * sizes.columns), int(width * sizes.codes)
            view = replace(sizes, rows=rows, columns=columns, codes=codes, panel=effort.membership_panel)
            seconds += 3 * _panel_seconds(rows * 2 / 3, rows / 3, view, effort)
        seconds += EXPECTED_SECONDS * rows
    return seconds


def _fidelity_seconds(rows: int, columns: int, effort: Effort) -> float:
    """Seconds of comparing a release with its original."""
    shared, compared = min(columns, MOST_COLUMNS), min(rows, MOST_COMPARED)
    models = min(shared, effort.predicted_columns)
    entries = min(compared, effort.transfer_rows) * shared
    return RELATED_SECONDS * compared * shared**2 / 2 + models * (MODELS_SECONDS + PREDICTED_SECONDS * entries)


def announcement(stages: Sequence[tuple[str, float]], memory: str) -> str:
    """Return what is said before an audit starts.

    Examples
    --------
    >>> announcement([("attacking", 80.0), ("planting", 20.0)], "1.2 GB")
    'Estimated time: 2 minutes of one processor core, about 1.2 GB of memory.'
    """
    seconds = FIXED_SECONDS + sum(took for _, took in stages)
    return f"Estimated time: {in_words(seconds)} of one processor core, about {memory} of memory."


def _attack_seconds(rows: int, sizes: Sizes, effort: Effort) -> float:
    """Seconds of the whole panel on all folds, as one effort attacks."""
    folds = max(2, min(effort.folds, rows // 2))
    train = rows * (folds - 1) / folds
    pictures = _cnn_seconds(train, sizes, effort) + _pixel_seconds(train, sizes)
    return folds * (_panel_seconds(train, rows / folds, sizes, effort) + pictures)


def _panel_seconds(train: float, score: float, sizes: Sizes, effort: Effort) -> float:
    """Seconds of one fold: every attacker is fitted on most of `train` and guesses the rest of it and `score`."""
    columns, codes = max(1, sizes.columns), max(1, sizes.codes)
    guessed = score + min(0.15 * train, MOST_HELD)
    distance = DISTANCE_SECONDS + DIRECTION_SECONDS * columns
    neighbours = guessed * min(0.85 * train, effort.neighbour_rows) * distance
    network, trees = _network_seconds(train, columns, effort), _tree_seconds(train, codes, effort)
    return (
        sizes.has("mlp") * network
        + sizes.has("neighbours") * neighbours
        + sizes.has("boosting", "lightgbm") * trees
        + sizes.has("periods") * SPECTRUM_SECONDS * train * codes
        + sizes.has("cells") * (_cells_seconds(train, sizes) + ASKED_PAIRS * ASK_SECONDS * (0.85 * train + guessed))
        + _cheap_seconds(train, sizes)
    )


def _cheap_seconds(train: float, sizes: Sizes) -> float:
    """Seconds of those who fit few parameters, on one fold: most go into the screen of pairs where columns are many."""
    columns, scores = max(1, sizes.columns), 1 if sizes.classes == 2 else sizes.classes
    pairs = min(columns, WIDEST) ** 2
    products = 3 * (2 + scores) * 2 * 0.85 * train * pairs / RATE + PAIR_SECONDS * pairs
    return ENTRY_SECONDS * train * columns + FOLD_SECONDS + sizes.has("pairs") * products


def _cells_seconds(train: float, sizes: Sizes) -> float:
    """Seconds of the screen of pairs of columns in fine cells, on one fold."""
    return 2 * sizes.classes * min(train, MOST_ROWS) * (CELLS_ALONG * min(sizes.codes, WIDEST_CELLS)) ** 2 / RATE


def _whitening_seconds(rows: int, columns: int) -> float:
    """Seconds of the uncorrelated directions of a view, in double precision."""
    width = min(columns, EXACT_WIDTH)
    if rows < columns and rows <= EXACT_WIDTH:
        return (2 * rows**2 * columns + 9 * rows**3) / (RATE / 2)
    sketch = 2 * rows * columns * width if columns > width else 0
    return (2 * rows * width**2 + sketch + 9 * width**3) / (RATE / 2)


def _network_seconds(train: float, columns: int, effort: Effort) -> float:
    learned = LEARNED * train
    batch = max(1.0, min(learned, 512.0, max(16.0, learned / 20)))
    steps = max(20.0, learned / batch) * min(effort.network_epochs, USUAL_PASSES)
    return (
        effort.network_seeds
        * steps
        * (STEP_SECONDS + (6 * batch / RATE + UPDATE_SECONDS) * (256 * columns + 2 * 256**2))
    )


def _cnn_seconds(train: float, sizes: Sizes, effort: Effort) -> float:
    if not (sizes.pixels and sizes.has("cnn")):
        return 0.0
    return LEARNED * train * effort.network_seeds * passes(effort.network_epochs) * PICTURE_SECONDS + (
        PIXEL_SECONDS * train * sizes.pixels
    )


def _pixel_seconds(train: float, sizes: Sizes) -> float:
    if not (sizes.pixels and sizes.has("pixels")):
        return 0.0
    scores = 1 if sizes.classes == 2 else sizes.classes
    return train * (SCREEN_SECONDS * sizes.pixels + SCORE_SECONDS * scores * min(sizes.pixels, MOST_PIXELS))


def _tree_seconds(train: float, columns: int, effort: Effort) -> float:
    stop = stopping(effort.boosting_rounds, int(train))
    rounds = int(min(stop["max_iter"], USUAL_ROUNDS + stop.get("n_iter_no_change", stop["max_iter"])))
    leaves = min(31.0, 1 + train / max(2.0, min(20.0, train / 20)))
    scan = leaves * columns * (LEAF_SECONDS + SCAN_SECONDS * min(cells_for(int(train), columns), train))
    return rounds * (TREE_SECONDS + ROUND_SECONDS * train * columns + scan) + CELL_SECONDS * train * columns


def _retention_seconds(train: float, columns: int, original: int, effort: Effort) -> float:
    if not original:
        return 0.0
    rows = min(train, MOST_TRAINING_ROWS)
    batch = max(16.0, min(512.0, rows / 8))
    outputs = CELLS * original
    inputs, width = network_sizes(columns, outputs)
    weights = outputs * (inputs + width) + width * (inputs + width)
    step = STEP_SECONDS + 6 * batch * weights / RATE + WEIGHT_SECONDS * weights
    return max(400.0, effort.decoder_epochs * rows / batch) * (step + batch * outputs * CELL_ROW_SECONDS)
