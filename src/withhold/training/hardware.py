"""Where and in which precision to compute: Lightning Fabric, without its announcements."""

import logging
from typing import TYPE_CHECKING, Any

import torch

from withhold.contracts.errors import InvalidParameterError, sentence

if TYPE_CHECKING:
    from lightning_fabric import Fabric

DEVICES = ("auto", "cpu", "cuda", "mps")
PRECISIONS = ("32-true", "64-true", "bf16-mixed", "bf16-true", "16-mixed")


def make_fabric(device: str = "auto", precision: str = "32-true") -> "Fabric":
    """Return a Fabric for one device.

    Parameters
    ----------
    device : {"auto", "cpu", "cuda", "mps"} or "cuda:N"
        "auto" takes an accelerator that is there.
    precision : str
        One of "32-true", "64-true", "bf16-mixed", "bf16-true", "16-mixed".

    Examples
    --------
    >>> make_fabric("cpu").device
    device(type='cpu')
    """
    kind, _, number = str(device).partition(":")
    available = {"auto": True, "cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not available.get(kind, False) or not (number.isdigit() or not number):
        raise InvalidParameterError(
            sentence(
                "The 'device' parameter",
                "one of " + ", ".join(repr(name) for name in DEVICES if available[name]),
                repr(device),
                "Training runs on a device that this machine has.",
                "Use device='auto'.",
            )
        )
    if precision not in PRECISIONS:
        raise InvalidParameterError(
            sentence(
                "The 'precision' parameter",
                "one of " + ", ".join(map(repr, PRECISIONS)),
                repr(precision),
                "It names the type of the weights and of the products.",
                "Use '32-true'.",
            )
        )
    # Imported here: Fabric loads torch's compiler, seconds that `withhold transform` need not wait for.
    from lightning_fabric import Fabric
    from lightning_fabric.plugins.environments.lightning import LightningEnvironment

    devices: Any = [int(number)] if number else 1
    # Fabric reports its choices through the logger; a library says nothing unasked. One process, so no cluster.
    logger = logging.getLogger("lightning_fabric")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        return Fabric(accelerator=kind, devices=devices, precision=precision, plugins=[LightningEnvironment()])  # type: ignore[arg-type]
    finally:
        logger.setLevel(level)
