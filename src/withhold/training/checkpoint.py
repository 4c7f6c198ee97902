"""The state of a game on disk: whole or not at all, numbers and text only, resumed to the last bit."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from withhold.contracts.errors import ArtifactError
from withhold.io.artifact import read_artifact, write_artifact

KIND = "training checkpoint"


def write_checkpoint(
    path: Path, fingerprint: str, state: Mapping[str, Any], tensors: Mapping[str, Tensor | np.ndarray]
) -> None:
    """Write a checkpoint; one that was there before is replaced only once the new one is complete.

    Parameters
    ----------
    path : Path
    fingerprint : str
        Identifies data and settings; only the same work may resume.
    state : mapping
        JSON values: Python writes floats so that they read back exactly.
    tensors : mapping of str to Tensor or ndarray
    """
    arrays = {
        name: value.detach().cpu().numpy() if isinstance(value, Tensor) else value for name, value in tensors.items()
    }
    write_artifact(path, {"kind": KIND, "fingerprint": fingerprint, "state": dict(state)}, arrays)


def read_checkpoint(path: Path, fingerprint: str) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Return state and tensors of a checkpoint that belongs to `fingerprint`.

    Raises
    ------
    ArtifactError
        It is damaged, or belongs to other data or settings.
    """
    header, arrays = read_artifact(path)
    if header.get("kind") != KIND or header.get("fingerprint") != fingerprint:
        raise ArtifactError(
            f"The checkpoint '{path}' is not of a run on the same data with the same settings. "
            "Remove it, or name another checkpoint."
        )
    return dict(header["state"]), {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}


def optimiser_tensors(optimiser: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Return the tensors of an optimiser's state, named by parameter number and quantity."""
    state = optimiser.state_dict()["state"]
    return {f"{number}.{name}": value for number, slots in state.items() for name, value in slots.items()}


def restore_optimiser(optimiser: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """Take back what `optimiser_tensors` returned; the settings stay those of `optimiser`."""
    slots: dict[int, dict[str, Tensor]] = {}
    for name, value in tensors.items():
        number, _, quantity = name.partition(".")
        slots.setdefault(int(number), {})[quantity] = value
    optimiser.load_state_dict({"state": slots, "param_groups": optimiser.state_dict()["param_groups"]})
    for parameter, known in optimiser.state.items():
        for quantity, value in known.items():
            # A fused step reads memory in order: moments must lie as their parameter does (channels last, of images).
            if isinstance(value, Tensor) and value.shape == parameter.shape:
                known[quantity] = torch.empty_like(parameter).copy_(value)
