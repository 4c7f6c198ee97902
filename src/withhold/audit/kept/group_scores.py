"""How well U is predicted for each group: the average may hide a group that the release serves badly."""

import numpy as np
import numpy.typing as npt

from withhold.audit.kept.utility import Prediction, Utility
from withhold.contracts.audit_record import GroupScores, Score
from withhold.data.attribute import Attribute

# The accuracy of a smaller group has a standard error of a tenth and would decide which is worst.


def scores_by_group(utility: Utility, attribute: Attribute, sensitive: Attribute) -> GroupScores | None:
    """Return the accuracy in each group, the mean over groups and the worst.

    With the domain a record comes from as `sensitive`, these are the figures that domain generalisation reports.

    Parameters
    ----------
    utility : Utility
        Out-of-fold predictions from release and original.
    attribute : Attribute
        The utility attribute that was predicted; categorical.
    sensitive : Attribute
        The groups; categorical.

    Returns
    -------
    GroupScores or None
        None when either is a number, or fewer than two groups have 30 scored records.
    """
    if attribute.kind != "categorical" or sensitive.kind != "categorical":
        return None
    counts = np.bincount(sensitive.codes[utility.release.rows] + 1, minlength=sensitive.n_classes + 1)[1:]
    large = np.flatnonzero(counts >= LEAST_RECORDS)
    if len(large) < 2:
        return None
    released = _accuracies(utility.release, attribute, sensitive, large)
    raw = None if utility.raw is None else _accuracies(utility.raw, attribute, sensitive, large)
    return GroupScores(
        levels={
            sensitive.levels[code]: Score(raw=None if raw is None else float(raw[i]), release=float(released[i]))
            for i, code in enumerate(large)
        },
        average=Score(raw=None if raw is None else float(raw.mean()), release=float(released.mean())),
        worst=Score(raw=None if raw is None else float(raw.min()), release=float(released.min())),
    )


def _accuracies(
    prediction: Prediction, attribute: Attribute, sensitive: Attribute, groups: npt.NDArray[np.intp]
) -> npt.NDArray[np.float64]:
    right = prediction.guess == attribute.codes[prediction.rows]
    group = sensitive.codes[prediction.rows]
    return np.array([right[group == code].mean() for code in groups])
