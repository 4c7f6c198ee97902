"""Scenes for tests: a table, two classes that know nothing of it unless told so, folds in turn."""

import numpy as np

from withhold.audit.fidelity.fidelity import measure_fidelity
from withhold.audit.findings.scene import Scene
from withhold.data.attributes import read_attributes


def scene(release, s=None, **known):
    """Return the scene of a release; without `s`, classes drawn at random; with an original, its fidelity."""
    n = release.num_rows
    if known.get("original") is not None:
        known = {"fidelity": measure_fidelity(known["original"], release), **known}
    drawn = np.random.default_rng(11).integers(0, 2, n) if s is None else s
    return Scene.of(release, list(read_attributes(drawn, role="sex")), np.arange(n) // 2 % 5, **known)
