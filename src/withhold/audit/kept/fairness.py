"""Group differences of a downstream prediction of U, as fairlearn defines them, and how well each group is served."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from fairlearn.metrics import (
    demographic_parity_difference,
    equal_opportunity_difference,
    equalized_odds_difference,
)

from withhold.audit.kept.utility import Prediction, Utility
from withhold.contracts.audit_record import FairnessResult, GroupScores, Score
from withhold.data.attribute import Attribute

# Rates of a group with fewer records are noise and would decide a difference of extremes.
LEAST_RECORDS = 30


def measure_fairness(
    utility: Utility, attribute: Attribute, sensitive: Attribute, positive: int | None = None
) -> FairnessResult | None:
    """Compare groups by what is predicted for them.

    Parameters
    ----------
    utility : Utility
        Out-of-fold predictions from release and original.
    attribute : Attribute
        The utility attribute that was predicted; binary.
    sensitive : Attribute
        The groups; categorical.
    positive : int or None
        Code of the favourable class; None: the rarer one, which loans, jobs and high incomes are.

    Returns
    -------
    FairnessResult or None
        None when U is not binary, S is not categorical, or fewer than two groups have 30 records.
    """
    if attribute.kind != "categorical" or sensitive.kind != "categorical" or attribute.n_classes != 2:
        return None
    if positive is None:
        positive = int(np.argmin(np.bincount(attribute.codes[attribute.known], minlength=2)))
    truth = (attribute.codes == positive).astype(np.int64)
    large = np.bincount(sensitive.codes[utility.release.rows][sensitive.known[utility.release.rows]], minlength=1)
    kept = np.isin(sensitive.codes, np.flatnonzero(large >= LEAST_RECORDS)) & sensitive.known
    if (large >= LEAST_RECORDS).sum() < 2:
        return None

    def score(difference: Callable[..., float], needs: Sequence[int]) -> Score | None:
        values = [
            None
            if prediction is None
            else _difference(difference, prediction, truth, sensitive.codes, kept, positive, needs)
            for prediction in (utility.raw, utility.release)
        ]
        return None if values[1] is None else Score(raw=values[0], release=values[1])

    parity = score(demographic_parity_difference, ())
    if parity is None:
        return None
    return FairnessResult(
        demographic_parity_difference=parity,
        equal_opportunity_difference=score(equal_opportunity_difference, (1,)),
        equalized_odds_difference=score(equalized_odds_difference, (0, 1)),
    )


def _difference(
    difference: Callable[..., float],
    prediction: Prediction,
    truth: npt.NDArray[np.int64],
    groups: npt.NDArray[np.int64],
    kept: npt.NDArray[np.bool_],
    positive: int,
    needs: Sequence[int],
) -> float | None:
    """Return one difference; None where a group lacks records of a class that its rate is about."""
    mask = kept[prediction.rows]
    rows, guess = prediction.rows[mask], (prediction.guess[mask] == positive).astype(np.int64)
    for group in np.unique(groups[rows]):
        if any((truth[rows[groups[rows] == group]] == label).sum() == 0 for label in needs):
            return None
    return float(difference(truth[rows], guess, sensitive_features=groups[rows]))


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
