"""Planning an audit: which rows, which folds, how long it will take."""

import numpy as np

from withhold.audit.design import Design
from withhold.audit.effort import Effort
from withhold.audit.request import Request, stratum
from withhold.contracts.audit_record import Splits, SplitsSource
from withhold.contracts.finding import Finding
from withhold.contracts.seeds import stream
from withhold.data.splits import fold_numbers


def cap_rows(request: Request, effort: Effort, seed: int) -> tuple[Request, list[Finding]]:
    """Keep as many rows as the effort allows, whole subjects, in their order; say so when some were left out.

    Parameters
    ----------
    request : Request
        What is judged.
    effort : Effort
        Its `most_rows` is the limit.
    seed : int
        Of the choice.

    Returns
    -------
    Request, list of Finding
    """
    if request.n <= effort.most_rows:
        return request, []
    rng = stream(seed, "audit", "rows")
    units = np.arange(request.n) if request.groups is None else np.unique(request.groups, return_inverse=True)[1]
    order = rng.permutation(int(units.max()) + 1)
    sizes = np.bincount(units)[order]
    taken = order[np.cumsum(sizes) <= effort.most_rows]
    rows = np.flatnonzero(np.isin(units, taken))
    text = (
        f"{len(rows):,} of {request.n:,} rows were judged, chosen at random: the {effort.name} effort stops there. "
        "Attackers with all rows may learn more; a higher effort uses more."
    )
    return request.take(rows), [Finding(code="rows_sampled", severity="warning", text=text)]


def make_design(request: Request, effort: Effort, seed: int) -> Design:
    """Divide rows into folds, subjects kept together, S and parts in proportion.

    Parameters
    ----------
    request : Request
        What is judged.
    effort : Effort
        Its `folds`; fewer where there are few subjects.
    seed : int
        Of the division.

    Returns
    -------
    Design
    """
    first = request.sensitive or request.utility  # nothing to hide: what is to stay is divided in proportion
    strata = stratum(first.joint() or first[0], request.fit_rows) if len(first) else None
    units = request.n if request.groups is None else len(np.unique(request.groups))
    folds = max(2, min(effort.folds, units // 2))
    fold = fold_numbers(request.n, folds, stream(seed, "audit", "folds"), request.groups, strata)
    everywhere = np.ones(request.n, bool)
    return Design(fold, request.groups, tuple(range(folds)), everywhere, everywhere, effort, seed)


def parts_of(request: Request) -> dict[str, np.ndarray]:
    """Return the parts of the release that are judged apart: rows the sanitiser was fitted on, and the rest."""
    if request.fit_rows is None:
        return {"audit": np.ones(request.n, bool)}
    return {name: mask for name, mask in (("fit", request.fit_rows), ("audit", ~request.fit_rows)) if mask.any()}


def splits_of(request: Request, design: Design, source: SplitsSource) -> Splits:
    """Describe how rows were divided."""
    fit = None if request.fit_rows is None else int(request.fit_rows.sum())
    subjects = None if request.groups is None else len(np.unique(request.groups))
    return Splits(fit=fit, audit=request.n - (fit or 0), folds=len(design.scored_folds), groups=subjects, source=source)
