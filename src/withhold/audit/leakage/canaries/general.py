"""The three forms that can stand in every release: a column, a direction across columns, an interaction of two.

All hide the same code g + a c(S), whose information about S is k by quadrature:

column       a new column that holds the code;
dense        the code replaces the coordinate of the whitened release along a random direction, so that it is spread
             over all columns; the other directions stay, and the information is exactly k whatever their distribution;
interaction  a new column holds the code times the sign of an existing column. Given that column it is exactly k; the
             new column alone tells nothing where the signs are balanced, and the most balanced column is taken.
"""

from dataclasses import replace
from typing import ClassVar

import numpy as np

from withhold.audit.leakage.canaries.codes import shift_for
from withhold.audit.leakage.canaries.form import Form, PlantedInputs, Scene, noisy_code
from withhold.audit.statistics.arrays import Matrix
from withhold.contracts.audit_record import PlantForm


class OwnColumn(Form):
    """The code in a column of its own."""

    name: ClassVar[PlantForm] = "column"
    said: ClassVar[str] = "a column of its own"
    # A column of .01 nat beside 64 others, 20,000 rows: these two read .006 to .009, with boosting for pairs .004 to
    # .007.
    readers: ClassVar[tuple[str, ...]] = ("logistic", "pairs")
    general: ClassVar[bool] = True

    def plant(self, scene: Scene, size: float, rng: np.random.Generator) -> PlantedInputs:
        """Add the column."""
        return with_column(scene.inputs, noisy_code(scene, shift_for(size, scene.atoms, scene.shares), rng))


class Direction(Form):
    """The code along a random direction of the whitened release."""

    name: ClassVar[PlantForm] = "dense"
    said: ClassVar[str] = "a direction across columns"
    readers: ClassVar[tuple[str, ...]] = ("logistic", "qda")
    general: ClassVar[bool] = True

    def plant(self, scene: Scene, size: float, rng: np.random.Generator) -> PlantedInputs:
        """Put the code in the place of what lies along the direction."""
        noisy = noisy_code(scene, shift_for(size, scene.atoms, scene.shares), rng)
        whitened = scene.inputs.whitened
        whitened = whitened if whitened.shape[1] else np.zeros((len(noisy), 1), np.float32)
        drawn = rng.standard_normal((whitened.shape[1],))
        direction = (drawn / np.sqrt((drawn**2).sum())).astype(np.float32)
        spread = whitened + np.outer(noisy - whitened @ direction, direction)
        return replace(scene.inputs, dense=spread, whitened=spread, ordinal=spread)


class Interaction(Form):
    """The code in a new column, times the sign of an existing one."""

    name: ClassVar[PlantForm] = "interaction"
    said: ClassVar[str] = "an interaction with a column"
    readers: ClassVar[tuple[str, ...]] = ("pairs",)
    general: ClassVar[bool] = True

    def plant(self, scene: Scene, size: float, rng: np.random.Generator) -> PlantedInputs:
        """Add the column."""
        noisy = noisy_code(scene, shift_for(size, scene.atoms, scene.shares), rng)
        return with_column(scene.inputs, noisy * balanced_sign(scene.inputs.dense))


def balanced_sign(dense: Matrix) -> Matrix:
    """Return the sign of the column that divides the rows most evenly at its median.

    Examples
    --------
    >>> balanced_sign(np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 2.0], [1.0, 3.0]], np.float32)).tolist()
    [-1.0, -1.0, 1.0, 1.0]
    """
    if dense.shape[1] == 0:
        return np.ones(len(dense), np.float32)
    shares = np.array([np.mean(column > np.median(column)) for column in dense.T])
    column = dense[:, int(np.abs(shares - 0.5).argmin())]
    return np.where(column > np.median(column), 1.0, -1.0).astype(np.float32)


def with_column(inputs: PlantedInputs, column: Matrix) -> PlantedInputs:
    """Return the release with one more column, in the three matrices of columns."""
    return replace(
        inputs,
        dense=np.column_stack([inputs.dense, column]),
        whitened=np.column_stack([inputs.whitened, column]),
        ordinal=np.column_stack([inputs.ordinal, column]),
    )
