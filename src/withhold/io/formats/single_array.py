"""NumPy's .npy files: one array, read like the only one of an .npz file."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.contracts.wording import advice
from withhold.io.npz import array_table
from withhold.io.reading import Reading
from withhold.io.table_format import damaged


def read(path: Path, array: str | None, reading: Reading) -> pa.Table:
    """Return the array: columns x0, x1, ..., or images where it has three or four dimensions."""
    if array not in (None, "x"):
        raise InvalidParameterError(
            f"'{path}' holds one array without a name. Leave {advice('array=', '--array')} out."
        )
    try:
        # Mapped, so that an array larger than its file is refused before memory is taken for it.
        values = np.array(np.lib.format.open_memmap(path, mode="r"))
    except (FileNotFoundError, PermissionError):
        raise
    except (ValueError, EOFError, OSError, OverflowError) as error:
        if "Python objects" not in str(error):
            raise damaged(path, ".npy") from error
        raise DataError(
            f"'{path}' holds Python objects, which could run code when they are read. Save numbers as a numeric array."
        ) from error
    return array_table(path, values)
