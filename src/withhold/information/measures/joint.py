"""Joints of discrete variables: a plain array of probabilities, one axis a variable, by position or by name."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from withhold.contracts.errors import InvalidParameterError, NumericalError

Reals = NDArray[np.float64]
Axis = int | str
Axes = Axis | Sequence[Axis]

# A total further than this from one is a mistake, not rounding: float32 joints of a million cells stay within it.
TOLERANCE = 1e-5


def check_joint(p: ArrayLike, subject: str = "The joint 'p'") -> Reals:
    """Return `p` as float64 with total exactly one; refuse what is not a distribution.

    Examples
    --------
    >>> check_joint([[1, 0], [0, 0]]).sum()
    np.float64(1.0)
    >>> check_joint([0.5, 0.6])
    Traceback (most recent call last):
    withhold.contracts.errors.InvalidParameterError: The joint 'p' must be probabilities that sum to 1 (got a total...
    """
    array = check_masses(p, subject)
    total = float(array.sum())
    if array.ndim == 0 or not abs(total - 1.0) <= TOLERANCE:
        raise InvalidParameterError(
            f"{subject} must be probabilities that sum to 1 (got a total of {total:g}). Divide by it; for counts "
            "use withhold.information.measures.counts, which knows their bias."
        )
    return array / total


def check_masses(p: ArrayLike, subject: str) -> Reals:
    """Return `p` as float64; refuse what is no array of numbers, and negative, infinite and NaN entries."""
    array = as_numbers(p, subject)
    if not np.isfinite(array).all():
        raise NumericalError(f"{subject} must be finite (got NaN or infinity).")
    if array.size and float(array.min()) < 0:
        raise InvalidParameterError(
            f"{subject} must be non-negative (got {array.min():g}). Clip rounding errors at zero."
        )
    return array


def as_numbers(values: ArrayLike, subject: str) -> Reals:
    """Return `values` as float64, or say that they are none.

    Examples
    --------
    >>> as_numbers([["a"]], "The joint")
    Traceback (most recent call last):
    ...
    withhold.contracts.errors.InvalidParameterError: The joint must be an array of real numbers (got [['a']]).
    """
    try:
        if values is None or np.iscomplexobj(values):
            raise TypeError
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidParameterError(f"{subject} must be an array of real numbers (got {repr(values)[:60]}).") from error


def positions(axes: Axes, names: Sequence[str] | None, ndim: int) -> tuple[int, ...]:
    """Return the positions of `axes`, given by position or name.

    Examples
    --------
    >>> positions(("S", 0), ("U", "S", "X"), 3), positions(-1, None, 3)
    ((1, 0), (2,))
    """
    wanted: Sequence[Axis] = (axes,) if isinstance(axes, int | np.integer | str) else axes
    known = list(names) if names is not None else []
    if names is not None and len(known) != ndim:
        raise _axis_error(f"one name for each of {ndim} axes", repr(tuple(known)))
    found: list[int] = []
    for axis in wanted:
        if isinstance(axis, str):
            if axis not in known:
                raise _axis_error(f"among {known}" if known else "positions where no names are given", repr(axis))
            found.append(known.index(axis))
        else:
            if not -ndim <= axis < ndim:
                raise _axis_error(f"positions in [{-ndim}, {ndim - 1}]", repr(axis))
            found.append(int(axis) % ndim)
    if len(set(found)) != len(found):
        raise _axis_error("named once each", repr(axes))
    return tuple(found)


def grouped(p: Reals, *groups: tuple[int, ...]) -> Reals:
    """Return the joint of groups of axes, each flattened to one axis; all other axes are summed out.

    Examples
    --------
    >>> grouped(np.full((2, 3, 4), 1 / 24), (2, 0), (1,)).shape, grouped(np.full((2, 3), 1 / 6), (1,), ()).shape
    ((8, 3), (3, 1))
    """
    order = [axis for group in groups for axis in group]
    if len(set(order)) != len(order):
        raise _axis_error("in one group each", repr(groups))
    rest = tuple(axis for axis in range(p.ndim) if axis not in order)
    kept = p.sum(axis=rest)
    now = [axis for axis in range(p.ndim) if axis in order]
    moved = np.transpose(kept, [now.index(axis) for axis in order])
    return moved.reshape([int(np.prod([p.shape[axis] for axis in group], dtype=int)) for group in groups])


def log_masses(p: Reals) -> Reals:
    """Return log p with -inf for zero, without a warning."""
    return np.log(p, where=p > 0, out=np.full(p.shape, -np.inf))


def _axis_error(expected: str, got: str) -> InvalidParameterError:
    return InvalidParameterError(f"The axes must be {expected} (got {got}).")
