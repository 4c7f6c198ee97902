"""How the rows of the fit became numbers, so that new rows become numbers in the same way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from withhold.contracts.errors import DataError, sentence
from withhold.data.codec import TableCodec
from withhold.data.columns.numeric import Scaling
from withhold.methods.inputs import Features, canonical_rows, read_features


@dataclass(frozen=True)
class Encoding:
    """The fitted way from features to the matrix H, and to the bytes that identify a record.

    Attributes
    ----------
    method : str
        Whom to name in messages.
    codec : TableCodec or None
        For tables; None for arrays, which are used as they are.
    names : tuple of str or None
        Feature columns of a table, in the order of the fit.
    n_features : int
    dtype : numpy.dtype
        Of H: what the array had, float32 for tables.
    """

    method: str
    codec: TableCodec | None
    names: tuple[str, ...] | None
    n_features: int
    dtype: np.dtype[Any]

    @classmethod
    def learn(cls, features: Features, *, method: str, numeric: Scaling, kinds: Mapping[str, Sequence[str]]) -> Self:
        """Learn names, dtype and, for a table, the codec from the training rows.

        `kinds` are the codec's lists of names (keep, categorical, continuous).
        """
        if features.table is None:
            return cls(method, None, None, int(features.array.shape[1]), features.array.dtype)
        names = tuple(features.table.column_names)
        keep, categorical, continuous = (kinds.get(role, ()) for role in ("keep", "categorical", "continuous"))
        codec = TableCodec.fit(
            features.table, keep=keep, categorical=categorical, continuous=continuous, numeric=numeric
        )
        return cls(method, codec, names, len(names), np.dtype(np.float32))

    def read(self, X: Any, accept_sparse: bool = False) -> Features:
        """Read new rows: the feature columns in the types of the fit; other columns are ignored."""
        return self.check(
            read_features(X, coded=self.codec is not None, accept_sparse=accept_sparse, method=self.method)
        )

    def check(self, features: Features) -> Features:
        """Bring rows to the columns and types of the fit, or say what is wrong with them."""
        if self.codec is not None:
            return replace(features, table=self.codec.check(features.table))
        width = int(features.array.shape[1])
        if width != self.n_features:
            raise DataError(
                sentence(
                    f"X of {self.method}",
                    f"of {self.n_features} columns",
                    f"{width}",
                    f"X has {width} features, but {self.method} is expecting {self.n_features} features as input.",
                    "Pass the columns of the fit, in the same order.",
                )
            )
        return replace(features, array=features.array.astype(self.dtype, copy=False))

    def encode(self, features: Features) -> Any:
        """Return H of checked features."""
        return features.array if self.codec is None else self.codec.encode(features.table)

    def rows(self, features: Features) -> np.ndarray:
        """Return the canonical bytes of each record, which keyed noise hangs on."""
        return canonical_rows(features.array) if self.codec is None else self.codec.canonical_bytes(features.table)

    def header(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "schema": None if self.codec is None else self.codec.to_json(),
            "names": None if self.names is None else list(self.names),
            "n_features": self.n_features,
            "dtype": str(self.dtype),
        }

    @classmethod
    def from_header(cls, header: Mapping[str, Any], method: str) -> Self:
        """Rebuild from `header`."""
        codec = None if header["schema"] is None else TableCodec.from_json(header["schema"])
        names = None if header["names"] is None else tuple(header["names"])
        return cls(method, codec, names, int(header["n_features"]), np.dtype(header["dtype"]))
