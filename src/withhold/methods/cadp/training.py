"""Maximum likelihood for a flow: records made continuous by noise, gradients clipped, the best held-out state kept."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from withhold.methods.cadp.flow import ConditionalFlow
from withhold.training.batches import drawn
from withhold.training.checkpoint import NOWHERE, Checkpoint
from withhold.training.game import Game, Player, cosine
from withhold.training.session import private_randomness

if TYPE_CHECKING:
    from lightning_fabric import Fabric

WARM_UP = 0.03  # share of the training with a rising rate: the first steps of a deep flow are the dangerous ones
START_ROWS = 4_096  # rows from which the class-wise Gaussian starts
JUDGEMENTS = 20  # looks at the held-out rows over the whole training
CHUNK = 1_024
PATIENCE = 5  # looks without improvement after which it ends


@dataclass(frozen=True)
class FlowRecipe:
    """How a flow is trained.

    Attributes
    ----------
    steps : int
        Batches.
    rate : float
        Of Adam; it rises over the first steps and then falls to zero along a cosine.
    noise : float
        Standard deviation of the Gaussian noise on every number of a record. Records on a grid, or constant in a
        number, have infinite likelihood without it.
    clip : float
        Largest norm of the gradient.

    Examples
    --------
    >>> FlowRecipe(steps=100).clip
    5.0
    """

    steps: int
    batch: int = 256
    rate: float = 1e-3
    noise: float = 0.1
    clip: float = 5.0


@dataclass(frozen=True)
class FlowCurves:
    """What training came to: loss of the rows learned from and of the held-out rows, in nats a dimension.

    Attributes
    ----------
    train, held_out : list of float
        One value a judgement. The constant 0.5 log(2 pi) is left out.
    best : float
        The smallest held-out value, which the returned weights have.
    """

    train: list[float]
    held_out: list[float]
    best: float


def train_flow(
    flow: ConditionalFlow,
    H: Tensor,
    labels: Tensor | None,
    held_out: Tensor,
    recipe: FlowRecipe,
    fabric: "Fabric",
    seed: int,
    *,
    grain: Tensor | None = None,
    checkpoint: Checkpoint = NOWHERE,
) -> FlowCurves:
    """Train `flow` in place on the rows of `H` that are not held out.

    Parameters
    ----------
    H : Tensor of shape (n, d)
    labels : Tensor of shape (n,) or None
        Class numbers.
    held_out : Tensor of bool, shape (n,)
        Rows that decide which state is kept; never learned from.
    grain : Tensor of shape (d,), optional
        Width of the grid each number lies on; uniform noise of that width makes it continuous.

    Raises
    ------
    NumericalError
        The loss is no longer finite.

    Examples
    --------
    >>> from withhold.methods.cadp.flow import FlowPlan
    >>> from withhold.training.session import make_fabric
    >>> H = 3 + 2 * torch.randn(400, 2, generator=torch.Generator().manual_seed(0))
    >>> flow = ConditionalFlow(FlowPlan((2,), hidden=8))
    >>> curves = train_flow(flow, H, None, torch.arange(400) < 80, FlowRecipe(40), make_fabric("cpu"), seed=0)
    >>> z, _ = flow(H)
    >>> bool(0.8 < z.std() < 1.2)
    True
    """
    H, labels = H.to(fabric.device), None if labels is None else labels.to(fabric.device)
    learned = torch.nonzero(~held_out).flatten().to(fabric.device)
    judged = torch.nonzero(held_out).flatten().to(fabric.device)
    batch = min(recipe.batch, len(learned))
    train: list[float] = []
    held: list[float] = []

    def noisy(rows: Tensor) -> Tensor:
        x = H[rows]
        x = x + recipe.noise * torch.randn_like(x)
        return x if grain is None else x + (torch.rand_like(x) - 0.5) * grain.to(x.device)

    def batches(steps: int) -> list[tuple[Tensor, Tensor | None]]:
        chosen = drawn(learned, steps, batch).unbind(0)
        return [(noisy(rows), None if labels is None else labels[rows]) for rows in chosen]

    def loss(given: tuple[Tensor, Tensor | None]) -> Tensor:
        value = flow.nats_a_dimension(*given).mean()
        recent.append(value.detach())
        return value

    recent: list[Tensor] = []
    with private_randomness(fabric.device, seed), torch.no_grad():
        flow.to(H.device)
        start = learned[torch.randperm(len(learned), device=H.device)[:START_ROWS]]
        of = None if labels is None else labels[start]
        flow.last.start_at(flow.body(noisy(start), of)[0], of)
        # The same noise at every look: the comparison is of weights.
        fixed = noisy(judged), None if labels is None else labels[judged]

    def judge() -> tuple[float, ...]:
        x, of = fixed
        parts = [slice(start, start + CHUNK) for start in range(0, len(x), CHUNK)]
        total = torch.cat([flow.nats_a_dimension(x[p], None if of is None else of[p]) for p in parts])
        held.append(float(total.mean()))
        train.append(float(torch.stack(recent).mean()))
        recent.clear()
        return (held[-1],)

    players = [
        Player(
            "flow",
            flow,
            torch.optim.Adam(flow.parameters(), lr=recipe.rate, eps=1e-6),
            steps=1,
            batches=batches,
            loss=loss,
            schedule=warm_cosine,
            clip=recipe.clip,
        )
    ]
    game = Game(
        players,
        rounds=recipe.steps,
        fabric=fabric,
        seed=seed + 1,
        judge=judge if len(judged) else None,
        every=max(1, recipe.steps // JUDGEMENTS),
        patience=PATIENCE,
        checkpoint=checkpoint,
        save_every=max(1, recipe.steps // JUDGEMENTS),
        label="Training the flow",
    )
    game.play()
    flow.to("cpu").eval()
    best: Any = game.best[0] if game.best else float("nan")
    return FlowCurves(train, held, float(best))


def warm_cosine(share: float) -> float:
    """Return the factor of the rate at a share of the training: a short rise, then a cosine to zero.

    Examples
    --------
    >>> warm_cosine(0.0), round(warm_cosine(0.015), 2), round(warm_cosine(1.0), 2)
    (0.0, 0.5, 0.0)
    """
    return min(1.0, share / WARM_UP) * cosine(share)
