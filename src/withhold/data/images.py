"""Images between arrays or tensors and the canonical table: one column of fixed-shape tensors, channels last."""

from typing import Any, Literal

import numpy as np
import pyarrow as pa
import torch

from withhold.contracts.errors import InvalidTypeError
from withhold.contracts.images import IMAGE, image_array, image_column, image_names

# Field metadata: a tensor that came with its channels before the sides goes back so.
LAYOUT_KEY, CHANNELS_FIRST = b"withhold.layout", b"channels first"
COLOURS = (1, 3)


def images_to_table(images: np.ndarray | torch.Tensor, subject: str = "X") -> pa.Table:
    """Return images as a table of one column, "image".

    A 4-d tensor whose second dimension is 1 or 3 is taken as PyTorch has it, (n, channels, height, width); all else is
    channels last.

    Parameters
    ----------
    images : ndarray or Tensor of shape (n, h, w) or (n, h, w, c); for tensors also (n, 1 or 3, h, w)
    subject : str
        What to call them in messages.

    Examples
    --------
    >>> images_to_table(torch.zeros(5, 3, 8, 6)).schema.field("image").type.shape
    [8, 6, 3]
    """
    first = isinstance(images, torch.Tensor) and images.ndim == 4 and images.shape[1] in COLOURS
    array = tensor_array(images, subject) if isinstance(images, torch.Tensor) else images
    column = image_column(np.moveaxis(array, 1, -1) if first else array, subject)
    field = pa.field(IMAGE, column.type, metadata={LAYOUT_KEY: CHANNELS_FIRST} if first else None)
    return pa.Table.from_arrays([column], schema=pa.schema([field]))


def tensor_array(tensor: torch.Tensor, subject: str) -> np.ndarray:
    """Return a tensor as an array, or say how to make it one that NumPy has; bfloat16 is read as float32, exactly.

    Examples
    --------
    >>> tensor_array(torch.ones(2, dtype=torch.bfloat16), "X").dtype
    dtype('float32')
    >>> tensor_array(torch.ones(2).to(torch.float8_e5m2), "X")
    Traceback (most recent call last):
    ...
    withhold.contracts.errors.InvalidTypeError: X is a tensor of float8_e5m2, which NumPy does not have. Pass x.float().
    """
    if tensor.layout != torch.strided:
        raise InvalidTypeError(f"{subject} is a sparse tensor, and every value of it enters. Pass x.to_dense().")
    if tensor.dtype == torch.bfloat16:
        tensor = tensor.float()
    try:
        array: np.ndarray = tensor.detach().cpu().resolve_conj().resolve_neg().numpy()
    except (TypeError, RuntimeError) as error:  # eight bits, quantised, without values
        kind = str(tensor.dtype).removeprefix("torch.")
        text = f"{subject} is a tensor of {kind}, which NumPy does not have. Pass x.float()."
        raise InvalidTypeError(text) from error
    return array


def images_to_array(table: pa.Table, container: Literal["numpy", "torch"] | str) -> Any:
    """Return the images of a table as the array or tensor they came as.

    Examples
    --------
    >>> images_to_array(images_to_table(torch.zeros(5, 3, 8, 6)), "torch").shape
    torch.Size([5, 3, 8, 6])
    >>> images_to_array(images_to_table(np.zeros((5, 8, 6), np.uint8)), "numpy").shape
    (5, 8, 6)
    """
    name = image_names(table)[0]
    array = image_array(table.column(name))
    if container != "torch":
        return array
    first = (table.schema.field(name).metadata or {}).get(LAYOUT_KEY) == CHANNELS_FIRST
    # A tensor may not share memory that Arrow holds read-only.
    return torch.from_numpy(np.array(np.moveaxis(array, -1, 1) if first else array, order="C"))
