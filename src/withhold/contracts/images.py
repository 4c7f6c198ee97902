"""The canonical form of images: a column of fixed-shape tensors, (height, width) or (height, width, channels)."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from withhold.contracts.errors import DataError, InvalidTypeError

# What the column is called where nothing else is.
IMAGE = "image"
# Pixels as cameras, scanners and networks give them; other integers are classes or counts more often than brightness.
DTYPES = ("uint8", "uint16", "float32", "float64")
MOST_CHANNELS = 16


def is_image(kind: pa.DataType) -> bool:
    """Whether a column of this type holds images.

    Examples
    --------
    >>> is_image(pa.fixed_shape_tensor(pa.uint8(), (28, 28))), is_image(pa.uint8())
    (True, False)
    """
    return isinstance(kind, pa.FixedShapeTensorType) and len(kind.shape) in (2, 3)


def image_names(table: pa.Table) -> list[str]:
    """Return the names of the columns of `table` that hold images.

    Examples
    --------
    >>> image_names(pa.table({"image": image_column(np.zeros((2, 4, 4), np.uint8)), "label": [0, 1]}))
    ['image']
    """
    return [field.name for field in table.schema if is_image(field.type)]


def image_column(images: NDArray[Any], subject: str = "The images") -> pa.FixedShapeTensorArray:
    """Return images as a column, without a copy where they are contiguous.

    Parameters
    ----------
    images : ndarray of shape (n, h, w) or (n, h, w, c)
        uint8, uint16, float32 or float64 (float16 is taken as float32); channels last.
    subject : str
        What to call them in messages.

    Examples
    --------
    >>> image_column(np.zeros((2, 4, 4, 3), np.uint8)).type.shape
    [4, 4, 3]
    """
    if images.ndim not in (3, 4) or min(images.shape[1:]) == 0:
        raise InvalidTypeError(
            f"{subject} must have shape (n, height, width) or (n, height, width, channels) for images, "
            f"(n, time, channels) for windows of a signal (got shape {images.shape})."
        )
    if images.ndim == 4 and images.shape[3] > MOST_CHANNELS:
        raise InvalidTypeError(
            f"{subject} must have at most {MOST_CHANNELS} channels, in the last dimension (got shape {images.shape}). "
            "Move them to the end: numpy.moveaxis(images, 1, -1)."
        )
    if images.dtype == np.float16:
        images = images.astype(np.float32)
    if images.dtype.name not in DTYPES:
        raise InvalidTypeError(
            f"{subject} must be {', '.join(DTYPES)} (got {images.dtype} in records with a shape {images.shape[1:]}). "
            "Convert pixels with astype('uint8'), signals with astype('float32')."
        )
    native = np.ascontiguousarray(images.astype(images.dtype.newbyteorder("="), copy=False))
    kind = pa.fixed_shape_tensor(pa.from_numpy_dtype(native.dtype), native.shape[1:])
    values = pa.FixedSizeListArray.from_arrays(pa.array(native.reshape(-1)), int(np.prod(native.shape[1:])))
    return pa.ExtensionArray.from_storage(kind, values.cast(kind.storage_type))


def check_known(column: pa.ChunkedArray, subject: str = "The images") -> None:
    """Refuse a column of images in which some are missing.

    Examples
    --------
    >>> check_known(pa.chunked_array([image_column(np.zeros((2, 4, 4), np.uint8))]))
    """
    if column.null_count:
        raise DataError(f"{subject} must be known for every record ({column.null_count} missing). Leave those out.")


def image_array(column: pa.ChunkedArray, subject: str = "The images") -> NDArray[Any]:
    """Return the images of a column as an array of shape (n, h, w) or (n, h, w, c), without a copy where possible.

    Examples
    --------
    >>> table = pa.table({"image": image_column(np.zeros((2, 4, 4), np.uint8))})
    >>> image_array(table.column("image")).shape
    (2, 4, 4)
    """
    check_known(column, subject)
    if len(column) == 0:
        return np.empty((0, *column.type.shape), column.type.value_type.to_pandas_dtype())
    # Joining a single piece would copy it.
    whole = column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)
    images: NDArray[Any] = whole.to_numpy_ndarray()
    return images
