"""Boosting on phases: finds a class that comes back along a number, a thousand times from its least to its largest.

Trees need a cut for each turn and neighbours a turn of many rows; a spectrum sees all turns at once. The frequencies
at which a class most departs from its share are found on the training rows, and the phase of each row is read. So is
what a column that swings along another says by its phase (`waves`).
"""

from functools import partial
from typing import ClassVar, Self

import numpy as np

from withhold.audit.attackers.attacker import Attacker, InputKind
from withhold.audit.attackers.boosting import Boosting
from withhold.audit.attackers.remembered import mark, recall
from withhold.audit.attackers.waves import best_waves
from withhold.audit.statistics.arrays import Codes, Matrix, Reals

# Cells that a column is cut into before its spectrum is taken (half as many turns are seen); values that it needs.
CELLS, LEAST_VALUES = 16_384, 60
# The lowest frequencies are trends, which everybody reads; phases that are kept in all, from a power that one of all
# frequencies of all columns passes by chance about once in twenty (exponential, mean 1).
LOWEST, MOST_PHASES, CHANCE = 8, 12, 0.05
WIDEST = 400
# The lowest of the peaks that reach this part of the highest is kept too: between two whole turns a peak is halved.
NEARLY = 0.3
# Looks between two whole numbers of turns, from a power that is no chance in a single column.
STEPS, LEAST_POWER = 11, 12.0


class Periods(Attacker):
    """Gradient boosting on the phases of the numbers whose class comes back at even distances."""

    name: ClassVar[str] = "periods"
    inputs: ClassVar[InputKind] = "ordinal"

    def fit(self, X: Matrix, s: Codes, rng: np.random.Generator) -> Self:
        """Take the spectra of the class residuals, then fit on the phases at their peaks, if there are any."""
        classes = int(s.max()) + 1
        self._prior = np.bincount(s, minlength=classes) / len(s)
        residuals = (np.eye(classes)[s] - self._prior) / np.sqrt(np.maximum(self._prior * (1 - self._prior), 1e-12))
        residuals = residuals[:, 1:] if classes == 2 else residuals  # the two are opposite
        peaks: list[tuple[float, int, float, float]] = []
        about = b"spectrum" + mark(residuals)
        for column in range(min(X.shape[1], WIDEST)):
            values = np.ascontiguousarray(X[:, column])
            found = recall(about + mark(values), partial(spectrum_peaks, values, residuals))
            peaks += [(power, column, low, turns) for power, low, turns in found]
        least = np.log(max(1, len(peaks)) / 3 * classes * CELLS / 2 / CHANCE)
        self._kept = [peak[1:] for peak in sorted(peaks, reverse=True)[:MOST_PHASES] if peak[0] > least]
        self._waves = best_waves(X, residuals)
        if self._kept or self._waves:
            self._boosting = Boosting(self.effort).fit(self._phases(X), s, rng)
        return self

    def log_proba(self, X: Matrix) -> Reals:
        """Return log-probabilities of the classes; the prior where nothing comes back."""
        if not self._kept and not self._waves:
            return np.tile(np.log(self._prior), (len(X), 1))
        return self._boosting.log_proba(self._phases(X))

    def _phases(self, X: Matrix) -> Matrix:
        columns = []
        for column, low, turns in self._kept:
            phase = (X[:, column].astype(np.float64) - low) * turns % 1.0
            columns += [phase, (phase + 0.5) % 1.0]
        columns += [column for wave in self._waves for column in wave.columns(X)]
        return np.column_stack(columns).astype(np.float32)


def spectrum_peaks(column: Matrix, residuals: Reals) -> list[tuple[float, float, float]]:
    """Return the three highest peaks of a column: power, its least value, and turns for each unit.

    Parameters
    ----------
    column : ndarray of shape (n,)
    residuals : ndarray of shape (n, k)
        Class indicators, centred and scaled to unit variance.

    Examples
    --------
    >>> x = np.random.default_rng(0).uniform(0, 100, 4000).astype(np.float32)
    >>> wave = np.where(np.sin(2 * np.pi * x) > 0, 1.0, -1.0)
    >>> round(spectrum_peaks(x, wave[:, None])[0][2], 2)
    1.0
    """
    known = np.isfinite(column)
    values = column[known].astype(np.float64)
    # Most columns of many values show as many among their first rows; only of the others all are looked at.
    few = len(np.unique(values[: 10 * LEAST_VALUES])) < LEAST_VALUES
    if len(values) < LEAST_VALUES or (few and len(np.unique(values)) < LEAST_VALUES):
        return []
    low, high = float(values.min()), float(values.max())
    place = np.minimum(((values - low) / (high - low) * CELLS).astype(np.int64), CELLS - 1)
    power = np.zeros(CELLS // 2 + 1)
    for residual in residuals[known].T:
        summed = np.bincount(place, weights=residual, minlength=CELLS)
        power = np.maximum(power, np.abs(np.fft.rfft(summed)) ** 2 / len(values))
    power[:LOWEST] = 0.0
    best = np.argsort(-power, kind="stable")[:3]
    # A class that comes back sharply is as strong at multiples of its frequency, which tell less.
    best[-1] = np.flatnonzero(power >= NEARLY * power.max())[0]
    unit = (values - low) / (high - low)
    found = []
    for turn in best:
        turns = float(turn) if power[turn] < LEAST_POWER else _between(unit, residuals[known], int(turn))
        found.append((float(power[turn]), low, turns / (high - low)))
    return found


def _between(unit: Reals, residuals: Reals, turns: int) -> float:
    """Return the number of turns, between whole ones, at which a class departs most."""
    best = (-1.0, float(turns))
    for tried in turns + np.linspace(-0.5, 0.5, STEPS):
        wave = np.exp(2j * np.pi * tried * unit)
        best = max(best, (float(np.abs(residuals.T @ wave).max()), float(tried)))
    return best[1]
