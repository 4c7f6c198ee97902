"""How a learning rate changes over a game."""

import math

FLAT = 0.6  # share of the game at full rate: the constraint settles before the rate falls
FLOOR = 0.05


def flat_then_cosine(share: float) -> float:
    """Return the factor of the rate at a share of the game in [0, 1].

    Examples
    --------
    >>> flat_then_cosine(0.3), round(flat_then_cosine(1.0), 3)
    (1.0, 0.05)
    """
    if share < FLAT:
        return 1.0
    return FLOOR + (1 - FLOOR) * 0.5 * (1 + math.cos(math.pi * (share - FLAT) / (1 - FLAT)))


def constant(share: float) -> float:
    """Return 1: the rate does not change."""
    return 1.0


def cosine(share: float) -> float:
    """Return the factor of a rate that falls to 0 over the whole game."""
    return 0.5 * (1 + math.cos(math.pi * share))
