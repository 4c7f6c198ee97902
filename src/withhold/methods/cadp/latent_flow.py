"""The trained flow of CADP: encoded records to latents and back, in the scale and precision it works in."""

import json
from typing import Any, Self

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from withhold.contracts.images import image_column
from withhold.contracts.seeds import stream
from withhold.data.splits import split_rows
from withhold.methods.cadp.directions import active_directions, settle
from withhold.methods.cadp.flow import ConditionalFlow, FlowPlan, check_weights
from withhold.methods.cadp.training import FlowRecipe, train_flow
from withhold.methods.estimator.encoding import Encoding
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.estimator.inputs import Features
from withhold.nets.restoring import restored
from withhold.training.checkpoint import Checkpoint
from withhold.training.session import make_fabric, private_randomness

CHUNK = 1_024
HELD_OUT = 0.05  # share of the rows that decide when training ends
PASSES, FEWEST_ROUNDS, BATCH = 10, 200, 128
PIXEL_NOISE, VALUE_NOISE = 0.1, 0.05  # the published code's noise on pixels; on values of unit spread
BLOCKS, IMAGE_DENSE, TABLE_DENSE = (0, 4), 4, 6  # convolutions pay at a quarter of the sides, couplings by CPU time
IMAGE_HIDDEN, TABLE_HIDDEN, CHANNELS = 384, 64, 32
MOST_DIRECTIONS = 256  # kept in an artifact; more are all of them, for which no order is needed
LEAST_ACTIVITY = 1e-6
LIMIT = 8.0  # decoded values of unit spread are cut there: what lies beyond is overflow, and no record
FARTHEST = 1e6  # latents are cut there: of usual records they are within some units
TRIED = 512  # records whose round trip decides the precision


class LatentFlow:
    """A flow with what leads to it: scale, precision, directions.

    Attributes
    ----------
    centre, spread : ndarray of shape (d,)
        Of encoded values; zero and one for pixels and tables, which have a scale already.
    directions : ndarray of shape (d, k)
        The most active ones first.
    activity : ndarray of shape (k,)
        Share of all change along each.
    """

    def __init__(
        self,
        flow: ConditionalFlow,
        centre: np.ndarray,
        spread: np.ndarray,
        directions: np.ndarray,
        activity: np.ndarray,
        curves: dict[str, list[float]],
        diagnostics: dict[str, float],
    ) -> None:
        self.flow, self.centre, self.spread = flow, centre, spread
        self.directions, self.activity = directions, activity
        self.curves, self.diagnostics = curves, diagnostics

    @classmethod
    def train(cls, method: Any, data: FitData, classes: int) -> Self:
        """Train a flow on the rows of `data`, whose last column is the class, as the parameters of CADP say."""
        H, codes = np.asarray(data.H[:, :-1], np.float32), np.asarray(data.H[:, -1], np.int64)
        n, d = H.shape
        raw = data.codec is None and not data.bounded
        centre, spread = (H.mean(axis=0), H.std(axis=0)) if raw else (np.zeros(d), np.ones(d))
        centre, spread = centre.astype(np.float32), np.where(spread > 0, spread, 1).astype(np.float32)
        image = data.shape is not None and len(data.shape) >= 2
        plan = FlowPlan(
            shape=data.shape or (d,),
            classes=classes,
            blocks=BLOCKS if image else (),
            dense_blocks=IMAGE_DENSE if image else TABLE_DENSE,
            channels=method.channels or CHANNELS,
            hidden=method.hidden or (IMAGE_HIDDEN if image else TABLE_HIDDEN),
            volume_preserving=method.coupling == "gin",
        )
        noise = method.input_noise if method.input_noise is not None else PIXEL_NOISE if data.bounded else VALUE_NOISE
        rounds = method.rounds or max(FEWEST_ROUNDS, PASSES * n // BATCH)
        fabric = make_fabric(data.device, data.precision)
        seed = int(stream(data.rng_seed, "training").integers(1 << 62))
        with private_randomness(torch.device("cpu"), seed):
            flow = ConditionalFlow(plan)
        held = np.zeros(n, bool)
        held[split_rows(n, HELD_OUT, stream(data.rng_seed, "held out"), data.groups)[1]] = True
        rows = torch.from_numpy((H - centre) / spread)
        labels = torch.from_numpy(codes) if classes else None
        fingerprint = f"{data.digest} {plan} {rounds} {noise}"
        checkpoint = Checkpoint.of(method.checkpoint, fingerprint)
        recipe = FlowRecipe(steps=rounds, batch=BATCH, noise=float(noise))
        grain = torch.full((d,), 1 / 255) if data.bounded else None
        held_out = torch.from_numpy(held)
        curves = train_flow(flow, rows, labels, held_out, recipe, fabric, seed, grain=grain, checkpoint=checkpoint)
        _, error = settle(flow, rows[:TRIED], None if labels is None else labels[:TRIED])
        k = min(d, MOST_DIRECTIONS)
        samples = int(np.clip(4 * d, 256, 4096))
        directions, activity = active_directions(flow, k, samples, seed % (1 << 32))
        checkpoint.remove()
        kept = min(d, method.directions or d)
        activity_kept = float(activity[:kept].sum())
        diagnostics = {"round_trip": error, "activity": activity_kept, "held_out_nats": curves.best}
        found = {"train": curves.train, "held_out": curves.held_out}
        return cls(flow, centre, spread, directions.float().numpy(), activity[:k].float().numpy(), found, diagnostics)

    def basis(self, k: int | None) -> np.ndarray:
        """Return the `k` most active directions; all of the space for None."""
        d = self.flow.plan.dimensions
        return np.eye(d) if k is None or k >= d else np.asarray(self.directions[:, :k], np.float64)

    def weights(self, k: int | None) -> np.ndarray:
        """Return how much each direction of `basis` matters: the size of what changes along it.

        On digits that the flow was trained on this kept more of ink, slant and pixels than equal weights.
        """
        d = self.flow.plan.dimensions
        if k is None or k >= d:
            return np.ones(d)
        return np.asarray(np.sqrt(np.maximum(self.activity[:k], LEAST_ACTIVITY)), np.float64)

    @torch.no_grad()
    def encode(self, H: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Return latents (n, d) of encoded records within `limits`. What overflows is cut, never refused.

        Raises
        ------
        NumericalError
            The flow itself has weights that are no numbers; no record decides that.
        """
        check_weights(self.flow)
        z = self._through(lambda x, y: self.flow(x, y)[0], (H - self.centre) / self.spread, codes)
        return np.asarray(np.nan_to_num(z, nan=0.0, posinf=FARTHEST, neginf=-FARTHEST).clip(-FARTHEST, FARTHEST))

    def limits(self, bounded: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return least, middle and largest of each number of a record; beyond them it is cut before it is encoded."""
        low, high = self.centre - LIMIT * self.spread, self.centre + LIMIT * self.spread
        return (np.zeros_like(low), self.centre, np.ones_like(high)) if bounded else (low, self.centre, high)

    @torch.no_grad()
    def log_likelihood(self, H: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Return the log-density (n,) of encoded records of the flow's scale, in nats, but for a constant."""
        values = self._through(
            lambda x, y: -self.flow.nats_a_dimension(x, y)[:, None], (H - self.centre) / self.spread, codes
        )
        return np.nan_to_num(values[:, 0].astype(np.float64), nan=-FARTHEST) * self.flow.plan.dimensions

    @torch.no_grad()
    def decode(self, z: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Return encoded records of latents. What overflows is cut, never dropped or drawn again."""
        x = self._through(self.flow.inverse, z, codes)
        x = np.nan_to_num(x, nan=0.0, posinf=LIMIT, neginf=-LIMIT).clip(-LIMIT, LIMIT)
        return np.asarray(x * self.spread + self.centre)

    def features_like(self, encoding: Encoding) -> Features:
        """Return the container that records without an original are delivered in."""
        image = encoding.image
        if image is not None:
            return Features(
                "numpy", table=pa.table({image.name: image_column(np.zeros((1, *image.shape), image.dtype))})
            )
        return Features("numpy" if encoding.codec is None else "pyarrow")

    def state(self) -> dict[str, np.ndarray]:
        """Return everything as arrays."""
        plan = np.frombuffer(json.dumps(self.flow.plan.as_dict()).encode(), np.uint8).copy()
        scale = {"centre": self.centre, "spread": self.spread, "plan": plan}
        scale |= {"directions": self.directions, "activity": self.activity}
        return scale | {f"flow.{name}": value.numpy() for name, value in self.flow.state_dict().items()}

    @classmethod
    def restore(cls, state: dict[str, np.ndarray]) -> Self:
        """Rebuild from `state`."""
        plan = FlowPlan.of(json.loads(state["plan"].tobytes().decode()))
        d, k = plan.dimensions, len(state["activity"])
        if state["centre"].shape != (d,) or state["spread"].shape != (d,) or state["directions"].shape != (d, k):
            raise ValueError(f"scales and directions of other records than those of {d} numbers")
        weights = {n.removeprefix("flow."): v for n, v in state.items() if n.startswith("flow.")}
        double = any(value.dtype == np.float64 for value in weights.values())
        flow = restored(lambda: ConditionalFlow(plan).double() if double else ConditionalFlow(plan), weights)
        return cls(flow, state["centre"], state["spread"], state["directions"], state["activity"], {}, {})

    def _through(self, step: Any, values: np.ndarray, codes: np.ndarray) -> np.ndarray:
        first = next(self.flow.parameters())
        given = torch.from_numpy(np.ascontiguousarray(values)).to(first)
        labels = torch.from_numpy(codes) if self.flow.plan.classes else None
        parts: list[Tensor] = []
        for start in range(0, len(given), CHUNK):
            block = slice(start, start + CHUNK)
            parts.append(step(given[block], None if labels is None else labels[block]))
        return torch.cat(parts).numpy() if parts else np.empty(given.shape, given.numpy().dtype)
