"""Encoders for records of any shape: flat rows in, a representation out, the network inside fitting the shape."""

import copy
import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from withhold.contracts.checks import refused
from withhold.contracts.errors import InvalidParameterError
from withhold.nets.convolutional import Convolutional, Temporal
from withhold.nets.perceptron import Perceptron, settle

HIDDEN = (128, 128)
FEWEST_ROWS = 2  # batch normalisation has no variance of a single row


class Encoder(nn.Module):
    """A network that reads flat rows in the form of its records.

    Parameters
    ----------
    form : tuple of int
        Shape of one record as `body` takes it, channels first; (p,) for vectors.
    dimensions : int
        Width of what `body` returns.
    standardise : bool
        Whether outputs are brought to mean 0 and variance 1 by batch normalisation without learned scale, so that
        noise of a fixed size means the same in every dimension and cannot be out-grown.
    moved : bool, default=False
        Whether rows hold channels last, as images and windows do, and must be turned.
    """

    def __init__(
        self, body: nn.Module, form: tuple[int, ...], dimensions: int, *, standardise: bool, moved: bool = False
    ) -> None:
        super().__init__()
        self.body, self.form, self.dimensions, self.moved = body, form, dimensions, moved
        self.norm = nn.BatchNorm1d(dimensions, affine=False) if standardise else None

    def _read(self, rows: Tensor) -> Tensor:
        if self.moved:
            channels, *sides = self.form
            rows = rows.reshape(len(rows), *sides, channels).movedim(-1, 1).contiguous()
        outputs: Tensor = self.body(rows)
        return outputs.flatten(1)

    def forward(self, rows: Tensor) -> Tensor:
        """Return outputs of shape (n, dimensions) for flat rows (n, p)."""
        outputs = self._read(rows)
        return outputs if self.norm is None else self.norm(outputs)

    def settle(self, rows: Tensor, chunk: int = 1024) -> None:
        """Replace the running mean and variance of the outputs by those over all of `rows`."""
        training = self.training
        self.eval()
        settle(self.norm, self._read, rows, chunk)
        self.train(training)


def encoder_for(
    shape: tuple[int, ...],
    dimensions: int,
    *,
    architecture: str = "auto",
    hidden: Sequence[int] = HIDDEN,
    module: nn.Module | None = None,
    standardise: bool,
) -> Encoder:
    """Return an encoder of flat rows for records of `shape`.

    Parameters
    ----------
    shape : tuple of int
        Of one record, channels last: (p,), (height, width), (height, width, channels) or (time, channels).
    dimensions : int
        Width of the representation; a module of the user's has its own.
    architecture : {"auto", "perceptron", "images", "windows"}
        "auto" takes the perceptron for vectors and the convolutional network for images. A window of sensor signals
        has the shape of a grey image, so "windows" must be asked for.
    hidden : sequence of int
        Hidden layers of the perceptron.
    module : nn.Module, optional
        The user's own; it is copied, and gets (n, channels, height, width), (n, channels, time) or (n, p).
    standardise : bool
        See `Encoder`.

    Raises
    ------
    InvalidParameterError
        The architecture does not fit the shape, or the module does not take such records.

    Examples
    --------
    >>> encoder_for((8, 8), 5, standardise=True)(torch.randn(4, 64)).shape
    torch.Size([4, 5])
    >>> own = nn.Sequential(nn.Flatten(), nn.Linear(60, 7))
    >>> encoder_for((20, 3), 5, architecture="windows", module=own, standardise=False).dimensions
    7
    """
    form, kind = form_of(shape, architecture)
    moved = kind != "perceptron"
    if module is None:
        return Encoder(_body(kind, form, dimensions, hidden), form, dimensions, standardise=standardise, moved=moved)
    own = copy.deepcopy(module)
    return Encoder(own, form, _trial(own, form), standardise=standardise, moved=moved)


def form_of(shape: tuple[int, ...], architecture: str) -> tuple[tuple[int, ...], str]:
    """Return the shape of a record with channels first, and the architecture that "auto" comes to.

    Examples
    --------
    >>> form_of((28, 28), "auto"), form_of((100, 3), "windows")
    (((1, 28, 28), 'images'), ((3, 100), 'windows'))
    """
    fitting = {"perceptron": (1, 2, 3), "images": (2, 3), "windows": (2,)}
    kind = ("perceptron" if len(shape) == 1 else "images") if architecture == "auto" else architecture
    if kind not in fitting or len(shape) not in fitting[kind]:
        possible = ["auto", *(name for name, ranks in fitting.items() if len(shape) in ranks)]
        raise refused("architecture", f"{' or '.join(map(repr, possible))} for records of shape {shape}", architecture)
    if kind == "perceptron":
        return (math.prod(shape),), kind
    if kind == "windows":
        return (shape[1], shape[0]), kind
    return (shape[2] if len(shape) == 3 else 1, shape[0], shape[1]), kind


def _body(kind: str, form: tuple[int, ...], dimensions: int, hidden: Sequence[int]) -> nn.Module:
    if kind == "perceptron":
        return Perceptron((form[0], *hidden, dimensions))
    if kind == "windows":
        return Temporal((form[0], form[1]), dimensions)
    return Convolutional((form[0], form[1], form[2]), dimensions, dropout=0.0)


@torch.no_grad()
def _trial(module: Any, form: tuple[int, ...]) -> int:
    """Return the width of what `module` makes of a record, or say why it cannot."""
    if not isinstance(module, nn.Module):
        got = f"a {type(module).__name__}"
    else:
        training = module.training
        module.eval()
        first = next(iter(module.parameters()), None)
        like = None if first is None else first.dtype
        try:
            outputs = module(torch.zeros(FEWEST_ROWS, *form, dtype=like))
            if isinstance(outputs, Tensor) and outputs.ndim >= 1 and len(outputs) == FEWEST_ROWS:
                return int(outputs.flatten(1).shape[1])
            got = f"outputs of shape {tuple(getattr(outputs, 'shape', ()))} for {FEWEST_ROWS} records"
        except (RuntimeError, ValueError, TypeError, IndexError) as error:
            got = f"one that fails on it: {error}"
        finally:
            module.train(training)
    raise InvalidParameterError(
        f"encoder must be a torch module that takes records of shape (n, {', '.join(map(str, form))}) (got {got}). "
        "Images come with channels first, windows as (n, channels, time)."
    )
