"""Functions of two columns along which a class changes many times: across slanting stripes, away from a centre.

In two columns a neighbour stands as far off along a stripe as across it, so that narrow stripes blur. On the line
across them all rows of a stripe are neighbours.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from withhold.audit.statistics.arrays import Codes, Reals

# Directions that are tried, beside the distance from the middle, the direction from it, and the product.
DIRECTIONS = 48
AWAY, AROUND, PRODUCT = DIRECTIONS, DIRECTIONS + 1, DIRECTIONS + 2
# Cells along a line, and those of a broad trend, which neighbours in two columns read as well.
FINE, BROAD = 64, 8
# Rows that the edges of cells are taken from.
PROBED = 2_000
# Lines kept of a pair, from so many standard deviations of chi-squared: of 300 tried by chance none reaches it.
MOST_LINES, SCORE = 2, 7.0
# Values further out than this many spreads share the outermost cell.
FAR = 4.0


@dataclass(frozen=True)
class Line:
    """One function of two columns: a direction by number, or one of the three others.

    Attributes
    ----------
    centre, spread : ndarray of shape (2,)
        Of the two columns.
    """

    centre: Reals
    spread: Reals
    function: int

    @classmethod
    def of(cls, points: Reals, function: int) -> Self:
        """Note centre and spread of `points`, shape (n, 2), missing values aside."""
        spread = np.nanstd(points, axis=0)
        return cls(np.nanmean(points, axis=0), np.where(spread > 1e-9, spread, 1.0), function)

    def along(self, points: Reals) -> Reals:
        """Return where rows stand on the line; those with a missing value stand apart, beyond its end.

        Examples
        --------
        >>> line = Line(np.zeros(2), np.ones(2), AWAY)
        >>> line.along(np.array([[0.6, 0.8], [np.nan, 1.0]])).tolist()
        [1.0, -32.0]
        """
        x, y = np.clip((points - self.centre) / self.spread, -FAR, FAR).T
        if self.function < DIRECTIONS:
            turn = np.pi * self.function / DIRECTIONS
            value = np.cos(turn) * x + np.sin(turn) * y
        elif self.function == AWAY:
            value = x**2 + y**2
        else:
            value = np.arctan2(y, x) if self.function == AROUND else x * y
        return np.where(np.isfinite(value), value, -2 * FAR**2)


def best_lines(points: Reals, s: Codes, classes: int) -> list[Line]:
    """Return the lines of two columns in whose fine cells the class differs most, beyond a broad trend.

    Parameters
    ----------
    points : ndarray of shape (n, 2)
        The two columns, NaN where missing.
    s : ndarray of int, shape (n,)

    Examples
    --------
    >>> x = np.random.default_rng(0).uniform(-1, 1, (3000, 2))
    >>> rings = ((x**2).sum(axis=1) * 6).astype(int) % 2
    >>> [line.function == AWAY for line in best_lines(x, rings, 2)][:1]
    [True]
    """
    scored = []
    plain = Line.of(points, 0)
    for function in range(PRODUCT + 1):
        line = Line(plain.centre, plain.spread, function)
        score = fine_structure(line.along(points), s, classes)
        if score > SCORE:
            scored.append((score, function))
    return [Line(plain.centre, plain.spread, function) for _, function in sorted(scored, reverse=True)[:MOST_LINES]]


def fine_structure(values: Reals, s: Codes, classes: int) -> float:
    """Return how far classes differ between fine cells, within broad ones, in standard deviations.

    Examples
    --------
    >>> x = np.random.default_rng(0).uniform(size=2000)
    >>> fine_structure(x, (x * 20).astype(int) % 2, 2) > SCORE > fine_structure(x, (x * 2).astype(int), 2)
    True
    """
    # Cells of like mass: of even breadth one would hold half of a skewed column, and a trend within it.
    edges = np.quantile(values[:: max(1, len(values) // PROBED)], np.arange(1, FINE) / FINE)
    cell = np.searchsorted(edges, values, side="right")
    table = np.bincount(cell * classes + s, minlength=FINE * classes).reshape(FINE, classes).astype(np.float64)
    broad = table.reshape(BROAD, FINE // BROAD, classes).sum(axis=1)
    gap, freedom = 0.0, 0
    for counts, sign in ((table, 1), (broad, -1)):
        rows = counts.sum(axis=1, keepdims=True)
        expected = rows * (counts.sum(axis=0) / len(s))
        gap += sign * float(((counts - expected) ** 2 / np.maximum(expected, 1e-9)).sum())
        freedom += sign * (int((rows > 0).sum()) - 1) * (classes - 1)
    return (gap - freedom) / float(np.sqrt(2.0 * max(1, freedom)))
