"""The way back from a representation to a table: networks that read each column's cell from Z, and nothing else.

For rows it was not fitted on, decoding is post-processing of Z and can reveal no more than Z does. On rows it was
fitted on a network could return what it memorised; so there are as many networks as folds, and a record is decoded by
the network of its fold, which saw neither the record, nor a copy of it, nor another record of its subject. The fold is
a hash of the record itself, for rows of the fit and new ones alike: who decoded a row does not tell whether it was in
the fit.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import pyarrow as pa
import torch

from withhold.data.codec import TableCodec
from withhold.data.columns.pieces import Pieces
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.estimator.folds import FOLDS, SALT_BYTES, learned_from, record_folds
from withhold.methods.estimator.reader import CellReader
from withhold.methods.estimator.sampler import ColumnSampler
from withhold.training.session import make_fabric

MEMBERS: Mapping[str, type[CellReader] | type[ColumnSampler]] = {"mode": CellReader, "sample": ColumnSampler}
CHUNK = 4_096  # rows decoded at a time: scores of some hundred cells stay in the cache
PIECES = "pieces."


@dataclass(frozen=True)
class CrossFittedDecoder:
    """Decoders of `FOLDS` parts of the training rows; number i was fitted on all rows but those of fold i.

    Attributes
    ----------
    kind : {"sample", "mode"}
        What the members do: draw each column, or take its most likely cell.
    pieces : mapping of str to Pieces
        What stands within the cells of each numeric column; empty for "mode", which takes the median of a cell.
    """

    kind: str
    members: tuple[CellReader | ColumnSampler, ...]
    counts: tuple[int, ...]
    salt: bytes
    pieces: Mapping[str, Pieces] = field(default_factory=dict)

    @classmethod
    def fit(
        cls, Z: np.ndarray, data: FitData, folds: np.ndarray, salt: bytes, rng: np.random.Generator, kind: str
    ) -> Self:
        """Fit one network a fold to find the cells of each column from the released `Z`."""
        cells, counts = torch.from_numpy(np.asarray(data.cells, dtype=np.int64)), tuple(data.cell_counts or ())
        values, device = torch.from_numpy(np.asarray(Z, dtype=np.float32)), make_fabric(data.device).device
        ordered = () if data.codec is None else data.codec.ordered
        members: list[CellReader | ColumnSampler] = []
        for fold in range(FOLDS):
            rows = learned_from(folds, fold, data.groups)
            seed = int(rng.integers(1 << 62))
            if kind == "mode":
                members.append(CellReader.fit(values[rows], cells[rows], counts, seed, device))
            else:
                member = ColumnSampler.fit(values[rows], cells[rows], counts, seed, device, ordered)
                own = np.flatnonzero(folds == fold)
                member.settle(values[own] if own.size else values, cells, seed)
                members.append(member)
        pieces = {} if data.codec is None or kind != "sample" else data.codec.pieces(data.table)
        return cls(kind, tuple(members), counts, salt, pieces)

    @property
    def draws(self) -> bool:
        """Whether decoding takes random numbers."""
        return self.kind == "sample"

    @property
    def uniforms(self) -> int:
        """Random numbers that decoding takes per row: for the cell of each column, and for the value within it."""
        return 2 * len(self.counts)

    def folds_of(self, rows: np.ndarray) -> np.ndarray:
        """Return the number of the network that decodes each record, given by its canonical bytes."""
        return record_folds(rows, self.salt)

    def decode(
        self, Z: np.ndarray, codec: TableCodec, *, folds: np.ndarray, uniform: np.ndarray | None = None
    ) -> pa.Table:
        """Return the table of Z.

        Parameters
        ----------
        Z : ndarray of shape (n_samples, n_dimensions)
        codec : TableCodec
            Gives each cell a valid value.
        folds : ndarray of int
            Fold of each row: `folds_of` it, or that of its subject at the fit.
        uniform : ndarray of shape (n_samples, uniforms), optional
            Numbers on (0, 1), where anything is drawn.
        """
        columns = len(self.counts)
        cells = np.empty((len(Z), columns), dtype=np.int32)
        for fold, member in enumerate(self.members):
            own = np.flatnonzero(folds == fold)
            for start in range(0, len(own), CHUNK):
                part = own[start : start + CHUNK]
                drawn = None if uniform is None else uniform[part, :columns]
                cells[part] = member.cells(torch.from_numpy(np.asarray(Z[part], np.float32)), drawn)
        if uniform is None or not self.draws:
            return codec.from_cells(cells)
        return codec.from_pieces(cells, uniform[:, columns:], self.pieces)

    def state(self) -> dict[str, np.ndarray]:
        """Return all weights as arrays."""
        arrays = {PIECES + name: pieces.table for name, pieces in self.pieces.items()}
        for i, member in enumerate(self.members):
            arrays |= {f"{i}.{name}": array for name, array in member.state().items()}
        return arrays

    def header(self) -> dict[str, Any]:
        """Return what `restore` needs beside the arrays."""
        made = {"kind": self.kind, "members": len(self.members), "salt": self.salt.hex()}
        return {"counts": list(self.counts), **made}

    @classmethod
    def restore(cls, header: Mapping[str, Any], state: Mapping[str, np.ndarray], codec: TableCodec) -> Self:
        """Rebuild from `header` and `state`; shapes are checked."""
        counts, salt, kind = tuple(int(n) for n in header["counts"]), bytes.fromhex(header["salt"]), header["kind"]
        if int(header["members"]) != FOLDS or len(salt) != SALT_BYTES or counts != codec.cell_counts:
            raise ValueError(f"{header['members']} decoders, a salt of {len(salt)} bytes, {len(counts)} columns")
        members = []
        for i in range(FOLDS):
            own = {n.removeprefix(f"{i}."): a for n, a in state.items() if n.startswith(f"{i}.")}
            members.append(MEMBERS[kind].restore(counts, own))
        tables = {n.removeprefix(PIECES): Pieces(a) for n, a in state.items() if n.startswith(PIECES)}
        if kind == "sample":
            codec.check_pieces(tables)
        return cls(kind, tuple(members), counts, salt, tables)
