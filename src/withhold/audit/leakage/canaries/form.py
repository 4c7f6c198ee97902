"""A form of test leak: in which releases it can be planted, what it changes there, and who is asked to find it."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_matrix

from withhold.audit.attackers.attacker import Inputs
from withhold.audit.statistics.arrays import Codes, Matrix, Reals
from withhold.audit.view.copies import SAME
from withhold.audit.view.links import Rows
from withhold.audit.view.pixels import Pictures
from withhold.contracts.audit_record import PlantForm

# A leak of k nats is seen at 95 % by the best reader, who knows the code, once m k exceeds this: its mean log-ratio k
# has a variance of about 2 k per record, and 1.96 standard errors sqrt(2 k / m) must not reach zero.
LEAST_EVIDENCE = 2 * 1.96**2


@dataclass(frozen=True)
class PlantedInputs:
    """The matrices of a release with a test leak in it."""

    dense: Matrix
    whitened: Matrix
    ordinal: Matrix
    images: Pictures | None = None
    words: csr_matrix | None = None
    links: Rows | None = None
    relations: Matrix | None = None
    distances: Reals | None = None


@dataclass(frozen=True)
class Scene:
    """A release, and a permuted S that it tells nothing about.

    Attributes
    ----------
    inputs : PlantedInputs
        The release.
    codes : ndarray of shape (n,)
        c of each record; anything finite where S is unknown.
    atoms, shares : ndarray of shape (k,)
        c and probability of each class.
    categorical : bool
        Whether S has classes; of a number the classes are cells of its ranks.
    scored : int
        Records that are scored.
    groups : ndarray of shape (n,) or None
        Subjects.
    subjects : int
        Subjects that are scored, where S is the same in all records of each; else 0.
    dated : bool
        Whether a column holds dates or times.
    by_subject : ndarray of shape (n, p), optional
        What is summarised over the records of a subject; `inputs.dense` where it is not given.
    """

    inputs: PlantedInputs
    codes: Reals
    atoms: Reals
    shares: Reals
    categorical: bool = True
    scored: int = 0
    groups: Codes | None = None
    subjects: int = 0
    dated: bool = False
    by_subject: Matrix | None = None

    @property
    def natural_twins(self) -> float:
        """Share of the records that are the same as another."""
        distances = self.inputs.distances
        return 0.0 if distances is None else float((distances[:, 0] <= SAME).mean())


class Form(ABC):
    """One way of hiding a code of S in a release.

    Attributes
    ----------
    name : str
        As in the record.
    said : str
        As a reader would say it.
    readers : tuple of str
        The attackers it is home to. The others could only find more: without them what the panel finds is under-stated.
    general : bool
        Whether it can stand in every release; the others only where there is what they change.
    by_subject : bool
        Whether subjects are attacked, not records.
    alternatives : int
        Places where the leak could stand as well (words, frequencies): the best reader, who does not know its place,
        needs evidence for one of so many.
    """

    name: ClassVar[PlantForm]
    said: ClassVar[str]
    readers: ClassVar[tuple[str, ...]]
    general: ClassVar[bool] = False
    by_subject: ClassVar[bool] = False
    alternatives: ClassVar[int] = 1

    def present(self, scene: Scene) -> bool:
        """Whether the release has what this form changes."""
        return True

    def most(self, scene: Scene) -> float:
        """Return the most nats that this form can show in the release."""
        return np.inf

    @abstractmethod
    def plant(self, scene: Scene, size: float, rng: np.random.Generator) -> PlantedInputs:
        """Return the release with a leak of `size` nats in it."""

    def untested(self, scene: Scene, size: float) -> str:
        """Say why a leak of `size` nats in this form would not be found by the best reader either; "" if it would."""
        if self.general:
            return ""
        if size > self.most(scene):
            return "the release has too little room for it"
        units = scene.subjects if self.by_subject else scene.scored
        enough = units * size >= LEAST_EVIDENCE + np.log(self.alternatives)
        return "" if enough else f"too few {'subjects' if self.by_subject else 'rows'}"


def noisy_code(scene: Scene, shift: float, rng: np.random.Generator) -> Matrix:
    """Return g + shift c(S) of each record."""
    return np.asarray(rng.standard_normal(len(scene.codes)) + shift * scene.codes, dtype=np.float32)


def released(inputs: Inputs) -> PlantedInputs:
    """Return the matrices of a view."""
    return PlantedInputs(
        inputs.dense,
        inputs.whitened,
        inputs.ordinal,
        inputs.images,
        inputs.words,
        inputs.links,
        inputs.relations,
        inputs.distances,
    )
