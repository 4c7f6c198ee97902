"""The state of a game on disk: whole or not at all, numbers and text only, resumed to the last bit."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor

from withhold.contracts.errors import ArtifactError
from withhold.io.artifact import read_artifact, write_artifact

KIND = "training checkpoint"


@dataclass(frozen=True)
class Checkpoint:
    """The file that a training resumes from and writes to, and which training that is.

    Attributes
    ----------
    path : Path or None
        None keeps nothing.
    fingerprint : str
        Identifies data and settings; only the same work may resume.

    Examples
    --------
    >>> Checkpoint().exists
    False
    """

    path: Path | None = None
    fingerprint: str = ""

    @classmethod
    def of(cls, path: str | Path | None, fingerprint: str) -> Self:
        """Return the checkpoint at a path as a user gives it."""
        return cls(None if path is None else Path(path), fingerprint)

    @property
    def exists(self) -> bool:
        """Whether there is something to go on from."""
        return self.path is not None and self.path.exists()

    def write(self, state: Mapping[str, Any], tensors: Mapping[str, Tensor | np.ndarray]) -> None:
        """Write a checkpoint; one that was there before is replaced only once the new one is complete.

        Parameters
        ----------
        state : mapping
            JSON values: Python writes floats so that they read back exactly.
        """
        if self.path is None:
            return
        arrays = {
            name: value.detach().cpu().numpy() if isinstance(value, Tensor) else value
            for name, value in tensors.items()
        }
        write_artifact(self.path, {"kind": KIND, "fingerprint": self.fingerprint, "state": dict(state)}, arrays)

    def read(self) -> tuple[dict[str, Any], dict[str, Tensor]]:
        """Return state and tensors; there must be a file.

        Raises
        ------
        ArtifactError
            It is damaged, or belongs to other data or settings.
        """
        header, arrays = read_artifact(Path(self.path or ""))
        if header.get("kind") != KIND or header.get("fingerprint") != self.fingerprint:
            raise ArtifactError(
                f"The checkpoint '{self.path}' is not of a run on the same data with the same settings. "
                "Remove it, or name another checkpoint."
            )
        return dict(header["state"]), {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}

    def remove(self) -> None:
        """Remove the file once the work is done."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)


NOWHERE = Checkpoint()


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
