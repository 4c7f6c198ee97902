"""Independent random streams derived from one seed and a name.

A stream belongs to its purpose, not to the order of calls: adding an attacker or reordering work does not
change anybody else's draws.
"""

import hashlib

import numpy as np

from withhold.contracts.errors import InvalidTypeError

RandomState = int | np.integer | np.random.Generator | np.random.RandomState | None


def stream(
    random_state: int | np.random.Generator | np.random.RandomState | None, *names: str | int
) -> np.random.Generator:
    """Return the generator that belongs to `names` under the seed `random_state`.

    Parameters
    ----------
    random_state : int, Generator, RandomState or None
        An integer gives the same stream each time; a generator is asked for one integer; None draws from the
        operating system.
    *names : str or int
        The purpose of the stream, such as ``"attacker", "boosting", 3``.

    Examples
    --------
    >>> float(stream(0, "a").random()) == float(stream(0, "a").random())
    True
    >>> float(stream(0, "a").random()) == float(stream(0, "b").random())
    False
    """
    digest = hashlib.blake2b("\x1f".join(map(str, names)).encode(), digest_size=16).digest()
    words = [int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4)]
    return np.random.default_rng(np.random.SeedSequence([root(random_state), *words]))


def root(random_state: RandomState) -> int:
    """Reduce any accepted `random_state` to one non-negative integer below 2**63.

    Raises
    ------
    InvalidTypeError

    Examples
    --------
    >>> root(7)
    7
    >>> root("a")
    Traceback (most recent call last):
    withhold.contracts.errors.InvalidTypeError: random_state must be None, an integer or a generator of ...
    """
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> 1)
    if isinstance(random_state, int | np.integer):
        return int(random_state) % (1 << 63)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(1 << 63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(np.iinfo(np.int32).max))
    raise InvalidTypeError(
        f"random_state must be None, an integer or a generator of numpy (got a {type(random_state).__name__})."
    )
