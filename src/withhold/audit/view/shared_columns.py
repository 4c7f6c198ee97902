"""Columns that the original and the release have in common, on scales on which their values can be compared."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import rankdata

from withhold.audit.statistics.arrays import Codes, Reals
from withhold.audit.view.pixels import blocks, channels_first, image_numbers
from withhold.audit.view.reading import read_columns
from withhold.contracts.images import image_array, is_image
from withhold.data.arrow_types import family


@dataclass(frozen=True)
class SharedColumns:
    """Both files in the same codes and scores, row for row.

    Attributes
    ----------
    exact : ndarray of int, shape (2, n, m)
        Code of each value, of the original and of the release; equal codes are equal values.
    categories : ndarray of int, shape (2, n, c)
        Columns without distances, and whether a number is missing.
    scores : ndarray of float, shape (2, n, d)
        Normal scores of numbers, 0 where missing.
    names : tuple of str
        Columns compared.
    """

    exact: Codes
    categories: Codes
    scores: Reals
    names: tuple[str, ...]

    @classmethod
    def of(cls, original: pa.Table, release: pa.Table) -> "SharedColumns":
        """Compare the columns of equal name.

        Parameters
        ----------
        original, release : pyarrow.Table
            The same records, row for row.

        Examples
        --------
        >>> a = pa.table({"age": [20, 30, 40], "sex": ["f", "m", None], "more": [1, 2, 3]})
        >>> shared = SharedColumns.of(a, pa.table({"sex": ["f", "m", "m"], "age": [20.0, 31.0, 40.0]}))
        >>> shared.names, shared.identical.tolist()
        (('age', 'sex'), [True, False, False])
        """
        n = original.num_rows
        names = [name for name in original.column_names if name in release.column_names]
        kinds = {name: (original.schema.field(name).type, release.schema.field(name).type) for name in names}
        names = [name for name in names if comparable(*kinds[name])]
        exact: list[np.ndarray] = []
        categories: list[np.ndarray] = []
        scores: list[np.ndarray] = []
        for name in names:
            if is_image(kinds[name][0]):
                images = np.concatenate([image_array(table.column(name)) for table in (original, release)])
                exact.append(image_numbers(images))
                scores += [_scores(column) for column in blocks(channels_first(images))[0].T if np.ptp(column) > 0]
                continue
            both = _stacked(original.column(name), release.column(name))
            for reading in read_columns(pa.table({name: both})):
                exact.append(reading.codes)
                if reading.numbers is None or reading.kind == "category":
                    categories.append(reading.codes)
                    continue
                if reading.missing.any():
                    categories.append(reading.missing.astype(np.int32))
                known = ~reading.missing
                score = np.zeros(2 * n)
                score[known] = _scores(reading.numbers[known])
                scores.append(score)
        return cls(
            _halves(exact, n, np.int64), _halves(categories, n, np.int64), _halves(scores, n, np.float64), tuple(names)
        )

    @property
    def identical(self) -> NDArray[np.bool_]:
        """Rows whose release equals the original in every column both have."""
        return np.asarray((self.exact[0] == self.exact[1]).all(axis=1))

    def take(self, rows: Codes) -> "SharedColumns":
        """Return some rows."""
        return SharedColumns(self.exact[:, rows], self.categories[:, rows], self.scores[:, rows], self.names)


def comparable(before: pa.DataType, after: pa.DataType) -> bool:
    """Whether two columns of one name can be compared: images only with images of the same sides.

    Examples
    --------
    >>> comparable(pa.int64(), pa.string()), comparable(pa.fixed_shape_tensor(pa.uint8(), (2, 2)), pa.int64())
    (True, False)
    """
    if is_image(before) and is_image(after):
        return bool(before.shape == after.shape)
    return not is_image(before) and not is_image(after)


def _scores(numbers: Reals) -> Reals:
    """Return normal scores by rank."""
    return np.asarray(ndtri((rankdata(numbers) - 0.5) / max(1, len(numbers))))


def _stacked(original: pa.ChunkedArray, release: pa.ChunkedArray) -> pa.ChunkedArray:
    """Put one column below the other: both as numbers, else in the type of the original, else as text."""
    plain = [c.cast(c.type.value_type) if pa.types.is_dictionary(c.type) else c for c in (original, release)]
    kinds = [family(c.type) for c in plain]
    if all(kind in ("integer", "float", "boolean", "decimal") for kind in kinds) and plain[0].type != plain[1].type:
        plain = [
            (c.cast(pa.uint8()) if pa.types.is_boolean(c.type) else c).cast(pa.float64(), safe=False) for c in plain
        ]
    if plain[0].type != plain[1].type:
        try:
            plain[1] = plain[1].cast(plain[0].type)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            plain = [_text(c) for c in plain]
    return pa.chunked_array([*plain[0].chunks, *plain[1].chunks], plain[0].type)


def _text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array([None if v is None else str(v) for v in column.to_pylist()], pa.string())])


def _halves(columns: list[np.ndarray], n: int, dtype: type) -> np.ndarray:
    if not columns:
        return np.zeros((2, n, 0), dtype)
    return np.column_stack(columns).astype(dtype).reshape(2, n, len(columns))
