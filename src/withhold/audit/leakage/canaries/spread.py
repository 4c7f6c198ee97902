"""How the records of a subject spread: those of one class vary more from visit to visit, whatever a visit alone tells.

A new column holds, within each subject of several records, values of mean zero whose spread is exp of a quarter of
the code g + a c(S) of the subject: from the spread exactly k nats per subject that has several records, and a is
larger where some have one, so that all subjects hold k on average.
"""

from dataclasses import replace
from typing import ClassVar

import numpy as np

from withhold.audit.leakage.canaries.codes import MOST_OF_ENTROPY, shift_for
from withhold.audit.leakage.canaries.form import Form, PlantedInputs, Scene
from withhold.audit.statistics.arrays import Codes, Reals
from withhold.contracts.audit_record import PlantForm
from withhold.data.shares import plug_in_entropy


class Spread(Form):
    """The spread of a column within each subject."""

    name: ClassVar[PlantForm] = "spread"
    said: ClassVar[str] = "the spread of a subject's records"
    # Of hundreds of summaries of few subjects trees find the one that tells where regressions are lost among the rest.
    readers: ClassVar[tuple[str, ...]] = ("logistic", "pairs", "boosting")
    by_subject: ClassVar[bool] = True

    def present(self, scene: Scene) -> bool:
        """Whether S belongs to subjects, some of which have several records."""
        return scene.categorical and scene.groups is not None and scene.subjects > 0 and several(scene.groups) > 0

    def most(self, scene: Scene) -> float:
        """Return what the spread can tell of a subject, on average over all."""
        share = 0.0 if scene.groups is None else several(scene.groups)
        return share * MOST_OF_ENTROPY * plug_in_entropy(scene.shares)

    def plant(self, scene: Scene, size: float, rng: np.random.Generator) -> PlantedInputs:
        """Add the column, the first of all: not every column of a wide release is summarised."""
        groups = np.zeros(len(scene.codes), np.int64) if scene.groups is None else scene.groups
        shift = shift_for(size / several(groups), scene.atoms, scene.shares)
        subjects, of = np.unique(groups, return_inverse=True)
        noisy = rng.standard_normal(len(subjects))[of] + shift * scene.codes
        column = standard_within(rng.standard_normal(len(of)), of) * np.exp(noisy / 4)
        summarised = scene.inputs.dense if scene.by_subject is None else scene.by_subject
        dense = np.column_stack([column.astype(np.float32), summarised])
        return replace(scene.inputs, dense=dense, whitened=dense, ordinal=dense)


def several(groups: Codes) -> float:
    """Return the share of subjects that have several records.

    Examples
    --------
    >>> several(np.array([1, 1, 2, 3]))
    0.3333333333333333
    """
    return float((np.unique(groups, return_counts=True)[1] > 1).mean())


def standard_within(values: Reals, of: Codes) -> Reals:
    """Return values of mean 0 and spread 1 within each subject; a single record stays as it is.

    Examples
    --------
    >>> standard_within(np.array([1.0, 3.0, 5.0]), np.array([0, 0, 1])).tolist()
    [-1.0, 1.0, 5.0]
    """
    counts = np.bincount(of)
    centred = values - (np.bincount(of, weights=values) / counts)[of]
    spread = np.sqrt(np.bincount(of, weights=centred**2) / counts)[of]
    return np.where(counts[of] > 1, centred / np.maximum(spread, 1e-12), values)
