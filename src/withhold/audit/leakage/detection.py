"""The detection limit: how small a known leak may be and still be found, form by form."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from withhold.audit.attackers.attacker import Attacker, Inputs, ScoreAttacker
from withhold.audit.design import Design
from withhold.audit.leakage.canaries import (
    MOST_OF_ENTROPY,
    STEEPEST,
    PlantedInputs,
    plant,
    row_codes,
    word_information,
)
from withhold.audit.leakage.continuous import attack_bins, attack_scores
from withhold.audit.leakage.crossfit import cross_fit
from withhold.audit.leakage.log_ratios import LogRatios
from withhold.audit.leakage.parts import Judge
from withhold.audit.statistics.arrays import Codes
from withhold.contracts.audit_record import PlantForm, PlantResult
from withhold.contracts.seeds import stream
from withhold.data.attribute import Attribute

# The attackers a form is home to. The others could only find more; leaving them out under-states what the panel finds.
# A column of .01 nat beside 64 others, 20,000 rows: these two read .006 to .009, with boosting for pairs .004 to .007.
HOMES: Mapping[PlantForm, tuple[str, ...]] = {
    "column": ("logistic", "pairs"),
    "dense": ("logistic", "qda"),
    "interaction": ("pairs",),
    "word": ("words",),
}
SCORE_HOME = "linear_gaussian"
# For the interaction, a continuous attribute is attacked through this many bins.
PLANT_BINS = 4
# Without a budget the search starts here; it ends above at half the entropy and below at a size nobody budgets for.
FIRST_SIZE, SMALLEST_SIZE = 0.05, 0.001


@dataclass(frozen=True)
class Detection:
    """What was planted and found.

    Attributes
    ----------
    plants : list of PlantResult
    limit : float or None
        Smallest size found in every form; None: not even the largest.
    recovery : float or None
        min(1, found/planted) of the worst form at the first size.
    all_found : bool
        Whether every form was found at the first size.
    """

    plants: list[PlantResult]
    limit: float | None
    recovery: float | None
    all_found: bool

    @property
    def forms(self) -> tuple[PlantForm, ...]:
        """Forms in which leaks were planted."""
        return tuple(dict.fromkeys(plant.form for plant in self.plants))


class Planter:
    """Plants leaks in one release about one attribute and lets the panel look for them."""

    def __init__(
        self,
        inputs: Inputs,
        attribute: Attribute,
        panel: Sequence[type[Attacker]],
        score_panel: Sequence[type[ScoreAttacker]],
        design: Design,
        judge: Judge,
    ) -> None:
        self.inputs = PlantedInputs(inputs.dense, inputs.whitened, inputs.ordinal, words=inputs.words)
        self.categorical = attribute.kind == "categorical"
        self.panel, self.score_panel, self.judge = panel, score_panel, judge
        self.design = replace(design, scored_folds=design.scored_folds[: design.effort.plant_folds])
        self.permuted = permute(attribute, design.groups, stream(design.seed, "audit", "permuted", attribute.name))
        known = self.permuted.known
        values = (self.permuted.codes if self.categorical else self.permuted.values)[known].astype(np.float64)
        codes, self.atoms, self.shares = row_codes(values, self.categorical)
        self.codes = np.zeros(len(known))
        self.codes[known] = codes
        self.name = attribute.name

    @property
    def largest(self) -> float:
        """The most that can be planted."""
        entropy = float(-(self.shares * np.log(self.shares)).sum())
        return MOST_OF_ENTROPY * min(entropy, 3.0)

    def forms(self, size: float) -> list[PlantForm]:
        """Return the forms that the release has room for: a word wherever words are read and one can hold the size."""
        word = self.inputs.words is not None and any(member.name in HOMES["word"] for member in self.panel)
        word = word and self.categorical and word_information(STEEPEST, self.atoms, self.shares) >= size
        return [form for form in HOMES if form != "word" or word]

    def look(self, form: PlantForm, size: float) -> PlantResult:
        """Plant `size` nats in one form and report what was found: lower end above 0 and at least half the size."""
        found = self.judge.least(self.judge.read(self.read(form, size)))
        detected = found.low is not None and found.low > 0 and found.value >= size / 2
        return PlantResult(form=form, size=size, found=found, detected=bool(detected))

    def read(self, form: PlantForm, size: float) -> LogRatios:
        """Plant `size` nats in one form and return what attackers said of each record."""
        rng = stream(self.design.seed, "audit", "plant", self.name, form, repr(size))
        return self._attack(plant(form, size, self.inputs, self.codes, self.atoms, self.shares, rng), form)

    def floor(self, panel: Sequence[type[Attacker]]) -> LogRatios:
        """Attack the permuted attribute in the release as it is: nothing is there to be found."""
        return self._against(self.inputs, panel, "shuffled")

    def _attack(self, planted: Inputs, form: PlantForm) -> LogRatios:
        home = [member for member in self.panel if member.name in HOMES[form]] or list(self.panel)
        return self._against(planted, home, f"plant {form}")

    def _against(self, inputs: Inputs, panel: Sequence[type[Attacker]], purpose: str) -> LogRatios:
        if self.categorical:
            return cross_fit(inputs, self.permuted.codes, self.permuted.n_classes, panel, self.design, purpose)
        home = [member for member in self.score_panel if member.name == SCORE_HOME]
        found = attack_scores(inputs, self.permuted.values, home, self.design, purpose)
        binned = attack_bins(inputs, self.permuted.values, PLANT_BINS, panel, self.design, purpose)
        return found if binned is None else found.with_columns(binned, "")


def permute(attribute: Attribute, groups: Codes | None, rng: np.random.Generator) -> Attribute:
    """Return the attribute of other rows; a value that is constant within subjects stays so.

    Examples
    --------
    >>> from withhold.data.attributes import read_attributes
    >>> permute(read_attributes(["a", "b"])[0], None, np.random.default_rng(0)).levels
    ('a', 'b')
    """
    n = len(attribute.codes)
    if groups is None:
        return attribute.take(rng.permutation(n))
    _, first, unit = np.unique(groups, return_index=True, return_inverse=True)
    raw = attribute.codes if attribute.kind == "categorical" else attribute.values
    if not np.array_equal(raw, raw[first][unit], equal_nan=attribute.kind == "continuous"):
        return attribute.take(rng.permutation(n))
    return attribute.take(first[rng.permutation(len(first))][unit])


def search(planter: Planter, budget: float | None, rungs: int) -> Detection:
    """Plant leaks of size = budget first, then halve or double in search of the limit.

    Parameters
    ----------
    planter : Planter
        Who plants.
    budget : float or None
        First size; .05 without one.
    rungs : int
        Steps after the first.

    Returns
    -------
    Detection
    """
    first = min(budget or FIRST_SIZE, planter.largest)
    tried = {form: planter.look(form, first) for form in planter.forms(first)}
    plants = list(tried.values())
    all_found = all(p.detected for p in plants)
    recovery = min(1.0, max(0.0, min(p.found.value / p.size for p in plants)))
    # The worst form goes first: as soon as it is missed the rung is decided.
    forms = sorted(tried, key=lambda form: (tried[form].detected, tried[form].found.value))
    size, limit = first, first if all_found else None
    for _ in range(rungs):
        size = size / 2 if all_found else size * 2
        if size < SMALLEST_SIZE or size > planter.largest:
            break
        found = True
        for form in [form for form in forms if form in planter.forms(size)]:
            look = planter.look(form, size)
            plants.append(look)
            if not look.detected:
                found = False
                break
        if all_found and not found:
            break
        if found:
            limit = size
            if not all_found:
                break
    return Detection(plants, limit, recovery, all_found and (budget is None or first >= budget))
