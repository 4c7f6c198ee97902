"""Torch randomness that belongs to one piece of work: seeded inside, untouched outside, storable in between."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch


@contextmanager
def private_randomness(device: torch.device, seed: int) -> Iterator[None]:
    """Seed torch's generators within the block and give them back as they were.

    Layers such as dropout draw from the global generator and cannot be handed one of their own.

    Examples
    --------
    >>> before = torch.get_rng_state()
    >>> with private_randomness(torch.device("cpu"), 0):
    ...     _ = torch.rand(3)
    >>> bool((torch.get_rng_state() == before).all())
    True
    """
    kept = generator_states(device)
    seed_all(device, seed)
    try:
        yield
    finally:
        restore_generators(device, kept)


def seed_all(device: torch.device, seed: int) -> None:
    """Seed the generator of the processor and that of `device`, and no other."""
    torch.default_generator.manual_seed(seed % (1 << 63))
    if device.type == "cuda":
        with torch.cuda.device(device):
            torch.cuda.manual_seed(seed % (1 << 63))
    elif device.type == "mps":
        torch.mps.manual_seed(seed % (1 << 63))


def generator_states(device: torch.device) -> dict[str, np.ndarray]:
    """Return the states of the generators as byte arrays."""
    states = {"cpu": torch.get_rng_state()}
    if device.type == "cuda":
        states["cuda"] = torch.cuda.get_rng_state(device)
    elif device.type == "mps":
        states["mps"] = torch.mps.get_rng_state()
    return {name: state.cpu().numpy().copy() for name, state in states.items()}


def restore_generators(device: torch.device, states: dict[str, np.ndarray]) -> None:
    """Take back what `generator_states` returned."""
    torch.set_rng_state(torch.from_numpy(states["cpu"].copy()))
    if device.type == "cuda" and "cuda" in states:
        torch.cuda.set_rng_state(torch.from_numpy(states["cuda"].copy()), device)
    elif device.type == "mps" and "mps" in states:
        torch.mps.set_rng_state(torch.from_numpy(states["mps"].copy()))
