"""Reading what is to be released under differential privacy: no value of a record refuses its batch.

A refusal would tell of the record that caused it, outside of the promise. So what is unlike the rows of the fit is
brought within limits that are fixed before: numbers to the ends of their range, unknown levels to the pool or the most
frequent one, missing values to the middle, unknown classes to the most frequent one. There is no `DriftWarning` either
(`drift_of` says what it would). What may be refused is public: identifiers, names, number and types of columns, shape.
Two refusals hang on several records: copies of rows that are declared public, where they are more than chance (fewer,
but never one alone, are warned of), and with a ``total`` but without identifiers values that were released before.
Messages and times are no part of a release: keep them out of what is published.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import torch

from withhold.contracts.images import image_column, image_names
from withhold.data.any_values import fitting_table, number_in, plain_columns
from withhold.data.frames import to_frame
from withhold.methods.estimator.encoding import Encoding
from withhold.methods.estimator.inputs import Features, is_frame, read_features

Limits = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Least, middle and largest of each number of a record."""


def read_any(encoding: Encoding, X: Any, limits: Limits) -> Features:
    """Do what `Encoding.read` does, whatever the values are.

    Parameters
    ----------
    X : as in `Sanitizer.transform`
    limits : tuple of ndarray
        Of the numbers of an array or image; a table has its own.

    Examples
    --------
    >>> kinds = {"keep": (), "categorical": (), "continuous": ()}
    >>> features = read_features(np.zeros((10, 2)), coded=False, accept_sparse=False, method="M")
    >>> encoding = Encoding.learn(features, method="M", numeric="score", kinds=kinds)
    >>> limits = np.full(2, -8.0), np.zeros(2), np.full(2, 8.0)
    >>> read_any(encoding, np.array([[np.nan, 1e308], [-np.inf, "3"]], object), limits).array.tolist()
    [[0.0, 8.0], [-8.0, 3.0]]
    """
    if encoding.codec is not None and is_frame(X):
        frame = plain_columns(X, encoding.codec.columns) if isinstance(X, pd.DataFrame) else X
        features = read_features(frame, coded=True, accept_sparse=False, method=encoding.method)
        return replace(features, table=fitting_table(features.table, encoding.codec.columns))
    X = _unmasked(X)
    if encoding.image is not None:
        frame = to_frame(X, f"X of {encoding.method}")
        table = _images_within(frame.table, tuple(limit.reshape(encoding.image.shape) for limit in limits))
        return Features(frame.container, table=encoding.image.check(table), index=frame.index)
    if isinstance(X, pd.DataFrame):
        X = X.to_numpy()
    elif is_frame(X):
        table = to_frame(X, f"X of {encoding.method}").table
        X = np.column_stack([_floats(column.to_numpy()) for column in table.columns]) if table.num_columns else X
    if isinstance(X, torch.Tensor) and X.is_floating_point():
        return encoding.read(torch.from_numpy(_within(X.detach().cpu().float().numpy(), limits)))
    return encoding.read(X if isinstance(X, torch.Tensor) else _within(X, limits))


def _unmasked(X: Any) -> Any:
    """Return an array with NaN for what a mask hides, where its type has it."""
    masked = isinstance(X, np.ma.MaskedArray) and X.dtype.kind in "iuf" and X.ndim == 2
    return np.ma.filled(X.astype(np.float64), np.nan) if masked else X


def _within(X: Any, limits: Limits) -> Any:
    """Return numbers within limits; what is to be refused for its type or shape as it came."""
    try:
        values = _floats(np.asarray(X))
    except ValueError:  # rows of different lengths
        return X
    low, middle, high = limits
    if values.dtype.kind != "f" or values.shape[1:][-low.ndim :] != low.shape:
        return X
    return np.where(np.isnan(values), middle, np.clip(values, low, high)).astype(values.dtype)


def _floats(values: np.ndarray) -> np.ndarray:
    """Return Python objects and texts as numbers, NaN for what is none; other arrays as they are."""
    if values.dtype.kind not in "OUS":
        return values
    return np.array([number_in(value) for value in values.ravel()]).reshape(values.shape)


def _images_within(table: pa.Table, limits: tuple[np.ndarray, ...]) -> pa.Table:
    """Return records with a shape, those that are missing in the middle."""
    low, middle, high = limits
    for place, name in enumerate(table.column_names):
        column = table.column(name)
        if name not in image_names(table) or tuple(column.type.shape) != low.shape or not len(column):
            continue
        storage = pa.concat_arrays([chunk.storage for chunk in column.chunks])
        images = np.empty((len(column), *low.shape), column.type.value_type.to_pandas_dtype())
        known = storage.is_valid().to_numpy(False)
        images[known] = storage.drop_null().flatten().to_numpy(False).reshape(-1, *low.shape)
        images[~known] = middle
        column = image_column(_within(images, (low, middle, high)))
        table = table.set_column(place, table.schema.field(name), pa.chunked_array([column]))
    return table
