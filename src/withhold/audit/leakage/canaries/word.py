"""A word, or an element of a list, that no record holds: it is written into records more often in one class."""

from dataclasses import replace
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_matrix, hstack
from scipy.special import expit

from withhold.audit.leakage.canaries.codes import flag_slope, most_of_flag
from withhold.audit.leakage.canaries.form import Form, PlantedInputs, Scene
from withhold.contracts.audit_record import PlantForm


class Word(Form):
    """A token of its own, beside those of the texts and lists."""

    name: ClassVar[PlantForm] = "word"
    said: ClassVar[str] = "a word or an element of a list"
    readers: ClassVar[tuple[str, ...]] = ("words",)
    alternatives: ClassVar[int] = 3_000  # tokens that the attacker of words keeps at most

    def present(self, scene: Scene) -> bool:
        """Whether there are texts or lists."""
        return scene.inputs.words is not None and scene.categorical

    def most(self, scene: Scene) -> float:
        """Return what a word can hold."""
        return most_of_flag(scene.atoms, scene.shares)

    def plant(self, scene: Scene, size: float, rng: np.random.Generator) -> PlantedInputs:
        """Write it with probability 1/(1 + exp(-a c(S)))."""
        slope = flag_slope(size, scene.atoms, scene.shares)
        there = rng.random(len(scene.codes)) < expit(slope * scene.codes)
        words = csr_matrix(hstack([scene.inputs.words, np.log(2.0) * there[:, None]]), dtype=np.float32)
        return replace(scene.inputs, words=words)
