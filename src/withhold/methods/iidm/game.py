"""A task, an encoder and a discriminator: the game of every method that makes a representation invariant.

How the encoder deceives the discriminator belongs to a method and is handed in. Here are the players, their batches,
the release noise, the moving centroids and the readings on held-out rows.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from withhold.methods.iidm.centroids import Centroids
from withhold.nets.encoders import Encoder
from withhold.nets.perceptron import Perceptron
from withhold.training.batches import drawn
from withhold.training.checkpoint import NOWHERE, Checkpoint
from withhold.training.game import Game, Player, flat_then_cosine
from withhold.training.session import private_randomness

if TYPE_CHECKING:
    from lightning_fabric import Fabric

WARM_UP, JUDGEMENTS = 0.5, 40  # the best state is looked for in the second half, at every 40th of the game
CLOSING = 0.15  # share of rounds that the discriminator goes on alone: a reading by a net that lags behind flatters
DRAWS = 3  # of the noise, for the final reading
POINTS = 400  # of a curve that is kept
LARGEST_GRADIENT = 5.0  # of the encoder; ordinary gradients have norms below 1

Deception = Callable[[Tensor, Tensor, Tensor], Tensor]
"""(log q(.|z), attribute, label or -1) -> what the encoder makes small; each record's attribute is known."""


@dataclass(frozen=True)
class InvarianceRecipe:
    """Sizes and rates of a game; see `IIDM` for what they mean."""

    lam: float = 1.0
    kappa: int = 4
    rounds: int = 1000
    batch: int = 128
    rate: float = 1e-3
    discriminator_rate: float = 1e-3
    noise: float = 0.3
    gradient_penalty: float = 0.0
    warm_up: int = 100
    head: tuple[int, ...] = (64,)
    discriminator: tuple[int, ...] = (128, 128)
    optimiser: str = "adam"
    select: bool = True
    decays: bool = True
    clip: float | None = LARGEST_GRADIENT


@dataclass(frozen=True)
class LabelledRecords:
    """The training rows as tensors on the device.

    Attributes
    ----------
    H : Tensor (n, p)
        Scaled features, flat.
    secrets, labels : Tensor of int64 (n,)
        Class codes of attribute and task, -1 where missing.
    classes, label_classes : int
        K and C.
    learned, held : Tensor of int64
        Numbers of the rows that are learned from, and of those that are judged on.
    """

    H: Tensor
    secrets: Tensor
    labels: Tensor
    classes: int
    label_classes: int
    learned: Tensor
    held: Tensor

    def maximum_leakage(self) -> float:
        """Return H(S) in nats, of the known rows: what the discriminator's cross-entropy is at most if it is sound."""
        known = self.secrets[self.secrets >= 0]
        shares = torch.bincount(known, minlength=self.classes).double() / max(1, len(known))
        return float(-torch.special.xlogy(shares, shares).sum())


@dataclass
class InvarianceGame:
    """Builds the players and holds what they share.

    Attributes
    ----------
    deceive : callable or None
        See `Deception`; None: the encoder learns the task alone, and there is no discriminator in the game.
    centroids : Centroids or None
        Started after the warm-up of the discriminator, and moved with each batch before `deceive` sees it.
    """

    records: LabelledRecords
    recipe: InvarianceRecipe
    fabric: "Fabric"
    encoder: Encoder
    deceive: Deception | None
    centroids: Centroids | None = None
    curves: dict[str, list[float]] = field(default_factory=lambda: {"task": [], "discriminator": [], "leakage": []})
    seen: int = 0

    def __post_init__(self) -> None:
        width, records, recipe = self.encoder.dimensions, self.records, self.recipe
        self.classifier = Perceptron((width, *recipe.head, records.label_classes))
        self.discriminator = Perceptron((width, *recipe.discriminator, records.classes))
        self.learner = nn.ModuleDict({"encoder": self.encoder, "classifier": self.classifier})
        if self.centroids is not None:
            self.learner["centroids"] = self.centroids
        for module in (self.learner, self.discriminator):
            self.fabric.setup_module(module)
        self.entropy = records.maximum_leakage()

    def state_dict(self) -> dict[str, Any]:
        """Return what the game remembers beside its networks and centroids."""
        return {"curves": self.curves, "seen": self.seen}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take back what `state_dict` returned."""
        self.curves = {name: list(values) for name, values in state["curves"].items()}
        self.seen = int(state["seen"])

    def play(
        self,
        seed: int,
        *,
        checkpoint: Checkpoint = NOWHERE,
        label: str = "Training",
    ) -> dict[str, float]:
        """Play to the end, let the discriminator go on alone against the frozen encoder, and return the readings.

        Parameters
        ----------
        checkpoint : Checkpoint
            Removed at the end. What comes before and after the game itself is short, and is done again.
        label : str
            Shown at the progress bar.

        Returns
        -------
        dict
            ``game_leakage`` (H(S) - CE in nats, on held-out rows), ``held_out_accuracy``, ``held_out_task``,
            ``maximum_leakage``.
        """
        recipe, seeds = self.recipe, iter(range(seed, seed + 9))
        self.encoder.settle(self.records.H)
        self.begin(next(seeds))
        Game(
            self.players(),
            rounds=recipe.rounds,
            fabric=self.fabric,
            seed=next(seeds),
            judge=self.judge if recipe.select and len(self.records.held) else None,
            every=max(1, recipe.rounds // JUDGEMENTS),
            warm_up=int(WARM_UP * recipe.rounds),
            memory=self,
            checkpoint=checkpoint,
            label=label,
        ).play()
        self.encoder.settle(self.records.H)
        closing = [self.watcher(self.recipe.kappa or 1)]
        Game(
            closing, rounds=max(1, int(CLOSING * recipe.rounds)), fabric=self.fabric, seed=next(seeds), label=READING
        ).play()
        checkpoint.remove()
        with private_randomness(self.fabric.device, next(seeds)), torch.no_grad():
            return self.readings()

    def begin(self, seed: int) -> None:
        """Warm the discriminator up against the untrained encoder, then start the centroids from all training rows."""
        if self.deceive is None:
            return
        if self.recipe.warm_up:
            warm = [self.watcher(1)]
            Game(warm, rounds=self.recipe.warm_up, fabric=self.fabric, seed=seed, label=READING).play()
        if self.centroids is not None:
            self.learner.eval()
            with private_randomness(self.fabric.device, seed), torch.no_grad():
                rows = self.records.learned
                log_q = torch.cat([self.log_q(self.release(part)) for part in torch.split(rows, CHUNK)])
                self.centroids.start(log_q.exp(), self.records.secrets[rows], self.records.labels[rows])

    def players(self) -> list[Player]:
        """Return the players in the order in which they move."""
        main = self.player("encoder", self.learner, self.learner_loss)
        return [main] if self.deceive is None else [self.watcher(self.recipe.kappa), main]

    def player(self, name: str, module: nn.Module, loss: Callable[[Tensor], Tensor]) -> Player:
        """Return a player that makes one move a round at the encoder's rate."""
        optimiser = self.optimiser(module, self.recipe.rate)
        return Player(name, module, optimiser, 1, self.batches, loss, self.schedule, clip=self.recipe.clip)

    def watcher(self, steps: int) -> Player:
        """Return the discriminator as a player that makes `steps` moves a round."""
        adam = self.optimiser(self.discriminator, self.recipe.discriminator_rate)
        return Player("discriminator", self.discriminator, adam, steps, self._watched, self.discriminator_loss)

    def schedule(self, share: float) -> float:
        """Return the factor of the encoder's rate: it falls at the end, so that the discriminator catches up."""
        return flat_then_cosine(share) if self.recipe.decays else 1.0

    def optimiser(self, module: nn.Module, rate: float) -> torch.optim.Optimizer:
        """Return the optimiser that the recipe names."""
        parameters, fused = list(module.parameters()), self.fabric.device.type in ("cpu", "cuda")
        if self.recipe.optimiser == "sgd":
            return torch.optim.SGD(parameters, rate)
        if self.recipe.optimiser == "rmsprop":
            return torch.optim.RMSprop(parameters, rate)
        return torch.optim.Adam(parameters, rate, fused=fused)

    def batches(self, moves: int) -> list[Tensor]:
        """Draw the numbers of rows to learn from."""
        return list(drawn(self.records.learned, moves, self.recipe.batch).unbind(0))

    def release(self, rows: Tensor) -> Tensor:
        """Return z of `rows` with fresh noise."""
        return self.noisy(self.encoder(self.records.H[rows]))

    def noisy(self, Z: Tensor) -> Tensor:
        """Add the release noise."""
        return Z + self.recipe.noise * torch.randn_like(Z) if self.recipe.noise else Z

    def log_q(self, Z: Tensor) -> Tensor:
        """Return log q(. | z) of the discriminator."""
        return functional.log_softmax(self.discriminator(Z), dim=-1)

    def task(self, Z: Tensor, rows: Tensor) -> Tensor:
        """Return -log q(y | z), a mean over the rows whose label is known: the first term of equations (1) and (6)."""
        return cross_entropy(self.classifier(Z), self.records.labels[rows])

    def learner_loss(self, rows: Tensor) -> Tensor:
        """Return what encoder and classifier make small: task + lam * deception."""
        Z = self.release(rows)
        task = self.task(Z, rows)
        if self.deceive is None:
            self.note(task)
            return task
        known = self.records.secrets[rows] >= 0
        secrets, labels, log_q = self.records.secrets[rows][known], self.records.labels[rows][known], self.log_q(Z)
        log_q = log_q[known]
        self.note(task, functional.nll_loss(log_q, secrets) if len(secrets) else None)
        if self.centroids is not None:
            self.centroids.update(log_q.detach().exp(), secrets, labels)
        if not len(secrets):
            return task
        return task + self.recipe.lam * self.deceive(log_q, secrets, labels)

    def note(self, task: Tensor, discriminator: Tensor | None = None) -> None:
        """Keep a point of the curves."""
        every = max(1, self.recipe.rounds // POINTS)
        if self.seen % every == 0:
            self.curves["task"].append(float(task.detach()))
            if discriminator is not None:
                entropy = float(discriminator.detach())
                self.curves["discriminator"].append(entropy)
                self.curves["leakage"].append(self.entropy - entropy)
        self.seen += 1

    def _watched(self, moves: int) -> list[tuple[Tensor, Tensor]]:
        rows = torch.stack(self.batches(moves))
        Z = self.release(rows.flatten()).view(*rows.shape, -1)
        return list(zip(Z.unbind(0), rows.unbind(0), strict=True))

    def discriminator_loss(self, batch: tuple[Tensor, Tensor]) -> Tensor:
        """Return the cross-entropy of the attribute, with the penalty on its gradient in z where there is one."""
        Z, rows = batch
        secrets, penalty = self.records.secrets[rows], self.recipe.gradient_penalty
        if not penalty:
            return cross_entropy(self.discriminator(Z), secrets)
        Z = Z.detach().requires_grad_(True)
        loss = cross_entropy(self.discriminator(Z), secrets)
        return loss + penalty * gradient_square(loss * len(Z), Z)

    def judge(self) -> tuple[float, ...]:
        """Return task + lam * leakage on the rows that no player learns from."""
        rows = self.records.held
        Z = torch.cat([self.release(part) for part in torch.split(rows, CHUNK)])
        value = float(self.task(Z, rows))
        if self.deceive is not None:
            value += self.recipe.lam * max(0.0, self.leakage(Z, rows))
        return (value,)

    def leakage(self, Z: Tensor, rows: Tensor) -> float:
        """Return H(S) - CE of the discriminator: a lower bound on I(S; Z), up to sampling error."""
        return self.entropy - float(cross_entropy(self.discriminator(Z), self.records.secrets[rows]))

    def readings(self) -> dict[str, float]:
        """Return what the closed game reads on held-out rows (on the training rows, where none are held out)."""
        rows = self.records.held if len(self.records.held) else self.records.learned
        leakage, task, right = 0.0, 0.0, 0.0
        labels = self.records.labels[rows]
        for _ in range(DRAWS):
            Z = torch.cat([self.release(part) for part in torch.split(rows, CHUNK)])
            leakage += self.leakage(Z, rows) / DRAWS
            task += float(self.task(Z, rows)) / DRAWS
            hit = (self.classifier(Z).argmax(dim=-1) == labels)[labels >= 0]
            right += float(hit.float().mean()) / DRAWS
        return {
            "game_leakage": leakage,
            "maximum_leakage": self.entropy,
            "held_out_task": task,
            "held_out_accuracy": right,
        }


READING = "Reading what is left"
CHUNK = 4_096  # rows encoded at a time


def cross_entropy(logits: Tensor, codes: Tensor) -> Tensor:
    """Return the mean cross-entropy of the rows whose code is known (not -1); 0 where none is.

    Examples
    --------
    >>> round(float(cross_entropy(torch.zeros(3, 4), torch.tensor([0, -1, 3]))), 4)
    1.3863
    """
    if not bool((codes >= 0).any()):
        return logits.sum() * 0.0
    return functional.cross_entropy(logits, codes, ignore_index=-1)


def gradient_square(total: Tensor, Z: Tensor) -> Tensor:
    """Return half of the mean squared norm of the gradient of each record's loss in z, which can be derived again.

    `total` is the sum of the records' losses, so that a record's gradient is its own. The penalty R1 of a two-class
    discriminator, written for any number of classes.
    """
    (gradient,) = torch.autograd.grad(total, Z, create_graph=True)
    return 0.5 * gradient.square().sum(dim=-1).mean()
