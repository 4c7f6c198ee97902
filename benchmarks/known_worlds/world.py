"""What a world is: records that can be drawn at any size, and what is known about them beyond any estimate."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Reals = npt.NDArray[np.float64]
Form = Literal["column", "dense", "interaction", "word"]


@dataclass(frozen=True)
class Sample:
    """Records of a world.

    Attributes
    ----------
    release : pyarrow.Table or ndarray
        What a recipient gets; an array of shape (n, h, w) is images.
    sensitive : dict of str to ndarray
        S by name.
    utility, groups : ndarray or None
        U, and the subject of each row.
    """

    release: pa.Table | npt.NDArray[Any]
    sensitive: dict[str, npt.NDArray[Any]]
    utility: npt.NDArray[Any] | None = None
    groups: npt.NDArray[np.int64] | None = None

    @property
    def flat(self) -> pa.Table:
        """The release as a table, images pixel by pixel."""
        if isinstance(self.release, pa.Table):
            return self.release
        return columns(self.release.reshape(len(self.release), -1), "pixel")


Draw = Callable[[int, np.random.Generator], Sample]


@dataclass(frozen=True)
class World:
    """A problem with known truth.

    Attributes
    ----------
    name : str
    truth : float
        I(S; release, and U where it is handed over) of one record in nats; of all S together where there are several.
    draw : callable
        `draw(n, rng)` gives a `Sample` of n independent records (subjects, where there are groups).
    description : str
        What leaks, and the formula of the truth.
    truth_error : float
        Most by which `truth` may be off.
    entropy : float
        H(S) in nats; infinite for a continuous S.
    home : str or None
        The attacker that must find it best.
    blind : bool
        A leak that no attacker of the panel can find: only the claim may be judged, not the reading.
    form : {"column", "dense", "interaction", "word"} or None
        The planted form that the leak has; None for truth 0 and for leaks of other forms.
    each : mapping of str to float
        Truth about each single attribute where there are several.
    subject_truth : float or None
        I(S; all records of a subject).
    utility_in_release : bool
        Whether U is handed over too.
    """

    name: str
    truth: float
    draw: Draw = field(repr=False)
    description: str = field(repr=False)
    truth_error: float = 1e-6
    entropy: float = float(np.log(2.0))
    home: str | None = None
    blind: bool = False
    form: Form | None = None
    each: Mapping[str, float] = field(default_factory=dict)
    subject_truth: float | None = None
    utility_in_release: bool = True


def columns(matrix: npt.NDArray[Any], prefix: str = "z") -> pa.Table:
    """Return the columns of an array as a table.

    Examples
    --------
    >>> columns(np.zeros((2, 3))).column_names
    ['z0', 'z1', 'z2']
    """
    return pa.table({f"{prefix}{j}": np.ascontiguousarray(column) for j, column in enumerate(matrix.T)})


def coin(n: int, rng: np.random.Generator, share: float | Reals = 0.5) -> npt.NDArray[np.int64]:
    """Draw a binary attribute.

    Examples
    --------
    >>> coin(3, np.random.default_rng(0)).tolist()
    [0, 1, 1]
    """
    return (rng.random(n) < share).astype(np.int64)


def flipped(bits: npt.NDArray[np.int64], probability: float, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Flip each bit with `probability`.

    Examples
    --------
    >>> flipped(np.array([0, 1, 1]), 1.0, np.random.default_rng(0)).tolist()
    [1, 0, 0]
    """
    return np.asarray(bits ^ coin(len(bits), rng, probability))
