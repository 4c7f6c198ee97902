"""Training rows of a task with an attribute to be hidden, as the tensors that a game is played on."""

import numpy as np
import torch

from withhold.contracts.errors import DataError
from withhold.contracts.finding import Finding
from withhold.contracts.seeds import stream
from withhold.data.attribute import check_shared
from withhold.data.attributes import Attributes
from withhold.data.equal_mass import equal_mass
from withhold.data.splits import split_rows
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.estimator.game_records import count_units, refuse_determining
from withhold.methods.iidm.game import LabelledRecords
from withhold.methods.iidm.settings import HELD

MOST_CELLS = 1_000  # classes of several attributes together: each needs records of its own
LEARNED = 10  # records of a value below which it counts as rare, as in a table's levels
CELL_ROWS = 8  # rows a cell of attribute and label must have on average for the split to keep its share


def secret_codes(sensitive: Attributes) -> tuple[np.ndarray, int]:
    """Return one code for each combination of all attributes that occurs, -1 where one is missing, and their number.

    A continuous attribute counts as its equal-mass bins.

    Examples
    --------
    >>> from withhold.data.attributes import read_attributes
    >>> codes, k = secret_codes(read_attributes(np.linspace(0, 1, 16)))
    >>> k, np.bincount(codes).tolist()
    (8, [2, 2, 2, 2, 2, 2, 2, 2])
    """
    columns = [item.codes if item.kind == "categorical" else equal_mass(item.values) for item in sensitive]
    stacked = np.stack(columns, axis=1)
    known, codes = (stacked >= 0).all(axis=1), np.full(len(stacked), -1, dtype=np.int64)
    present, codes[known] = np.unique(stacked[known], axis=0, return_inverse=True)
    if len(columns) > 1 and len(present) > MOST_CELLS:
        raise DataError(
            f"The sensitive attributes have {len(present)} combinations; at most {MOST_CELLS} can be hidden jointly. "
            "Merge classes, or hide the most important attribute alone."
        )
    return codes, len(present)


def continuous_findings(sensitive: Attributes, method: str) -> list[Finding]:
    """Say of each continuous attribute that it is read as classes, and how much of it these classes hold.

    Examples
    --------
    >>> from withhold.data.attributes import read_attributes
    >>> continuous_findings(read_attributes(np.linspace(0, 1, 80)), "IIDM")[0].text
    "IIDM reads 'sensitive_features' as 8 classes of equal mass, which hold 98 % of its variance. ..."
    """
    found = []
    for item in sensitive:
        if item.kind == "categorical" or not item.known.any():
            continue
        codes, values = equal_mass(item.values)[item.known], item.values[item.known]
        levels, own, counts = np.unique(codes, return_inverse=True, return_counts=True)
        centres = np.bincount(own, weights=values) / counts
        spread = float(np.square(values - values.mean()).sum())
        held = 1.0 - float(np.square(values - centres[own]).sum()) / spread if spread else 1.0
        text = (
            f"{method} reads {item.name!r} as {len(levels)} classes of equal mass, which hold {100 * held:.0f} % of "
            "its variance. It neither hides nor counts differences within a class. MIBackprop and DeepMinMax take the "
            "number itself, and so does the audit."
        )
        found.append(Finding(code="continuous_as_classes", severity="warning", text=text, column=item.name))
    return found


def rare_values(records: LabelledRecords, method: str) -> list[Finding]:
    """Say how many values of the attribute have so few records to learn from that a discriminator hardly meets them."""
    secrets = records.secrets[records.learned]
    counts = torch.bincount(secrets[secrets >= 0], minlength=records.classes)
    few = counts < LEARNED
    if not bool(few.any()):
        return []
    text = (
        f"{int(few.sum())} of {records.classes} values of the sensitive attribute have fewer than {LEARNED} records to "
        f"learn from ({float(counts[few].sum() / counts.sum()):.0%} of all), so the figures of {method} describe the "
        "other values. Pool the rare ones, or collect more records."
    )
    return [Finding(code="rare_values", severity="warning", text=text)]


def labelled_records(
    data: FitData, H: np.ndarray, device: torch.device, method: str, *, held_share: float = HELD
) -> LabelledRecords:
    """Return the tensors of the training rows, some of them held out; `H` holds the scaled features."""
    secrets, k = secret_codes(data.sensitive)
    _refuse_identifiers(k, data, method)
    labels = np.full(data.n, -1, dtype=np.int64) if data.y is None else data.y.codes
    classes = 1 if data.y is None else data.y.n_classes
    learned, held = _split(data, secrets, k, labels, classes, method, held_share)

    def tensor(array: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(device)

    return LabelledRecords(
        H=tensor(H),
        secrets=tensor(secrets),
        labels=tensor(labels),
        classes=k,
        label_classes=classes,
        learned=tensor(learned),
        held=tensor(held),
    )


def _split(
    data: FitData, secrets: np.ndarray, k: int, labels: np.ndarray, classes: int, method: str, held_share: float
) -> tuple[np.ndarray, np.ndarray]:
    units = count_units(data)
    if data.groups is not None:
        refuse_determining(secrets, data.groups, k, method)
    strata = (secrets + 1) * (classes + 1) + labels + 1 if data.n >= CELL_ROWS * k * classes else secrets
    return split_rows(data.n, max(held_share, 1.5 / units), stream(data.rng_seed, "held out"), data.groups, strata)


def _refuse_identifiers(k: int, data: FitData, method: str) -> None:
    if k < 2:
        raise DataError(
            f"The sensitive attribute has {k} known value{'s' * (k != 1)}; {method} needs at least two. Check the "
            "column, or leave it out."
        )
    check_shared(", ".join(data.sensitive.names), k, data.n, method)
