"""How the rows of the fit became numbers, so that new rows become numbers in the same way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from withhold.contracts.errors import DataError
from withhold.contracts.images import image_names
from withhold.data.arrow_types import value_type
from withhold.data.codec import TableCodec
from withhold.data.columns.numeric import Scaling
from withhold.data.tally import Tally
from withhold.methods.estimator.image_form import WATCHED, ImageForm
from withhold.methods.estimator.inputs import Features, read_features
from withhold.methods.estimator.release import canonical_rows


@dataclass(frozen=True)
class Encoding:
    """The fitted way from features to the matrix H, and to the bytes that identify a record.

    Attributes
    ----------
    method : str
        Whom to name in messages.
    codec : TableCodec or None
        For tables; None for arrays, which are used as they are, and for images.
    names : tuple of str or None
        Feature columns of a table, in the order of the fit.
    dtype : numpy.dtype
        Of H: what the array had, float32 for tables.
    image : ImageForm or None
        For records with a shape, also where they came as an array.
    seen : Tally or None
        What the values of the fit were like; None for sparse matrices and for artifacts that do not know.
    """

    method: str
    codec: TableCodec | None
    names: tuple[str, ...] | None
    n_features: int
    dtype: np.dtype[Any]
    image: ImageForm | None = None
    seen: Tally | None = field(default=None, compare=False)

    @classmethod
    def learn(cls, features: Features, *, method: str, numeric: Scaling, kinds: Mapping[str, Sequence[str]]) -> Self:
        """Learn names, dtype and, for a table, the codec from the training rows.

        `kinds` are the codec's lists of names (keep, categorical, continuous).
        """
        if features.table is None:
            seen = None if sp.issparse(features.array) else Tally.of_matrix(features.array)
            return cls(method, None, None, int(features.array.shape[1]), features.array.dtype, seen=seen)
        names = tuple(features.table.column_names)
        if image_names(features.table):
            form, array = ImageForm.learn(features.table, method), features.container in ("numpy", "torch")
            width, single = form.width if array else 1, np.dtype(np.float32)
            return cls(method, None, None if array else names, width, single, form, form.tally(features.table))
        keep, categorical, continuous = (kinds.get(role, ()) for role in ("keep", "categorical", "continuous"))
        codec = TableCodec.fit(
            features.table, keep=keep, categorical=categorical, continuous=continuous, numeric=numeric
        )
        return cls(method, codec, names, len(names), np.dtype(np.float32), seen=codec.tally())

    def read(self, X: Any, accept_sparse: bool = False) -> Features:
        """Read new rows: the feature columns in the types of the fit; other columns are ignored."""
        images = self.image is not None
        coded = images or self.codec is not None
        return self.check(read_features(X, coded=coded, accept_sparse=accept_sparse, method=self.method, images=images))

    def check(self, features: Features) -> Features:
        """Bring rows to the columns and types of the fit, or say what is wrong with them."""
        if self.codec is not None:
            return replace(features, table=self.codec.check(features.table))
        if self.image is not None:
            return replace(features, table=self.image.check(features.table))
        width = int(features.array.shape[1])
        if width != self.n_features:
            raise DataError(
                f"X has {width} features, but {self.method} is expecting {self.n_features} features as input. Pass the "
                "columns of the fit, in the same order."
            )
        return replace(features, array=features.array.astype(self.dtype, copy=False))

    def encode(self, features: Features, tally: Tally | None = None) -> Any:
        """Return H of checked features, and count their values into `tally`."""
        if self.codec is not None:
            return self.codec.encode(features.table, tally)
        if self.image is not None:
            return self.image.encode(features.table, tally)
        if tally is not None and not sp.issparse(features.array):
            tally.matrix(features.array)
        return features.array

    def pictured(self, Z: np.ndarray, features: Features) -> pa.Table:
        """Return Z as a table of images in the type of the fit; `features` are the rows it came from."""
        if self.image is None:
            raise ValueError("these records have no shape")
        return self.image.decode(Z, features.table)

    def types(self) -> dict[str, pa.DataType]:
        """Return the type of the values of each column of a table; nothing of arrays and images."""
        columns = () if self.codec is None else self.codec.schema.columns
        return {column.name: value_type(column.arrow_type) for column in columns}

    def rows(self, features: Features) -> np.ndarray:
        """Return the canonical bytes of each record, which keyed noise hangs on."""
        if self.image is not None:
            return self.image.rows(features.table)
        return canonical_rows(features.array) if self.codec is None else self.codec.canonical_bytes(features.table)

    @property
    def width(self) -> int:
        """Numbers in an encoded record."""
        if self.codec is not None:
            return self.codec.width
        return self.n_features if self.image is None else self.image.width

    def seen_state(self) -> dict[str, np.ndarray]:
        """Return what the values of the fit were like, as arrays; no part of what the sanitiser computes."""
        return {} if self.seen is None else self.seen.state()

    def header(self) -> dict[str, Any]:
        """Return the JSON form."""
        # Only where there are images: the noise hangs on the digest of this, and other sanitisers keep theirs.
        image = {} if self.image is None else {"image": self.image.header()}
        return {
            "schema": None if self.codec is None else self.codec.to_json(),
            "names": None if self.names is None else list(self.names),
            "n_features": self.n_features,
            "dtype": str(self.dtype),
            **image,
        }

    @classmethod
    def from_header(cls, header: Mapping[str, Any], method: str, seen: Mapping[str, np.ndarray] | None = None) -> Self:
        """Rebuild from `header`, and from what `seen_state` returned."""
        codec = None if header["schema"] is None else TableCodec.from_json(header["schema"])
        names = None if header["names"] is None else tuple(map(str, header["names"]))
        width, dtype = int(header["n_features"]), np.dtype(header["dtype"])
        image = ImageForm.from_header(header["image"], method) if "image" in header else None
        if dtype not in (np.float32, np.float64) or width < 1 or (names is not None and len(names) != width):
            raise ValueError(f"{width} features named {names} of type {dtype}")
        if seen and image is None and len(seen["ranges"]) != (width if codec is None else len(codec.schema.names)):
            raise ValueError(f"what {len(seen['ranges'])} columns were like, of {width}")
        tally = None
        if seen:  # the names are made only once their number is that of the arrays: a forged width costs no memory
            named = WATCHED if image is not None else codec.schema.names if codec is not None else None
            tally = Tally.restore(named or [f"x{j}" for j in range(width)], seen)
        return cls(method, codec, names, width, dtype, image, tally)
