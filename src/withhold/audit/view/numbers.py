"""A release as one matrix of numbers: what its rank and its collapse are read from."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from withhold.audit.view.pixels import block_columns
from withhold.audit.view.reading import Reading, read_columns


def numeric_matrix(release: pa.Table, readings: Iterable[Reading] | None = None) -> npt.NDArray[np.float64]:
    """Return numbers as they are, classes as their codes and images as averages over blocks; missing values are 0.

    Parameters
    ----------
    readings : iterable of Reading, optional
        Its columns, where they were read before.

    Examples
    --------
    >>> numeric_matrix(pa.table({"age": [30, None], "sex": ["m", "f"]})).tolist()
    [[30.0, 1.0], [0.0, 0.0]]
    """
    numbers = [column for _, _, column in block_columns(release)]
    for reading in read_columns(release) if readings is None else readings:
        known = reading.codes if reading.numbers is None else np.nan_to_num(reading.numbers, posinf=0.0, neginf=0.0)
        numbers.append(known.astype(np.float64))
    return np.column_stack(numbers).astype(np.float64) if numbers else np.zeros((release.num_rows, 0))
