"""A release that carries almost nothing: low leakage by destroying everything must be visible."""

import numpy as np
import numpy.typing as npt

from withhold.audit.findings.finder import Code, Finder
from withhold.audit.view.numbers import numeric_matrix
from withhold.contracts.finding import Finding
from withhold.information.measures.effective_rank import effective_rank

LEAST_RETENTION, LEAST_RANK = 0.02, 1.5
COLLAPSE = Code("collapse", ("warning",), "Withhold less: a larger budget, or less noise.")


def collapse(matrix: npt.NDArray[np.floating], mean_retention: float | None) -> list[Finding]:
    """Say so when the release has no more than one direction or keeps almost nothing of the original.

    Parameters
    ----------
    matrix : ndarray, shape (n, p)
        The release as numbers (without the order of rows).
    mean_retention : float or None
        Mean over the original columns, where it was measured.

    Examples
    --------
    >>> collapse(np.zeros((10, 2)), None)[0].code
    'collapse'
    """
    if mean_retention is not None and mean_retention < LEAST_RETENTION:
        text = f"The release carries almost nothing of the original: mean retention is {mean_retention:.3f}."
        return [COLLAPSE.found(f"{text} Low leakage is no achievement here.")]
    rank = effective_rank(matrix, standardise=True)
    if rank < LEAST_RANK:
        what = "nothing" if rank == 0 else "one direction"
        return [COLLAPSE.found(f"The release has collapsed to {what} (effective rank {rank:.2f}).")]
    return []


FINDER = Finder(
    (COLLAPSE,),
    lambda scene: collapse(numeric_matrix(scene.rows.release, scene.rows.after), scene.mean_retention),
    place=50,
)
