"""Training rows as the tensors that a game between networks is played on."""

from dataclasses import dataclass

import numpy as np
import torch
from scipy.stats import norm, rankdata

from withhold.contracts.errors import DataError
from withhold.contracts.seeds import stream
from withhold.data.attribute import Attribute, check_shared
from withhold.data.splits import fold_numbers, split_rows
from withhold.methods.estimator.fit_data import FitData
from withhold.nets.attribute_density import AttributeLayout
from withhold.training.recipe import Records

HELD = 0.1  # share of rows, or of subjects, that no player learns from
FEWEST = 8  # records, or subjects: below, no fold has a record to learn from and one to judge
FLAT = 1e-8  # a column that varies less is constant
SINGLE = 1e4  # mean, in standard deviations, from which rounding it to single precision (6e-8) would shift a column
RARE = 0.1  # the one-hot column of a rare level must not be blown up more than tenfold by its own small spread
ENTROPY_FLOOR = 0.1  # nats: the loss of a nearly constant column, in units of its entropy, must not dominate


@dataclass(frozen=True)
class Scale:
    """Mean and standard deviation of each feature over the training rows; 1 for a constant one."""

    centre: np.ndarray
    spread: np.ndarray

    def __post_init__(self) -> None:
        if self.centre.ndim != 1 or self.centre.shape != self.spread.shape or not (self.spread > 0).all():
            raise ValueError("a scale of other columns, or of no size")

    @classmethod
    def of(cls, H: np.ndarray, bounded: bool) -> "Scale":
        """Return the scale of the columns of `H`; `bounded` says that they are one-hot or scores of unit range."""
        centre, spread = H.mean(axis=0, dtype=np.float64), H.std(axis=0, dtype=np.float64)
        spread = (
            np.where(spread > FLAT, np.maximum(spread, RARE), 1.0) if bounded else np.where(spread > FLAT, spread, 1.0)
        )
        single = np.all(np.abs(centre) < SINGLE * spread)
        kind = np.float32 if single else np.float64
        return cls(centre.astype(kind), spread.astype(kind))

    def __call__(self, H: np.ndarray) -> np.ndarray:
        """Return `H` standardised, as float32."""
        return np.asarray((H - self.centre) / self.spread, dtype=np.float32)


def count_units(data: FitData) -> int:
    """Return the number of rows, or of groups where there are any; refuse so few that a game cannot be judged."""
    units, name = (data.n, "rows") if data.groups is None else (len(np.unique(data.groups)), "groups")
    if units < FEWEST:
        raise DataError(
            f"Adversarial training needs at least {FEWEST} {name} (got {units}). Collect more records, or use LEACE."
        )
    return units


def fold_rows(data: FitData, members: int) -> np.ndarray:
    """Return the fold of each row, -1 for rows held out; subjects stay together.

    Raises
    ------
    DataError
        There are too few records or subjects.
    """
    units = count_units(data)
    first = data.sensitive[0]
    strata = first.codes if first.kind == "categorical" else None
    kept, _ = split_rows(data.n, max(HELD, 1.5 / units), stream(data.rng_seed, "held out"), data.groups, strata)
    members = min(members, units // 4)
    inner = None if data.groups is None else data.groups[kept]
    folds = np.full(data.n, -1, dtype=np.int64)
    if members < 2:
        folds[kept] = 0
        return folds
    folds[kept] = fold_numbers(
        len(kept), members, stream(data.rng_seed, "folds"), inner, None if strata is None else strata[kept]
    )
    return folds


def normal_scores(values: np.ndarray) -> np.ndarray:
    """Return the normal scores of known values (NaN stays): the same information, and a known marginal.

    Examples
    --------
    >>> normal_scores(np.array([3.0, np.nan, 1.0, 2.0])).round(2).tolist()
    [0.97, nan, -0.97, 0.0]
    """
    known, scores = ~np.isnan(values), np.full(len(values), np.nan)
    scores[known] = norm.ppf((rankdata(values[known]) - 0.5) / max(1, known.sum()))
    return scores


def target(attribute: Attribute) -> np.ndarray:
    """Return class codes or normal scores as floats, NaN where missing."""
    if attribute.kind == "categorical":
        return np.where(attribute.known, attribute.codes, np.nan)
    return normal_scores(attribute.values)


def log_marginal(attribute: Attribute, values: np.ndarray) -> np.ndarray:
    """Return log p(b) of each row under the marginal of the known rows; 0 where missing."""
    if attribute.kind == "continuous":
        density = norm.logpdf(values)
    else:
        counts = np.bincount(attribute.codes[attribute.known], minlength=max(1, attribute.n_classes))
        shares = np.maximum(counts, 1) / max(1, counts.sum())
        density = np.log(shares)[np.where(attribute.known, attribute.codes, 0)]
    return np.asarray(np.where(attribute.known, density, 0.0))


def condition(attribute: Attribute, values: np.ndarray) -> np.ndarray:
    """Return the attribute as a network is given it: one-hot, or the score and whether it is known."""
    if attribute.kind == "categorical":
        codes = np.where(attribute.known, attribute.codes, -1)[:, None]
        return np.asarray(np.arange(attribute.n_classes) == codes, dtype=np.float64)
    return np.stack([np.nan_to_num(values), attribute.known.astype(float)], axis=1)


def make_records(data: FitData, H: np.ndarray, members: int, device: torch.device, dtype: torch.dtype) -> Records:
    """Return the tensors of the training rows.

    Parameters
    ----------
    H : ndarray of shape (n_samples, n_encoded)
        Standardised features.
    members : int
        Folds of the cross-fit; fewer when rows are few.
    device, dtype
        Of the tensors.
    """
    joint = data.sensitive.joint()  # budgets apply to the joint, where it has few enough classes
    secrets = list(data.sensitive) if joint is None else [joint]
    for item in secrets:
        check_shared(item.name, item.n_classes, data.n)
    utilities = list(data.utilities or ())
    columns = [target(item) for item in secrets]
    given = [condition(item, target(item)) for item in data.sensitive]

    def tensor(array: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(device=device, dtype=dtype)

    features = tensor(H)
    coded = data.cells is not None
    kept = torch.from_numpy(np.asarray(data.cells, dtype=np.int64)).to(device) if coded else features
    return Records(
        H=features,
        secrets=tensor(np.stack(columns, axis=1)),
        layout=AttributeLayout(tuple(item.n_classes for item in secrets)),
        marginal=tensor(
            np.stack([log_marginal(item, column) for item, column in zip(secrets, columns, strict=True)], axis=1)
        ),
        given=tensor(np.concatenate(given, axis=1)),
        kept=kept,
        outputs=sum(data.cell_counts or ()) if coded else H.shape[1],
        folds=fold_rows(data, members),
        utility=None if not utilities else tensor(np.stack([target(item) for item in utilities], axis=1)),
        utility_layout=None if not utilities else AttributeLayout(tuple(item.n_classes for item in utilities)),
        utility_unit=sum(nats_of(item) for item in utilities) or 1.0,
    )


def nats_of(attribute: Attribute) -> float:
    """Return the unit of a loss of `attribute`: its entropy, at least a floor; 1 for a continuous one."""
    return 1.0 if attribute.kind == "continuous" else max(ENTROPY_FLOOR, attribute.entropy())


def cell_weights(cells: np.ndarray, counts: tuple[int, ...]) -> list[float]:
    """Return 1/H(column) of each column of cells, 0 for a constant one."""
    weights = []
    for column, count in zip(cells.T, counts, strict=True):
        shares = np.bincount(column, minlength=count) / len(column)
        shares = shares[shares > 0]
        entropy = float(-(shares * np.log(shares)).sum())
        weights.append(1.0 / max(ENTROPY_FLOOR, entropy) if len(shares) > 1 else 0.0)
    return weights


def scale_of(data: FitData) -> Scale:
    """Return the scale of the features: one for each column, or one for each channel of records with a shape."""
    H = np.asarray(data.H)
    if data.shape is None:
        return Scale.of(H, bounded=data.codec is not None)
    channels = data.shape[-1] if len(data.shape) == 3 or not data.bounded else 1
    parts = H.reshape(-1, channels)
    centre, spread = parts.mean(axis=0, dtype=np.float64), parts.std(axis=0, dtype=np.float64)
    spread, times = np.where(spread > FLAT, spread, 1.0), H.shape[1] // channels
    return Scale(np.tile(centre, times).astype(np.float32), np.tile(spread, times).astype(np.float32))


def refuse_determining(secrets: np.ndarray, groups: np.ndarray, k: int, method: str) -> None:
    """Refuse groups that part the attribute's values: what is held out then has values nobody learned to find.

    Parameters
    ----------
    secrets : ndarray of int (n,)
        Class of each row, -1 where missing.
    groups : ndarray of int (n,)
    k : int
        Number of classes.
    method : str
        Whom to name in the message.
    """
    known = secrets >= 0
    pairs = np.unique(np.stack([secrets[known], groups[known]], axis=1), axis=0)
    pure = len(pairs) == len(np.unique(groups[known]))
    alone = int((np.bincount(pairs[:, 0], minlength=k) == 1).sum())
    if not pure or 2 * alone < k:
        return
    raise DataError(
        f"{alone} of {k} sensitive values occur in one group only, so {method} cannot judge itself on held-out groups. "
        "Use smaller groups, such as stretches of recording, or leave out groups."
    )
