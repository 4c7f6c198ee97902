"""A pixel statistic: the brightest pixels of more images of one class are cut to one value, as a scanner's gain does.

Nothing of it stands at a fixed place. Whoever counts the pixels of the largest value learns the flag, exactly k nats
where no image is saturated by nature; where some are, the flag is made stronger, so that what shows holds k.
"""

from dataclasses import replace
from typing import ClassVar

import numpy as np
from scipy.special import expit

from withhold.audit.leakage.canaries.codes import flag_slope, most_of_flag
from withhold.audit.leakage.canaries.form import Form, PlantedInputs, Scene
from withhold.audit.view.image_values import statistics_of
from withhold.audit.view.pixels import Pictures
from withhold.contracts.audit_record import PlantForm

# Of the pixels, those that are cut, and those of one value from which an image counts as saturated by nature.
CUT, NATURAL = 0.02, 0.01


class Saturation(Form):
    """The share of the pixels that have the largest value."""

    name: ClassVar[PlantForm] = "pixels"
    said: ClassVar[str] = "a statistic of pixels"
    readers: ClassVar[tuple[str, ...]] = ("relations",)

    def present(self, scene: Scene) -> bool:
        """Whether there are images."""
        return scene.inputs.images is not None and scene.categorical

    def most(self, scene: Scene) -> float:
        """Return what saturation can tell beside that of the images as they are."""
        return most_of_flag(scene.atoms, scene.shares, _natural(scene.inputs.images))

    def plant(self, scene: Scene, size: float, rng: np.random.Generator) -> PlantedInputs:
        """Cut the images of the flag."""
        images = np.array(scene.inputs.images)
        slope = flag_slope(size, scene.atoms, scene.shares, _natural(images))
        drawn = np.flatnonzero(rng.random(len(scene.codes)) < expit(slope * scene.codes))
        flat = images.reshape(len(images), -1)
        flat[drawn] = np.minimum(flat[drawn], np.quantile(flat[drawn], 1 - CUT, axis=1, method="lower")[:, None])
        columns = [column for _, column in statistics_of(images)]
        return replace(scene.inputs, images=images, relations=np.column_stack(columns))


def _natural(images: Pictures | None) -> float:
    """Return the share of images of which enough pixels have the largest value."""
    if images is None:
        return 1.0
    flat = np.asarray(images).reshape(len(images), -1)
    return float(((flat == flat.max(axis=1, keepdims=True)).mean(axis=1) >= NATURAL).mean())
