"""The way back from a representation to a table: networks that read each column's cell from Z, and nothing else.

For rows it was not fitted on, decoding is post-processing of Z and can reveal no more than Z does. On rows it was
fitted on a network could return what it memorised; so there are as many networks as folds, and a record is decoded by
the network of its fold, which saw neither the record nor a copy of it. The fold is a hash of the record itself, for
rows of the fit and new ones alike: who decoded a row does not tell whether it was in the fit.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
import pyarrow as pa
import torch
from torch import nn
from torch.nn import functional

from withhold.data.codec import TableCodec
from withhold.methods.estimator.fit_data import FitData
from withhold.nets.restoring import restored
from withhold.privacy.keyed_noise import keyed_uniform
from withhold.privacy.noise_key import NoiseKey
from withhold.training.descent import descend
from withhold.training.session import make_fabric

FOLDS = 2  # each network learns from half the rows
SALT_BYTES = 16
LEAST_SHARE = 0.25  # of different records in each fold: with few of them a salt may put nearly all into one
LOOKED_AT = 10_000  # rows, for that
SALTS = 64  # tried at most: where all records are copies of one, none will do
HIDDEN = 128  # wide enough for some hundred cells; 100,000 rows a second on one core
ENTROPY_FLOOR = 0.1  # nats: a nearly constant column must not dominate a loss measured in units of its entropy
CHUNK = 4_096  # rows decoded at a time: scores of some hundred cells stay in the cache


def record_folds(rows: np.ndarray, salt: bytes) -> np.ndarray:
    """Return the fold of each record: a hash of its canonical bytes, so that copies meet the same decoder.

    Parameters
    ----------
    rows : ndarray of uint8, shape (n_samples, n_bytes)
    salt : bytes
        Of the artifact: another fit divides records in another way.

    Examples
    --------
    >>> rows = np.arange(40, dtype=np.uint8).reshape(20, 2)
    >>> folds = record_folds(rows, b"docs")
    >>> bool((folds[5:] == record_folds(rows[5:], b"docs")).all()), sorted(set(folds.tolist()))
    (True, [0, 1])
    """
    width, block = rows.shape[1], memoryview(np.ascontiguousarray(rows).tobytes())
    start = hashlib.blake2b(digest_size=8, key=salt, person=b"withhold fold")
    folds = np.empty(len(rows), dtype=np.int64)
    for i in range(len(rows)):
        state = start.copy()
        state.update(block[i * width : (i + 1) * width])
        folds[i] = int.from_bytes(state.digest(), "little") % FOLDS
    return folds


def fold_salt(rows: np.ndarray, rng: np.random.Generator) -> bytes:
    """Return a salt under which no fold is nearly empty, if there is one."""
    different = np.unique(rows[:LOOKED_AT], axis=0)
    for _ in range(SALTS):
        salt = rng.bytes(SALT_BYTES)
        if len(different) > 50 * FOLDS:  # the shares of so many are even enough under any salt
            break
        counts = np.bincount(record_folds(different, salt), minlength=FOLDS)
        if counts.min() >= LEAST_SHARE * len(different):
            break
    return salt


def subject_folds(subjects: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the fold of each row so that rows of one subject stay together.

    Parameters
    ----------
    subjects : ndarray of int, shape (n_samples,)

    Examples
    --------
    >>> folds = subject_folds(np.array([0, 0, 1, 1, 2, 2]), np.random.default_rng(0))
    >>> bool((folds[::2] == folds[1::2]).all()), sorted(set(folds.tolist()))
    (True, [0, 1])
    """
    _, codes = np.unique(subjects, return_inverse=True)
    return np.asarray(rng.permutation(codes.max() + 1)[codes] % FOLDS, dtype=np.int64)


@dataclass(frozen=True)
class CellDecoder:
    """One frozen network: standardised Z to a score for every cell of every column."""

    centre: torch.Tensor
    scale: torch.Tensor
    net: nn.Sequential

    @torch.no_grad()
    def scores(self, Z: torch.Tensor) -> torch.Tensor:
        """Return log-probabilities up to a constant for each column, shape (n_samples, n_cells)."""
        return torch.as_tensor(self.net((Z - self.centre) / self.scale))


@dataclass(frozen=True)
class CrossFittedDecoder:
    """Decoders of `FOLDS` parts of the training rows; number i was fitted on all rows but those of fold i."""

    members: tuple[CellDecoder, ...]
    counts: tuple[int, ...]
    salt: bytes

    @classmethod
    def fit(cls, Z: np.ndarray, data: FitData, folds: np.ndarray, salt: bytes, rng: np.random.Generator) -> Self:
        """Fit one network a fold to read the cells of each column from the released `Z`."""
        cells, counts = torch.from_numpy(np.asarray(data.cells, dtype=np.int64)), tuple(data.cell_counts or ())
        values, device = torch.from_numpy(np.asarray(Z, dtype=np.float32)), make_fabric(data.device).device
        members = []
        for fold in range(FOLDS):
            rows = np.flatnonzero(folds != fold)
            rows = rows if rows.size else np.arange(len(folds))  # all records are one, or of one subject
            members.append(_fit_one(values[rows], cells[rows], counts, int(rng.integers(1 << 62)), device))
        return cls(tuple(members), counts, salt)

    def folds_of(self, rows: np.ndarray) -> np.ndarray:
        """Return the number of the network that decodes each record, given by its canonical bytes."""
        return record_folds(rows, self.salt)

    def decode(
        self,
        Z: np.ndarray,
        codec: TableCodec,
        *,
        folds: np.ndarray,
        key: tuple[NoiseKey, bytes, np.ndarray] | None = None,
    ) -> pa.Table:
        """Return the table of Z.

        Parameters
        ----------
        Z : ndarray of shape (n_samples, n_dimensions)
        codec : TableCodec
            Gives each cell a valid value.
        folds : ndarray of int
            Fold of each row: `folds_of` it, or that of its subject at the fit.
        key : (NoiseKey, context, canonical bytes), optional
            Draw each cell and value from its distribution, the same for a record every time. Without it each column
            takes its most likely cell and the cell's median.
        """
        columns, uniforms = len(self.counts), None
        if key is not None:
            secret, context, rows = key
            uniforms = keyed_uniform(secret, context + b" decoder", rows, 2 * columns)
        cells = np.empty((len(Z), columns), dtype=np.int32)
        for start in range(0, len(Z), CHUNK):
            part = slice(start, start + CHUNK)
            scores = self._scores(torch.from_numpy(np.asarray(Z[part], np.float32)), folds[part])
            for j, block in enumerate(_blocks(scores, self.counts)):
                if uniforms is None:
                    cells[part, j] = block.argmax(dim=1).numpy()
                else:
                    levels = block.double().softmax(dim=1).cumsum(dim=1).numpy()
                    drawn = (uniforms[part, j, None] >= levels[:, :-1]).sum(axis=1)
                    cells[part, j] = drawn
        return codec.from_cells(cells, None if uniforms is None else uniforms[:, columns:])

    def _scores(self, Z: torch.Tensor, folds: np.ndarray) -> torch.Tensor:
        scores = torch.empty((len(Z), sum(self.counts)))
        for fold, member in enumerate(self.members):
            rows = torch.from_numpy(np.flatnonzero(folds == fold))
            scores[rows] = member.scores(Z[rows])
        return scores

    def state(self) -> dict[str, np.ndarray]:
        """Return all weights as arrays."""
        arrays: dict[str, np.ndarray] = {}
        for i, member in enumerate(self.members):
            parts = {"centre": member.centre, "scale": member.scale, **member.net.state_dict()}
            arrays |= {f"{i}.{name}": value.numpy() for name, value in parts.items()}
        return arrays

    def header(self) -> dict[str, Any]:
        """Return what `restore` needs beside the arrays."""
        return {"counts": list(self.counts), "members": len(self.members), "salt": self.salt.hex()}

    @classmethod
    def restore(cls, header: Mapping[str, Any], state: dict[str, np.ndarray]) -> Self:
        """Rebuild from `header` and `state`; shapes are checked."""
        counts, salt = tuple(int(count) for count in header["counts"]), bytes.fromhex(header["salt"])
        if int(header["members"]) != FOLDS or len(salt) != SALT_BYTES:
            raise ValueError(f"{header['members']} decoders and a salt of {len(salt)} bytes")
        members = []
        for i in range(int(header["members"])):
            own = {n.removeprefix(f"{i}."): a for n, a in state.items() if n.startswith(f"{i}.")}
            centre, scale = (torch.from_numpy(own.pop(name).copy()) for name in ("centre", "scale"))
            net = restored(partial(_network, len(centre), sum(counts)), own)
            members.append(CellDecoder(centre, scale, net))
        return cls(tuple(members), counts, salt)


def _network(width: int, cells: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(width, HIDDEN), nn.SiLU(), nn.Linear(HIDDEN, HIDDEN), nn.SiLU(), nn.Linear(HIDDEN, cells)
    )


def _blocks(scores: torch.Tensor, counts: Sequence[int]) -> tuple[torch.Tensor, ...]:
    """Cut scores into one block a column; the blocks are views."""
    return torch.tensor_split(scores, np.cumsum(counts)[:-1].tolist(), dim=1)


def _fit_one(
    Z: torch.Tensor, cells: torch.Tensor, counts: Sequence[int], seed: int, device: torch.device
) -> CellDecoder:
    """Fit one network, with early stopping on rows it does not learn from."""
    centre, scale = Z.mean(dim=0), Z.std(dim=0, correction=0)
    scale = torch.where(scale > 0, scale, torch.ones_like(scale))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        net = _network(Z.shape[1], sum(counts))
    last: Any = net[-1]
    weights = []
    with torch.no_grad():
        for bias, column, count in zip(_blocks(last.bias[None], counts), cells.T, counts, strict=True):
            shares = (torch.bincount(column, minlength=count) + 0.5) / (len(column) + 0.5 * count)
            bias[0] = shares.log()
            weights.append(1.0 / max(ENTROPY_FLOOR, float(-(shares * shares.log()).sum())) if count > 1 else 0.0)
    net = net.to(device)
    values, targets = ((Z - centre) / scale).to(device), cells.to(device)

    def loss(rows: torch.Tensor) -> torch.Tensor:
        blocks = _blocks(net(values[rows]), counts)
        terms = [
            w * functional.cross_entropy(b, t) for w, b, t in zip(weights, blocks, targets[rows].T, strict=True) if w
        ]
        return torch.stack(terms).mean() if terms else values.new_zeros((), requires_grad=True)

    descend(net, loss, len(Z), seed)
    return CellDecoder(centre, scale, net.cpu().eval().requires_grad_(False))
