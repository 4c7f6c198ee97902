"""Two columns of which one rises and falls along the other, and the other way round in another class: a tide, a season.

Neither tells alone: the class comes back along no number, and the column that swings is as high as low in each class.
Their product does: the spectrum of class times the one column is taken along the other.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from withhold.audit.attackers.remembered import mark, recall
from withhold.audit.statistics.arrays import Codes, Matrix, Reals
from withhold.audit.view.local import spread_out

# Cells along the first column (half as many turns are seen), columns looked along, columns that swing, and rows.
CELLS, MOST_ALONG, MOST_SWINGING, MOST_ROWS = 8_192, 8, 48, 8_000
# The lowest frequencies are trends; waves kept, from a power that chance reaches in one table of twenty.
LOWEST, MOST_WAVES, CHANCE = 8, 3, 0.05
# Rows that show whether a column holds ranks.
PROBED = 600
# Looks between two whole numbers of turns; what lies further out than so many spreads is clipped.
STEPS, FAR = 11, 4.0


@dataclass(frozen=True)
class Wave:
    """A column that swings along another.

    Attributes
    ----------
    along, swinging : int
        The two columns.
    low, turns, turned : float
        Where the first begins, turns for each unit of it, and the part of a turn at which the product is highest.
    centre, spread : float
        Of the second.
    """

    along: int
    swinging: int
    low: float
    turns: float
    turned: float
    centre: float
    spread: float

    def columns(self, X: Matrix) -> list[Reals]:
        """Return what the two say together: the second times the wave, by itself, and the phase."""
        phase = ((X[:, self.along].astype(np.float64) - self.low) * self.turns - self.turned) % 1.0
        swing = standard(X[:, self.swinging], self.centre, self.spread)
        return [np.nan_to_num(np.cos(2 * np.pi * phase)) * swing, swing, phase]


def standard(column: Matrix, centre: float, spread: float) -> Reals:
    """Return a column at unit spread, 0 where it is missing."""
    values = (column.astype(np.float64) - centre) / spread
    return np.clip(np.nan_to_num(values, posinf=FAR, neginf=-FAR), -FAR, FAR)


def best_waves(X: Matrix, residuals: Reals) -> list[Wave]:
    """Return the waves in which a class goes with the swing of a column along another, beyond chance.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    residuals : ndarray of shape (n, k)
        Class indicators, centred and scaled to unit variance.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> hour, side = rng.uniform(0, 8000, 3000), rng.choice([-1.0, 1.0], 3000)
    >>> level = side * np.sin(2 * np.pi * hour / 12.42) + 0.5 * rng.normal(size=3000)
    >>> (found,) = best_waves(np.column_stack([level, hour]).astype(np.float32), side[:, None])
    >>> found.along, found.swinging, round(1 / found.turns, 2)
    (1, 0, 12.42)
    """
    X, residuals = X[:MOST_ROWS], residuals[:MOST_ROWS]
    along = [column for column, values in enumerate(X.T) if spread_out(values) and not _ranks(values)][:MOST_ALONG]
    if not along:
        return []
    swings: list[tuple[int, float, float]] = []
    for column in range(X.shape[1]):
        known = X[np.isfinite(X[:, column]), column].astype(np.float64)
        if len(swings) < MOST_SWINGING and len(known) > 1 and known.std() > 1e-9:
            swings.append((column, float(known.mean()), float(known.std())))
    found: list[tuple[float, Wave]] = []
    least = np.log(max(1, len(along) * len(swings)) * residuals.shape[1] * CELLS / 2 / CHANCE)
    about, names = b"wave" + mark(residuals), [mark(column) for column in X.T]
    for place in along:
        known = np.isfinite(X[:, place])
        values = X[known, place].astype(np.float64)
        low, high = float(values.min()), float(values.max())
        unit = (values - low) / (high - low)
        cell = np.minimum((unit * CELLS).astype(np.int64), CELLS - 1)
        for swinging, centre, spread in swings:
            if swinging == place:
                continue
            look = partial(_strongest, cell, X[known, swinging], centre, spread, residuals[known])
            power, turn, which = recall(about + names[place] + names[swinging], look)
            if power > least:
                product = _product(X[known, swinging], centre, spread, residuals[known, which])
                turns, turned = _between(unit, product, turn)
                found.append((power, Wave(place, swinging, low, turns / (high - low), turned, centre, spread)))
    return [wave for _, wave in sorted(found, key=lambda one: -one[0])[:MOST_WAVES]]


def _ranks(column: Matrix) -> bool:
    """Whether a column holds places in an order: whole numbers, each once. They are spread out whatever they order."""
    some = column[:PROBED]
    return len(np.unique(some)) > 0.9 * len(some) and bool((some == np.floor(some)).all())


def _strongest(cell: Codes, swing: Matrix, centre: float, spread: float, residuals: Reals) -> tuple[float, int, int]:
    """Return the highest power of a column times a class along another, its turns, and the class."""
    products = [_product(swing, centre, spread, residual) for residual in residuals.T]
    return max(((*_peak(cell, one), k) for k, one in enumerate(products)), key=lambda peak: peak[0])


def _product(swing: Matrix, centre: float, spread: float, residual: Reals) -> Reals:
    """Return a product at unit spread without its mean: what a column tells by itself is no wave."""
    product = standard(swing, centre, spread) * residual
    centred = product - product.mean()
    return np.asarray(centred / (centred.std() or 1.0))


def _peak(cell: Codes, product: Reals) -> tuple[float, int]:
    """Return the highest power of a product along a column, and the turns from its least to its largest."""
    power = np.abs(np.fft.rfft(np.bincount(cell, weights=product, minlength=CELLS))) ** 2 / len(product)
    power[:LOWEST] = 0.0
    turn = int(power.argmax())
    return float(power[turn]), turn


def _between(unit: Reals, product: Reals, turn: int) -> tuple[float, float]:
    """Return the turns, between whole ones, at which the power is highest, and the phase there."""
    tried = turn + np.linspace(-0.5, 0.5, STEPS)
    sums = np.exp(-2j * np.pi * tried[:, None] * unit) @ product
    best = int(np.abs(sums).argmax())
    return float(tried[best]), float(-np.angle(sums[best]) / (2 * np.pi))
