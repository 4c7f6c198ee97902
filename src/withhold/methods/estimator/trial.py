"""A restored method on some empty records: what an artifact holds must fit together, and compute."""

from typing import Any

import numpy as np
import pyarrow as pa

# Numbers in the records of the trial, at most: what a file says of its records must not cost more than the file.
MOST_NUMBERS = 1 << 20
ROWS = 7  # a width by chance alone


def try_out(method: Any) -> None:
    """Encode, release and decode some empty records, and compare what comes out with what the artifact states.

    Parameters
    ----------
    method : Sanitizer
        Restored.

    Raises
    ------
    ValueError
        And whatever arrays raise that do not fit together.
    """
    encoding, width = method.encoding_, method.encoding_.width
    if ROWS * max(width, method._width) > MOST_NUMBERS:
        if method._width not in {width, *(side for array in method._state().values() for side in array.shape)}:
            raise ValueError(f"releases of {method._width} numbers")
        return
    if encoding.codec is None:
        H = np.zeros((ROWS, width), encoding.dtype)
    else:
        empty = pa.schema(encoding.codec.schema.arrow).empty_table()
        nothing = pa.table({name: pa.nulls(ROWS, empty.schema.field(name).type) for name in empty.column_names})
        H = encoding.codec.encode(encoding.codec.check(nothing))
    with np.errstate(all="ignore"):
        Z = method._try(H)
    if Z.shape != (ROWS, method._width) or not np.isfinite(Z).all():
        raise ValueError(f"releases of shape {Z.shape[1:]} or with values that are no numbers")
    scale = np.asarray(method._noise_scale(), dtype=np.float64)
    if scale.shape not in ((), (method._width,)) or not np.isfinite(scale).all() or (scale < 0).any():
        raise ValueError("a noise of another size than its releases, or of no size")
    if method._form() == "table":
        names = method._decode(Z).column_names
        if names != method._table_names:
            raise ValueError(f"releases of the columns {names!r:.100}")
