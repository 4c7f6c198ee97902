"""What a fit settles of every release that is drawn later: coding, digest, decoder, and what comes out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from withhold.methods.estimator.decoder import CrossFittedDecoder
from withhold.methods.estimator.encoding import Encoding
from withhold.methods.estimator.release import Draws
from withhold.privacy.noise_key import NoiseKey

CHUNK = 65_536  # rows worked on at a time: bounds memory at some ten MB for usual widths
NUMBERS = 1 << 24  # and numbers at a time, for records as wide as images


def chunk_rows(width: int) -> int:
    """Return how many rows of `width` numbers are worked on at a time.

    Examples
    --------
    >>> chunk_rows(20), chunk_rows(65_536)
    (65536, 256)
    """
    return max(1, min(CHUNK, NUMBERS // max(1, width)))


@dataclass(frozen=True)
class FittedRelease:
    """What one fit settled; the next fit makes another.

    Attributes
    ----------
    digest : str
        SHA-256 of the fitted state. It is part of the noise: another fit draws other noise.
    training : mapping of str to object
        What is told of the training rows: ``rows``, their number.
    width : int
        Numbers in a row of Z.
    table_names : tuple of str
        Columns of the released table; none where something else is released.
    decoder : CrossFittedDecoder or None
        The trained way from Z to a table, where a method has none of its own.
    """

    encoding: Encoding
    digest: str
    training: Mapping[str, Any]
    width: int
    table_names: tuple[str, ...] = ()
    decoder: CrossFittedDecoder | None = None

    def draws(self, key: NoiseKey, rows: np.ndarray) -> Draws:
        """Return what is random in the release of records, given by their canonical bytes."""
        return Draws(key, bytes.fromhex(self.digest), rows)

    def read_table(self, Z: np.ndarray, key: NoiseKey, folds: np.ndarray | None, rows: np.ndarray | None) -> pa.Table:
        """Return the table that the trained decoder makes of Z, each record by the network of its fold."""
        codec, decoder = self.encoding.codec, self.decoder
        if codec is None or decoder is None or rows is None:
            raise ValueError("which decoder a record meets hangs on the record")
        tables = []
        for part in (slice(start, start + CHUNK) for start in range(0, max(1, len(Z)), CHUNK)):
            drawn = self.draws(key, rows[part]).uniform("table", decoder.uniforms) if decoder.draws else None
            own = decoder.folds_of(rows[part]) if folds is None else folds[part]
            tables.append(decoder.decode(Z[part], codec, folds=own, uniform=drawn))
        return pa.concat_tables(tables)
