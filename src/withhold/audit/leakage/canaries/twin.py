"""Copies of rows: records of one class come twice more often, as oversampling and double entry leave them.

Records that are drawn to have a twin are paired at random, and the second of each pair is given all values of the
first. Whoever sees that a record has a twin learns the flag, exactly k nats where no record has one by nature; where
some have, the flag is made stronger, so that what shows holds k.
"""

from dataclasses import replace
from typing import ClassVar

import numpy as np
from scipy.special import expit

from withhold.audit.leakage.canaries.codes import flag_slope, most_of_flag
from withhold.audit.leakage.canaries.form import Form, PlantedInputs, Scene
from withhold.audit.view.copies import columns_of
from withhold.contracts.audit_record import PlantForm

# Natural twins whose partner stays: of two records in four that have the flag one is overwritten.
KEPT = 0.75


class Twin(Form):
    """A copy of another record of the same flag."""

    name: ClassVar[PlantForm] = "twin"
    said: ClassVar[str] = "copies of rows"
    readers: ClassVar[tuple[str, ...]] = ("relations",)

    def present(self, scene: Scene) -> bool:
        """Whether records were compared."""
        return scene.inputs.distances is not None and scene.categorical

    def most(self, scene: Scene) -> float:
        """Return what a twin can tell beside those that records have by nature."""
        return most_of_flag(scene.atoms, scene.shares, KEPT * scene.natural_twins)

    def plant(self, scene: Scene, size: float, rng: np.random.Generator) -> PlantedInputs:
        """Pair the records of the flag and copy the first of each pair over the second."""
        slope = flag_slope(size, scene.atoms, scene.shares, KEPT * scene.natural_twins)
        drawn = np.flatnonzero(rng.random(len(scene.codes)) < expit(slope * scene.codes))
        drawn = rng.permutation(drawn)[: len(drawn) // 2 * 2]
        source = np.arange(len(scene.codes))
        source[drawn[1::2]] = drawn[::2]
        inputs = scene.inputs
        if inputs.distances is None:
            raise ValueError("there are no distances between rows")
        # As calculated of the release, which copies hardly change but for the distance of a twin.
        near = inputs.distances[source]
        near[drawn] = np.column_stack([np.zeros(len(drawn)), near[drawn, :-1]])
        copies = [column for _, column in columns_of(near)]
        return replace(
            inputs,
            distances=near,
            dense=inputs.dense[source],
            whitened=inputs.whitened[source],
            ordinal=inputs.ordinal[source],
            words=None if inputs.words is None else inputs.words[source],
            # What was calculated of the release as it is stays beside it: the reader has that to get past, too.
            relations=np.column_stack([*(() if inputs.relations is None else (inputs.relations[source],)), *copies]),
        )
