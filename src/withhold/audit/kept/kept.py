"""What the release kept: the utility attribute, every other column, and fairness of what is predicted from it."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from withhold.audit.design import Design
from withhold.audit.kept.columns import measure_columns
from withhold.audit.kept.fairness import measure_fairness, scores_by_group
from withhold.audit.kept.utility import Prediction, measure_utility
from withhold.audit.leakage.material import Material
from withhold.audit.request import Request
from withhold.audit.view.numbers import numeric_matrix
from withhold.contracts.audit_record import ColumnResult, FairnessResult, UtilityResult
from withhold.contracts.seeds import stream
from withhold.information.measures.effective_rank import effective_rank
from withhold.training.session import one_thread

RANKED_ROWS = 5_000  # enough for the spectrum of some hundred columns


@dataclass(frozen=True)
class Kept:
    """What was kept; means are over the columns where the measure exists.

    Attributes
    ----------
    guesses : dict
        By categorical utility attribute: what the panel guessed from the release.
    effective_rank : float
        Directions that the released numbers use.
    """

    utility: dict[str, UtilityResult] = field(default_factory=dict)
    guesses: dict[str, Prediction] = field(default_factory=dict)
    columns: dict[str, ColumnResult] = field(default_factory=dict)
    fairness: dict[str, dict[str, FairnessResult]] = field(default_factory=dict)
    effective_rank: float = 0.0

    @property
    def mean_retention(self) -> float | None:
        """Mean retention of the original columns."""
        return _mean([c.retention for c in self.columns.values()])

    @property
    def mean_own_information(self) -> float | None:
        """Mean information each released column keeps about itself."""
        return _mean([c.own_information for c in self.columns.values()])


def measure_kept(request: Request, material: Material, design: Design, tell: Callable[[str], None]) -> Kept:
    """Measure utility, retention and fairness on the folds of the audit.

    Rows the sanitiser was fitted on train predictors but are not scored.

    Parameters
    ----------
    request : Request
        The parts of the audit.
    material : Material
        Their views.
    design : Design
        Folds.
    tell : callable
        Told what is being done.
    """
    some = np.linspace(0, request.n - 1, min(request.n, RANKED_ROWS)).astype(np.int64)
    numbers = numeric_matrix(request.release.take(pa.array(some)))
    kept = Kept(effective_rank=round(effective_rank(numbers, standardise=True), 4))
    effort, seed = design.effort, design.seed
    scored = None if request.fit_rows is None or request.fit_rows.all() else ~request.fit_rows
    with one_thread():
        for attribute in request.utility:
            tell(f"measuring utility: {attribute.name}")
            rng = stream(seed, "audit", "utility", attribute.name)
            found = measure_utility(attribute, material.view, material.original_view, design.fold, effort, rng, scored)
            if found is None:
                continue
            by_group = {s.name: scores_by_group(found, attribute, s) for s in request.sensitive}
            known = {name: scores for name, scores in by_group.items() if scores is not None}
            kept.utility[attribute.name] = found.result.model_copy(update={"groups": known})
            if attribute.kind == "categorical":
                kept.guesses[attribute.name] = found.release
            groups = {s.name: measure_fairness(found, attribute, s) for s in request.sensitive}
            fair = {name: result for name, result in groups.items() if result is not None}
            if fair:
                kept.fairness[attribute.name] = fair
        if request.original is not None:
            tell("measuring what is left of each column")
            rng = stream(seed, "audit", "columns")
            kept.columns.update(
                measure_columns(request.release, request.original, material.view, design.fold, effort, rng, scored)
            )
    return kept


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None
