"""From log-ratios to numbers with intervals: each part of the release judged apart, the worse one reported."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.audit.leakage.log_ratios import LogRatios
from withhold.audit.leakage.places import member_of
from withhold.audit.statistics.arrays import Codes, Reals
from withhold.audit.statistics.classification import balanced_accuracy, one_against_rest
from withhold.audit.statistics.interval import simultaneous_intervals
from withhold.audit.view.suppression import LEAST_RECORDS, suppress
from withhold.contracts.audit_record import AttackerResult
from withhold.contracts.quantity import Kind, Quantity
from withhold.contracts.seeds import stream


@dataclass(frozen=True)
class Reading:
    """One part of the release as the panel read it.

    Attributes
    ----------
    value : float
        Mean log-ratio of the attackers chosen on inner rows, never outside [low, high].
    low, high : float
        Largest lower and largest upper end over the panel.
    attacker : str
        Chosen most often.
    mean, lows, highs : dict
        By attacker.
    n : int
        Records.
    """

    value: float
    low: float
    high: float
    attacker: str
    means: dict[str, float]
    lows: dict[str, float]
    highs: dict[str, float]
    n: int


@dataclass(frozen=True)
class Judge:
    """How log-ratios are turned into intervals.

    Attributes
    ----------
    level : float
        Joint coverage over panel and parts.
    groups : ndarray or None
        Subjects of all rows.
    parts : mapping of str to mask
        Parts of the release, such as "fit" and "audit".
    makers : ndarray or None
        Which of several sanitisers released each row, where rows of one share its luck.
    """

    level: float
    seed: int
    groups: Codes | None
    parts: Mapping[str, NDArray[np.bool_]]
    makers: Codes | None = None

    def read(self, found: LogRatios) -> dict[str, Reading]:
        """Judge each part that has scored records; the level is shared among them (Bonferroni)."""
        present = {name: mask[found.rows] for name, mask in self.parts.items() if mask[found.rows].any()}
        level = 1.0 - (1.0 - self.level) / max(1, len(present))
        return {name: self._read(found.take(mask), level, name) for name, mask in present.items()}

    def _read(self, found: LogRatios, level: float, part: str) -> Reading:
        # The chosen composite is one more attacker: its choice, but that between efforts, never saw the scored records.
        columns = np.column_stack([found.values, found.best()])
        groups = None if self.groups is None else self.groups[found.rows]
        rng = stream(self.seed, "audit", "interval", part)
        least = np.append(found.least, found.least.min())
        makers = None if self.makers is None else self.makers[found.rows]
        got = simultaneous_intervals(columns, least, found.most, level, rng, groups, makers)
        low, high = float(got.low.max()), float(got.high.max())
        counts = np.bincount(found.chosen, minlength=len(found.names))
        return Reading(
            float(np.clip(got.mean[-1], low, high)),
            low,
            high,
            found.names[int(counts.argmax())],
            dict(zip(found.names, got.mean.tolist(), strict=False)),
            dict(zip(found.names, got.low.tolist(), strict=False)),
            dict(zip(found.names, got.high.tolist(), strict=False)),
            got.n,
        )

    def quantity(
        self, value: float, low: float, high: float, n: int, kind: Kind = "lower_bound", **about: object
    ) -> Quantity:
        """Wrap a number of this judge; ends that are not finite are left out."""
        return Quantity(
            value=max(0.0, value),
            low=low if np.isfinite(low) else None,
            high=max(0.0, high) if np.isfinite(high) else None,
            kind=kind,
            level=self.level,
            n=n,
            seed=self.seed,
            **about,  # type: ignore[arg-type]
        )

    def worst(self, readings: Mapping[str, Reading], kind: Kind = "lower_bound") -> Quantity:
        """Return the worse part: the largest value, lower and upper end."""
        return self._of(max, readings, kind)

    def least(self, readings: Mapping[str, Reading]) -> Quantity:
        """Return the part in which a planted leak was hardest to find."""
        return self._of(min, readings)

    def _of(self, end: Callable[..., Any], readings: Mapping[str, Reading], kind: Kind = "lower_bound") -> Quantity:
        found = end(readings.values(), key=lambda r: r.value)
        low, high = end(r.low for r in readings.values()), end(r.high for r in readings.values())
        return self.quantity(found.value, low, high, found.n, kind, attacker=found.attacker, against=tuple(found.means))


def attacker_results(
    judge: Judge, found: LogRatios, readings: Mapping[str, Reading], inputs: Mapping[str, str]
) -> dict[str, AttackerResult]:
    """Return what each attacker reached, on the part where it reached most."""
    results = {}
    for name in found.names:
        top = max(readings.values(), key=lambda r: r.means[name])
        accuracy, area, rate = guess_scores(judge, found, name)
        results[name] = AttackerResult(
            leakage=judge.quantity(
                top.means[name],
                max(r.lows[name] for r in readings.values()),
                max(r.highs[name] for r in readings.values()),
                top.n,
                attacker=name,
            ),
            balanced_accuracy=accuracy,
            auc=area,
            tpr_at_1pct_fpr=rate,
            inputs=inputs.get(member_of(name), "raw"),
            seconds=round(found.seconds.get(name, 0.0), 3),
        )
    return results


def guess_scores(judge: Judge, found: LogRatios, name: str) -> tuple[float | None, float | None, float | None]:
    """Return balanced accuracy, AUC and true-positive rate of one attacker, each on the part where it is highest."""
    if found.truth is None or name not in found.classes:
        return None, None, None
    accuracies, areas, rates = [], [], []
    for mask in judge.parts.values():
        here = mask[found.rows]
        if here.sum() < 2:
            continue
        table, truth = found.classes[name][here].astype(np.float64), found.truth[here]
        accuracies.append(balanced_accuracy(table, truth))
        area, rate = one_against_rest(table, truth)
        if area is not None and rate is not None:
            areas.append(area)
            rates.append(rate)
    return max(accuracies, default=None), max(areas, default=None), max(rates, default=None)


def leakage_by_class(judge: Judge, found: LogRatios, levels: tuple[str, ...]) -> dict[str, Quantity]:
    """Return the mean log-ratio of the records of each class: who is exposed most. Pointwise intervals."""
    if found.truth is None:
        return {}
    results = {}
    # Numbers of records from which the size of a class that is left out would follow are left out too.
    shown = suppress([int((found.truth == code).sum()) for code in range(len(levels))])
    for code, level in enumerate(levels):
        here = found.truth == code
        if here.sum() < LEAST_RECORDS:
            continue
        best: Reals = found.best()[here]
        half = 1.96 * float(best.std(ddof=1)) / len(best) ** 0.5
        mean = float(best.mean())
        results[level] = Quantity(
            value=mean,
            low=mean - half,
            high=mean + half,
            kind="estimate",
            level=0.95,
            n=shown[code],
            seed=judge.seed,
        )
    return results
