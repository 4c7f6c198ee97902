"""The way back from a representation to a table: networks that read each column's cell from Z, and nothing else.

For rows it was not fitted on, decoding is post-processing of Z and can reveal no more than Z does. On rows it was
fitted on a network could return what it memorised; so there are as many networks as folds, and a training row is
decoded by a network that saw neither the row, nor a copy of it, nor another row of its subject.
"""

from collections.abc import Sequence
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

FOLDS = 2  # each network learns from half the rows; new rows are decoded by both, so no row is wasted
HIDDEN = 128  # wide enough for some hundred cells; 100,000 rows a second on one core
ENTROPY_FLOOR = 0.1  # nats: a nearly constant column must not dominate a loss measured in units of its entropy
CHUNK = 4_096  # rows decoded at a time: scores of some hundred cells stay in the cache


def row_folds(unit: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the fold of each row so that rows of one unit stay together.

    Parameters
    ----------
    unit : ndarray
        Subject codes of shape (n_samples,), or canonical bytes of shape (n_samples, n_bytes): copies of a record are
        then one unit.

    Examples
    --------
    >>> folds = row_folds(np.array([0, 0, 1, 1, 2, 2]), np.random.default_rng(0))
    >>> bool((folds[::2] == folds[1::2]).all()), sorted(set(folds.tolist()))
    (True, [0, 1])
    """
    if unit.ndim == 2:
        unit = np.ascontiguousarray(unit).view(np.dtype((np.void, unit.shape[1]))).ravel()
    _, codes = np.unique(unit, return_inverse=True)
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

    @classmethod
    def fit(cls, Z: np.ndarray, data: FitData, folds: np.ndarray, rng: np.random.Generator) -> Self:
        """Fit one network a fold to read the cells of each column from the released `Z`."""
        cells, counts = torch.from_numpy(np.asarray(data.cells, dtype=np.int64)), tuple(data.cell_counts or ())
        values, device = torch.from_numpy(np.asarray(Z, dtype=np.float32)), make_fabric(data.device).device
        members = []
        for fold in range(FOLDS):
            rows = np.flatnonzero(folds != fold)
            rows = rows if rows.size else np.arange(len(folds))  # one unit only: every row is the same
            members.append(_fit_one(values[rows], cells[rows], counts, int(rng.integers(1 << 62)), device))
        return cls(tuple(members), counts)

    def decode(
        self,
        Z: np.ndarray,
        codec: TableCodec,
        *,
        folds: np.ndarray | None = None,
        key: tuple[NoiseKey, bytes, np.ndarray] | None = None,
    ) -> pa.Table:
        """Return the table of Z.

        Parameters
        ----------
        Z : ndarray of shape (n_samples, n_dimensions)
        codec : TableCodec
            Gives each cell a valid value.
        folds : ndarray of int, optional
            Fold of each row, for the training rows; without it all networks vote.
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
            scores = self._scores(
                torch.from_numpy(np.asarray(Z[part], np.float32)), None if folds is None else folds[part]
            )
            for j, block in enumerate(_blocks(scores, self.counts)):
                if uniforms is None:
                    cells[part, j] = block.argmax(dim=1).numpy()
                else:
                    levels = block.double().softmax(dim=1).cumsum(dim=1).numpy()
                    drawn = (uniforms[part, j, None] >= levels[:, :-1]).sum(axis=1)
                    cells[part, j] = drawn
        return codec.from_cells(cells, None if uniforms is None else uniforms[:, columns:])

    def _scores(self, Z: torch.Tensor, folds: np.ndarray | None) -> torch.Tensor:
        if folds is None:
            # Averaging scores is the log-linear pool: the most likely cell needs no exponentials.
            scores = self.members[0].scores(Z)
            for member in self.members[1:]:
                scores += member.scores(Z)
            return scores.div_(len(self.members))
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
        return {"counts": list(self.counts), "members": len(self.members)}

    @classmethod
    def restore(cls, header: dict[str, Any], state: dict[str, np.ndarray]) -> Self:
        """Rebuild from `header` and `state`; shapes are checked."""
        counts = tuple(int(count) for count in header["counts"])
        members = []
        for i in range(int(header["members"])):
            own = {n.removeprefix(f"{i}."): a for n, a in state.items() if n.startswith(f"{i}.")}
            centre, scale = (torch.from_numpy(own.pop(name).copy()) for name in ("centre", "scale"))
            net = restored(partial(_network, len(centre), sum(counts)), own)
            members.append(CellDecoder(centre, scale, net))
        return cls(tuple(members), counts)


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
