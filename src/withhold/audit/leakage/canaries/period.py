"""A period of a time: within each turn records of one class come earlier, as shifts and visiting hours leave them.

A new column holds the number of a turn, drawn at random, and within it the place of the code g + a c(S): the turn tells
nothing, the place exactly k nats.
"""

from typing import ClassVar

import numpy as np
from scipy.stats import norm

from withhold.audit.attackers.periods import CELLS
from withhold.audit.leakage.canaries.codes import shift_for
from withhold.audit.leakage.canaries.form import Form, PlantedInputs, Scene, noisy_code
from withhold.audit.leakage.canaries.general import with_column
from withhold.contracts.audit_record import PlantForm

# Days of a year, whose hours tell.
TURNS = 365


class Period(Form):
    """A time that tells by where it stands within its turn."""

    name: ClassVar[PlantForm] = "period"
    said: ClassVar[str] = "the period of a time"
    readers: ClassVar[tuple[str, ...]] = ("periods",)
    alternatives: ClassVar[int] = CELLS // 2  # frequencies of a spectrum

    def present(self, scene: Scene) -> bool:
        """Whether there are dates or times."""
        return scene.dated

    def plant(self, scene: Scene, size: float, rng: np.random.Generator) -> PlantedInputs:
        """Add the time."""
        noisy = noisy_code(scene, shift_for(size, scene.atoms, scene.shares), rng)
        place = np.asarray(norm.cdf((noisy - noisy.mean()) / noisy.std()))
        turns = rng.integers(0, TURNS, len(noisy)) + place
        return with_column(scene.inputs, np.asarray((turns - TURNS / 2) / (TURNS / 12**0.5), dtype=np.float32))
