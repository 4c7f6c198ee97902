"""From the encoded rows to what the user gets: noise, the way back to a table or to images, the container."""

from typing import Any

import numpy as np
import pyarrow as pa
import sklearn
import torch

from withhold.contracts.errors import InvalidParameterError, sentence
from withhold.data.frames import from_arrow
from withhold.methods.estimator.inputs import Features
from withhold.methods.estimator.release_noise import Draws

CHUNK = 65_536  # rows encoded at a time: bounds memory at some ten MB for usual widths
NUMBERS = 1 << 24  # and numbers at a time, for records as wide as images


def chunk_rows(width: int) -> int:
    """Return how many rows of `width` numbers are worked on at a time.

    Examples
    --------
    >>> chunk_rows(20), chunk_rows(65_536)
    (65536, 256)
    """
    return max(1, min(CHUNK, NUMBERS // max(1, width)))


def released(method: Any, H: Any, rows: np.ndarray | None) -> np.ndarray:
    """Return Z with all that is random in it, a chunk of rows at a time.

    Parameters
    ----------
    method : Sanitizer
        Fitted.
    H : ndarray or sparse matrix of shape (n_samples, n_encoded)
    rows : ndarray of uint8 or None
        Canonical bytes of the records; None where nothing is drawn.
    """
    random, parts, step = method._random(), [], chunk_rows(int(H.shape[1]))
    for start in range(0, H.shape[0], step):
        part = H[start : start + step]
        if random and rows is not None:
            draws = Draws(method._key()[0], bytes.fromhex(method.digest_), rows[start : start + step])
            parts.append(method._draw(part, draws))
        else:
            parts.append(method._encode(part))
    if not parts:
        return np.empty((0, method._width), dtype=H.dtype if method.codec_space else np.float32)
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def decoded(method: Any, Z: np.ndarray, folds: np.ndarray | None = None, rows: np.ndarray | None = None) -> pa.Table:
    """Return the table of Z: through the codec where Z lives in its space, else by the fitted decoder."""
    if method.codec_ is None or (method.decoder_ is None and not method.codec_space):
        raise InvalidParameterError(
            sentence(
                f"The 'output' parameter of {type(method).__name__}",
                "set before fit",
                repr(method.output),
                "The way back to a table is learned at fit.",
                "Fit again with output='table'.",
            )
        )
    if method.decoder_ is None:
        table: pa.Table = method.codec_.decode(Z)
    else:
        sampled = getattr(method, "decode", "mode") == "sample"
        key = (method._key()[0], bytes.fromhex(method.digest_), rows) if sampled and rows is not None else None
        table = method.decoder_.decode(Z, method.codec_, folds=folds, key=key)
    return table


def delivered(method: Any, features: Features, Z: np.ndarray, rows: np.ndarray | None, folds: np.ndarray | None) -> Any:
    """Return Z as what the user asked for, in the container the rows came in or the one set by `set_output`."""
    if method._form() == "representation":
        return torch.from_numpy(np.ascontiguousarray(Z)) if features.container == "torch" else Z
    if method._form() == "images":
        return from_arrow(pictured(method, Z, features), features.container, features.index)
    asked = getattr(method, "_sklearn_output_config", {}).get("transform", sklearn.get_config()["transform_output"])
    container = asked if asked in ("pandas", "polars") else features.container
    table = method._decode(Z, folds, rows)
    return from_arrow(table, container, features.index if container == "pandas" else None)


def pictured(method: Any, Z: np.ndarray, features: Features) -> pa.Table:
    """Return Z as a table of images in the type of the fit."""
    table: pa.Table = method.encoding_.image.decode(Z, features.table)
    return table


def names_out(method: Any, input_features: Any = None) -> np.ndarray:
    """Return the names of the columns of a method's output."""
    if method._form() == "table":
        names = method._table_names
    elif method._form() == "images":
        names = [method.encoding_.image.name]
    elif method.codec_space and method.codec_ is None:
        names = [f"x{j}" for j in range(method._width)] if input_features is None else input_features
    else:
        names = [f"{type(method).__name__.lower()}{j}" for j in range(method._width)]
    return np.asarray(names, dtype=object)
