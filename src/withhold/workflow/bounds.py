"""What is possible with a table: bounds on the loss of U at each budget for S, from the data alone."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.special import entr

from withhold.contracts.bounds_record import BoundsRecord
from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.contracts.quantity import as_budgets, check_level
from withhold.contracts.seeds import root, stream
from withhold.contracts.wording import listed, verb
from withhold.data.attributes import Attribute, Attributes, read_attributes
from withhold.data.frames import Frame, to_frame
from withhold.data.schema import pandas_index
from withhold.data.shares import smoothed_shares
from withhold.information.bounds.accuracy import attacker_accuracy
from withhold.information.bounds.achievable import achievable_releases
from withhold.information.bounds.from_data import Confined, confine, freeze, mixed_with_prior
from withhold.information.bounds.frontier import Frontier, frontier
from withhold.information.bounds.lemmas import erasure_upper_bound, linear_lower_bound
from withhold.training.session import one_thread
from withhold.workflow.request import BoundsRequest
from withhold.workflow.roles import assign
from withhold.workflow.source import check_declared, read_source, sensitive_attributes
from withhold.workflow.told import Known, compact, what_x_tells

Reals = NDArray[np.float64]
Codes = NDArray[np.int64]

# Nats that mean something: .02 is an attacker who is right at most .6 of the time about two equal classes.
BUDGETS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
# A continuous attribute is cut into so many bins of equal mass; the bound for the bins holds for the attribute.
# Numbers of fewer different values are classes: a grade, or yes and no with gaps, which come as floats.
BINS, FEW_VALUES = 4, 20
# Releases of a finite X are searched up to so many cells.
MOST_CELLS = 100
# Values of S, or of U, up to which the curve takes seconds.
MOST_LEVELS = 300
# Fewer rows than this are pointed out: a choice, not a measurement.
FEW_ROWS = 500


def bounds_file(request: BoundsRequest, log: Callable[[str], None] = lambda text: None) -> BoundsRecord:
    """Read a table and say what is possible; `log` is told how a text file was read."""
    budgets = _budgets(request.budgets)
    source = read_source(request.data, request.array, reading=request.reading, log=log)
    check_declared(request.reading, source.table.column_names, source.name)
    if not request.utility:
        raise InvalidParameterError("Bounds need a column that should stay useful. Add --utility COL.")
    roles = assign(
        source.table.column_names,
        source.name,
        sensitive=request.sensitive,
        utility=request.utility,
        drop=request.drop,
        index=pandas_index(source.table.schema),
    )
    return bounds_of(
        source.table.select(list(roles.features)),
        sensitive_attributes(source.table, roles.sensitive, request.kinds),
        sensitive_attributes(source.table, roles.utility, request.kinds),
        budgets,
        seed=request.seed,
    )


def utility_bounds(
    X: Any,
    y: Any,
    *,
    sensitive_features: Any,
    budgets: Sequence[float] | None = None,
    kinds: Mapping[str, str] | None = None,
    level: float = 0.95,
    random_state: int | None = 0,
) -> BoundsRecord:
    """Say what any release of X must lose of y at each budget for the sensitive attribute, before anything is fitted.

    Parameters
    ----------
    X : DataFrame, Table, ndarray or Tensor
        Features, shape (n_samples, n_features). Columns named by the others are left out of them.
    y : str, list of str, array or DataFrame
        The utility attribute, shape (n_samples,); of several, the joint.
    sensitive_features : str, list of str, array or DataFrame
        The attribute to hide, shape (n_samples,); of several, the joint.
    budgets : sequence of float, optional
        Nats, at least 0; by default seven from 0 to 0.5.
    kinds : mapping of str to {"categorical", "continuous"}, optional
        Kinds that the types do not tell.
    level : float, default=0.95
        Coverage of the intervals.
    random_state : int or None, default=0

    Returns
    -------
    BoundsRecord
        Lower bounds on the loss I(U;X|Z), in nats, and what a known release loses.

    Raises
    ------
    DataError
        A column that is not there, or no feature is left.

    References
    ----------
    Lemmas 2.1 to 2.3 of AIOI; see ``references.bib``.

    Examples
    --------
    >>> import pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> s = rng.integers(0, 2, 4000)
    >>> data = pd.DataFrame({"x": np.where(rng.random(4000) < 0.9, s, 1 - s), "sex": s, "paid": s})
    >>> utility_bounds(data, "paid", sensitive_features="sex", budgets=[0.0, 0.1]).budgets
    [0.0, 0.1]
    """
    table = to_frame(X, "X").table
    frame = Frame(table, "pyarrow")
    sensitive = read_attributes(sensitive_features, frame=frame, kinds=kinds)
    utility = read_attributes(y, frame=frame, kinds=kinds, role="y")
    aside = {*sensitive.names, *utility.names, *pandas_index(table.schema)}
    features = [name for name in table.column_names if name not in aside]
    if not features:
        raise DataError("X has no column beside the attributes. Pass a table with more columns.")
    known = None if budgets is None else sorted(set(as_budgets(budgets).tolist()))
    return bounds_of(table.select(features), sensitive, utility, known, level=level, seed=root(random_state))


def _budgets(text: str | None) -> list[float] | None:
    if text is None:
        return None
    try:
        return sorted(set(as_budgets(text.split(",")).tolist()))
    except InvalidParameterError:
        raise InvalidParameterError(
            f"--budgets takes nats of 0 or more, separated by commas (got {text!r}). Write --budgets 0,0.05,0.1."
        ) from None


def bounds_of(
    features: pa.Table,
    sensitive: Attributes,
    utility: Attributes,
    budgets: Sequence[float] | None = None,
    *,
    level: float = 0.95,
    seed: int = 0,
) -> BoundsRecord:
    """Say what is possible with X, S and U.

    Parameters
    ----------
    features : pyarrow.Table
        X.
    sensitive, utility : Attributes
        S and U, row for row; of several, the joint.

    Examples
    --------
    >>> from withhold.data.attributes import read_attributes
    >>> rng = np.random.default_rng(0)
    >>> s = rng.integers(0, 2, 9000); u = np.where(rng.random(9000) < 0.8, s, 1 - s)
    >>> record = bounds_of(pa.table({"x": u}), read_attributes(s), read_attributes(u), [0.0, 0.05])
    >>> bool(record.lower_bound[0] > record.lower_bound_interval[0][0] > 0.1), record.lower_bound[0] <= 0.43
    (True, True)
    """
    check_level(level)
    with one_thread():  # small matrices: a second thread only waits for the first
        return _bounds_of(features, sensitive, utility, budgets, level, seed)


def _bounds_of(
    features: pa.Table,
    sensitive: Attributes,
    utility: Attributes,
    budgets: Sequence[float] | None,
    level: float,
    seed: int,
) -> BoundsRecord:
    notes: list[str] = []
    s_all, u_all = _codes(sensitive, notes), _codes(utility, notes)
    rows = np.flatnonzero((s_all >= 0) & (u_all >= 0))
    if len(rows) < len(s_all):
        notes.append(f"{len(s_all) - len(rows)} rows without S or U are left out.")
    s, u = compact(s_all[rows]), compact(u_all[rows])
    _check_levels(sensitive, s)
    _check_levels(utility, u)
    counts = np.zeros((int(u.max()) + 1, int(s.max()) + 1))
    np.add.at(counts, (u, s), 1.0)
    n = len(rows)
    if n < FEW_ROWS:
        notes.append(f"{n} rows measure hardly anything, least of all what X tells of U: build nothing on these.")
    first = stream(seed, "bounds", "halves").permutation(n) < n // 2
    known = what_x_tells(features.take(rows), u, s, first, seed, notes)
    h_s = float(entr(counts.sum(axis=0) / n).sum())
    ks = np.array([k for k in BUDGETS if k < h_s] if budgets is None else list(budgets), np.float64)
    found = frontier(counts / n, ks, utility_information=known.u_x, tolerance=2e-3)
    valid = _confined(counts, u, s, first, known.log_predicted, ks, level)
    return _record(found, valid, known, counts, (sensitive, utility), level, notes)


def _check_levels(attributes: Attributes, codes: Codes) -> None:
    levels = int(codes.max()) + 1
    if levels > MOST_LEVELS:
        raise DataError(
            f"{listed(attributes.names)} {verb(attributes.names, 'has', 'together have')} {levels:,} values, like an "
            f"identifier; bounds allow {MOST_LEVELS}. Group the values, declare a number with --continuous COL, or "
            "name another column."
        )


def _codes(attributes: Attributes, notes: list[str]) -> Codes:
    """Return one code for each row, -1 where any attribute is missing; numbers are cut at quantiles."""
    codes: Codes = np.zeros(len(attributes[0]), np.int64)
    missing = np.zeros(len(codes), bool)
    for attribute in attributes:
        own = attribute.codes if attribute.kind == "categorical" else _binned(attribute, notes)
        codes = codes * (int(own.max()) + 1) + np.maximum(own, 0)
        missing |= own < 0
    return np.where(missing, -1, codes)


def _binned(attribute: Attribute, notes: list[str]) -> Codes:
    """Cut a number into bins, or take its values as classes where they are few: bins would merge them."""
    known = attribute.known
    levels = np.unique(attribute.values[known])
    if len(levels) <= FEW_VALUES:
        notes.append(f"'{attribute.name}' has {len(levels)} different values, which are taken as classes.")
        return np.where(known, np.searchsorted(levels, attribute.values), -1).astype(np.int64)
    edges = np.unique(np.quantile(attribute.values[known], np.linspace(0, 1, BINS + 1)[1:-1]))
    # Where most values are the smallest one, it is a bin of its own.
    side: Literal["left", "right"] = "left" if edges[0] == levels[0] else "right"
    codes = np.searchsorted(edges, attribute.values, side=side)
    count = len(np.unique(codes[known]))
    what = "bins of equal mass" if count == BINS else "bins, of unequal mass as one value is so common"
    notes.append(f"'{attribute.name}' is cut into {count} {what}; bounds for the bins hold for it too.")
    return np.where(known, codes, -1).astype(np.int64)


def _confined(
    counts: Reals, u: Codes, s: Codes, first: NDArray[np.bool_], log_predicted: Reals, ks: Reals, level: float
) -> Confined:
    half = np.zeros_like(counts)
    np.add.at(half, (u[first], s[first]), 1.0)
    reference = smoothed_shares(half.sum(axis=0))
    prior = smoothed_shares(half.sum(axis=1))
    least = float(mixed_with_prior(np.zeros_like(prior), prior).min())
    return confine(freeze(half), reference, u[~first], s[~first], log_predicted, least, ks, level)


def _record(
    found: Frontier,
    valid: Confined,
    known: Known,
    counts: Reals,
    attributes: tuple[Attributes, Attributes],
    level: float,
    notes: list[str],
) -> BoundsRecord:
    n, prior = int(counts.sum()), counts.sum(axis=0) / counts.sum()
    bias = (counts.shape[0] - 1) * (counts.shape[1] - 1) / (2 * n)
    left = max(0.0, found.entropy_u - known.u_x)
    linear = linear_lower_bound(
        found.budgets,
        found.u_s,
        u_s_given_x=known.u_s_given_x,
        u_given_x=left if known.u_s_given_x is None else None,
    )
    reached = erasure_upper_bound(found.budgets, known.u_x, found.entropy_s if known.s_x is None else known.s_x)
    if known.joint is not None and len(known.joint) <= MOST_CELLS:
        left_by_x = found.entropy_u - known.u_x
        better = [m.uncertainty - left_by_x for m in achievable_releases(known.joint, found.budgets.tolist())]
        reached = np.maximum(0.0, np.minimum(reached, better))
    if known.s_x is None:
        notes.append("I(S;X) is not known: the achievable loss is that of erasure as if X told all of S.")
    if found.vacuous:
        notes.append(
            f"Lemma 2.1 says nothing here: X tells {known.u_x:.3f} nat of U, less than the {found.entropy_u:.3f} - "
            f"{found.mechanisms[0].uncertainty:.3f} nat that a release made from U and S themselves could keep without "
            f"leaking more than {found.budgets[0]:g} nat."
        )
    if not found.exact_classes:
        notes.append("S has more than eight classes: some were merged for the lower bound, which stays valid.")
    if (counts == 0).any():
        notes.append(f"{int((counts == 0).sum())} combinations of U and S never occur; they are taken as impossible.")
    if found.u_s < 3.0 * bias:
        notes.append(f"I(U;S) is within three times its plug-in bias of {bias:.2g} nat: it may be none at all.")
    accuracy = [attacker_accuracy(prior, float(k), "balanced_accuracy") for k in found.budgets]
    return BoundsRecord(
        sensitive=[a.name for a in attributes[0]],
        utility=[a.name for a in attributes[1]],
        mutual_information={"u_s": found.u_s, "u_x": known.u_x},
        entropy={"u": found.entropy_u, "s": found.entropy_s},
        n=n,
        level=level,
        budgets=found.budgets.tolist(),
        lower_bound=found.lower_bound.tolist(),
        lower_bound_interval=list(zip(valid.low.tolist(), valid.high.tolist(), strict=True)),
        certificate_gap=found.gap.tolist(),
        linear_bound=linear.tolist(),
        achievable_bound=reached.tolist(),
        attacker_accuracy=accuracy,
        plug_in_bias=bias,
        vacuous=found.vacuous,
        notes=notes,
        certificates=[json.loads(c.to_json()) for c in found.certificates],
    )
