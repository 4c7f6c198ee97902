"""The training of a filter: records and networks put together, the game played or its stored result taken up."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from withhold.contracts.errors import InvalidParameterError, InvalidTypeError
from withhold.contracts.seeds import stream
from withhold.information.measures.shannon import conditional_entropy
from withhold.io.artifact import content_digest
from withhold.methods.aioi.filters import Filter
from withhold.methods.aioi.posterior import learn_posterior
from withhold.methods.aioi.side import Alternation, Filtering, frozen
from withhold.methods.aioi.sweeps import result_of
from withhold.methods.aioi.utility_model import TRIED, check_logits
from withhold.methods.aioi.vectors import FilterDomain
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.estimator.game_records import make_records
from withhold.nets.attribute_density import AttributeLayout
from withhold.training.checkpoint import Checkpoint
from withhold.training.debiasing import Debiasing
from withhold.training.releasing import UtilityLoss
from withhold.training.session import make_fabric, private_randomness


@dataclass(frozen=True)
class Objectives:
    """A paper's objectives, as functions of outputs; see `AIOI`."""

    true_label_leakage: Callable[..., Tensor]
    soft_leakage: Callable[..., Tensor]
    reversed_divergence: Callable[..., Tensor]
    information_loss: Callable[..., Tensor]
    penalised: Callable[..., Tensor]


@dataclass
class FilterGame:
    """One fit of a filter.

    Attributes
    ----------
    parameters : mapping
        The method's own, without secrets and modules.
    keep : bool
        Whether the result is stored beside the checkpoint, to be taken up by a later call.
    before : mapping or None
        `played` of an earlier fit, to go on from.
    """

    data: FitData
    domain: FilterDomain
    objectives: Objectives
    parameters: Mapping[str, Any]
    utility_model: Any = None
    checkpoint: Path | None = None
    keep: bool = False
    before: Mapping[str, Any] | None = None
    played: dict[str, Any] = field(default_factory=dict)
    curves: dict[str, list[float]] = field(default_factory=dict)
    readings: dict[str, float] = field(default_factory=dict)

    def play(self) -> Filter:
        """Return the trained filter on the processor; set `played`, `curves` and `readings`."""
        self._assemble()
        done = None if self.checkpoint is None else result_of(self.checkpoint)
        if self.keep and done is not None and done.exists():
            self._take_up(done)
        else:
            self._train()
            if self.keep and done is not None:
                self._store(done)
        trained: Filter = self.side.channel
        return trained.to("cpu", torch.float32).eval().requires_grad_(False)

    def _assemble(self) -> None:
        data, domain = self.data, self.domain
        self.paper = self.parameters["preset"] == "paper"
        recipe = domain.recipe(data.n)
        if self.before is not None:
            recipe = replace(recipe, alone=0)  # there is a filter to go on from; alone it would unlearn to hide
        self.fabric = make_fabric(data.device, data.precision)
        dtype = torch.float64 if data.precision == "64-true" else torch.float32
        self.seed = int(stream(data.rng_seed, "training").integers(1 << 62))
        H = domain.read(data.H)
        self.records = replace(
            make_records(data, H, recipe.folds, self.fabric.device, dtype),
            given=torch.zeros(data.n, 0),
            utility_unit=1.0,
        )
        self.records.recovered = domain.recovered(self.records.H)
        self.recipe, self.layout = recipe, self.records.layout
        self.asked = self.records.utility_layout or AttributeLayout(())
        self.prior = prior_outputs(self.layout, self.records.secrets)
        settings = sorted(self.parameters.items())
        kept = {} if self.before is None else self.before["tensors"]
        before = content_digest({}, {name: value.cpu().numpy() for name, value in kept.items()})
        self.fingerprint = f"{data.digest} {settings!r} {before}"
        with private_randomness(self.fabric.device, self.seed):
            self._make_players()
        if self.before is not None:
            self._go_on_from(self.before)

    def _make_players(self) -> None:
        records, domain, recipe = self.records, self.domain, self.recipe
        reader: Any = self._reader(self.asked.width)
        records = self.records
        if self.parameters["estimator"] == "kl" and not self.paper and records.posterior is None:
            self.records = records = replace(records, posterior=self._posterior(reader))
        self.utility = UtilityLoss(records, recipe, reader)
        channel = domain.filter()
        asked = self.parameters["naturalness"]
        naturalness = domain.naturalness if asked is None else float(asked)
        if naturalness and not domain.natural:
            raise InvalidParameterError(
                f"naturalness does not apply to tables (got {naturalness:g}). Leave it out; retention=0.3 keeps "
                "columns."
            )
        self.side = Filtering(records, channel, self.utility, naturalness, domain.keeper(records, channel))
        self.price = domain.price(float(self.parameters["budget"]))
        self.game = Debiasing(
            records,
            recipe,
            self.fabric,
            debias=self._direction,
            side=self.side,
            trade=None,
            price=self.price,
            opponents=domain.opponents(self.layout, int(records.folds.max()) + 1, recipe),
        )

    def _reader(self, outputs: int) -> Any:
        """Return what reads utility from a release; put what is known of p(u|x) into the records."""
        fixed = None if self.utility_model is None else self.domain.fixed(self.utility_model, self.data)
        if self.utility_model is not None and fixed is None:
            return self._fixed()
        soft = self.domain.soft_posterior(self.data) if fixed is None else fixed.posterior
        if soft is not None:
            layout = self.records.utility_layout if fixed is None else fixed.layout
            posterior = torch.from_numpy(soft).to(self.records.H)
            self.records = replace(self.records, posterior=posterior, utility_layout=layout)
        if fixed is not None:
            self.readings |= fixed.diagnostics
            return fixed.net
        return self.domain.posterior(outputs)

    def _posterior(self, reader: Any) -> Tensor:
        if self.utility_model is not None:
            with torch.no_grad():
                return torch.cat([reader(part) for part in torch.split(self.records.H, CHUNK)])
        net, recipe = self.domain.posterior(self.asked.width), self.recipe
        return learn_posterior(
            self.records, net, self.fabric, seed=self.seed + 7, rounds=recipe.rounds, batch=recipe.batch
        )

    def _fixed(self) -> Callable[[Tensor], Tensor]:
        if not isinstance(self.utility_model, nn.Module):
            kind = type(self.utility_model).__name__
            raise InvalidTypeError(f"utility_model must be a torch.nn.Module that returns logits (got a {kind}).")
        model = frozen(self.utility_model, self.fabric.device)
        check_logits(model, self.domain.own_form(self.records.H[:TRIED]), self.asked.width)
        return lambda Y: model(self.domain.own_form(Y))

    def _direction(self, outputs: Tensor, secrets: Tensor) -> Tensor:
        """Return what the filter makes small: the leakage, or equation (10) while adversaries are sure of S."""
        if self.parameters["estimator"] == "kl":
            return self.objectives.soft_leakage(self.layout, outputs, self.prior)
        secrets = secrets.expand(*outputs.shape[:-1], -1)
        entropy = -float(self.records.marginal.sum(dim=1).mean())
        share = steepness(self.price.average or 0.0, entropy, self.price.budget)
        # The marginal is no function of the filter, so it is left out.
        label = self.objectives.true_label_leakage(self.layout, outputs, secrets, torch.zeros_like(secrets))
        if share <= 0 or not all(self.layout.classes):
            return label
        steep = self.objectives.reversed_divergence(self.layout, outputs, self.prior)
        return (1 - share) * label + share * steep

    def _train(self) -> None:
        arguments: dict[str, Any] = {
            "checkpoint": Checkpoint(self.checkpoint, self.fingerprint),
            "label": "Training AIOI",
        }
        if self.paper:
            self._play_as_printed(arguments)
        else:
            reading = self.game.play(self.seed + 1, select=True, **arguments)
            self.readings["game_leakage"] = reading
            self.curves = self.game.curves
        self.played = {"tensors": self._tensors(), "price": self.price.state_dict()}
        rounds = max(1, int(FRESH * self.recipe.rounds)) if not self.paper else FRESH_ROUNDS
        self.readings["fresh_leakage"] = self.game.attack(self.seed + 3, rounds, fresh=True)
        self._read_utility()

    def _play_as_printed(self, arguments: dict[str, Any]) -> None:
        records, layout, asked = self.records, self.layout, self.asked
        utility = records.H[:, :0] if records.utility is None else records.utility
        with private_randomness(self.fabric.device, self.seed + 2):
            raw, adversary = self.domain.posterior(asked.width), self.domain.posterior(layout.width)
        reader = self.utility.net
        inference = nn.ModuleDict({"raw": raw, "adversary": adversary})
        if isinstance(reader, nn.Module):
            inference["reader"] = reader

        def leakage(Y: Tensor, rows: Tensor) -> Tensor:
            return self.objectives.true_label_leakage(
                layout, adversary(Y), records.secrets[rows], records.marginal[rows]
            )

        def loss(Y: Tensor, rows: Tensor) -> Tensor:
            return self.objectives.information_loss(asked, raw(records.H[rows]), reader(Y), utility[rows])

        def infer(Y: Tensor, rows: Tensor) -> Tensor:
            original = -asked.log_density(raw(records.H[rows]), utility[rows]).mean()
            read = self.utility(Y, rows) if isinstance(reader, nn.Module) else 0.0
            return original + read - leakage(Y, rows)

        budget, lam = float(self.parameters["budget"]), float(self.parameters["lam"])
        printed = Alternation(
            self.side,
            inference,
            infer=infer,
            filter=lambda Y, rows: self.objectives.penalised(loss(Y, rows), leakage(Y, rows), budget, lam),
            batch=PAPER_BATCH,
            rate=PAPER_RATE,
            fabric=self.fabric,
        )
        rounds = self.parameters["rounds"] or PAPER_EPOCHS * -(-self.data.n // PAPER_BATCH)
        printed.play(self.seed + 1, rounds, **arguments)
        self.side.settle()
        self.curves = printed.curves
        with private_randomness(self.fabric.device, self.seed + 4), torch.no_grad():
            rows = torch.from_numpy(np.flatnonzero(records.folds >= 0)[:OWN_READING]).to(self.fabric.device)
            self.readings["game_leakage"] = float(leakage(self.side.filtered(rows), rows))

    def _read_utility(self) -> None:
        """Read what the release tells of U, and what it must then tell of S: I(U;Y) <= I(S;Y) + H(U|S)."""
        readings, records, data = self.readings, self.records, self.data
        found = [readings["fresh_leakage"]] if self.paper else [readings["game_leakage"], readings["fresh_leakage"]]
        utilities, joint = list(data.utilities or ()), data.sensitive.joint()
        rows = self.game.held
        asked = tuple(item.n_classes if item.kind == "categorical" else 0 for item in utilities)
        if asked and all(asked) and self.utility.layout.classes == asked and records.utility is not None:
            layout, labels = self.utility.layout, records.utility[rows]
            known = (~labels.isnan()).sum(dim=0).clamp(min=1)
            with private_randomness(self.fabric.device, self.seed + 5), torch.no_grad():
                read = [layout.log_density(self.utility.net(self.side.filtered(rows)), labels) for _ in range(DRAWS)]
            losses = [-float((one.sum(dim=0) / known).sum()) for one in read]
            told = sum(item.entropy() for item in utilities) - float(np.mean(losses))
            readings["utility_information"] = told
            if len(utilities) == 1 and joint is not None and len(rows) >= ENOUGH:
                both = utilities[0].known & joint.known
                table = np.zeros((utilities[0].n_classes, joint.n_classes))
                np.add.at(table, (utilities[0].codes[both], joint.codes[both]), 1.0)
                given = float(conditional_entropy(table / table.sum(), 0, 1))
                readings["implied_leakage"] = told - given
                found.append(told - given)
        readings["leakage_lower_bound"] = max(0.0, *found)

    def _modules(self) -> dict[str, nn.Module]:
        return {"side": self.side, "adversary": self.game.adversary, "calibration": self.game.calibration}

    def _tensors(self) -> dict[str, Tensor]:
        return {
            f"{name}|{key}": value.detach().clone()
            for name, module in self._modules().items()
            for key, value in module.state_dict().items()
        }

    def _go_on_from(self, before: Mapping[str, Any]) -> None:
        for name, module in self._modules().items():
            own = {
                key.split("|", 1)[1]: value for key, value in before["tensors"].items() if key.startswith(name + "|")
            }
            try:
                module.load_state_dict(own)
            except RuntimeError as error:
                raise InvalidParameterError(
                    "warm_start needs the records, attributes and networks of the earlier fit. Fit with "
                    "warm_start=False."
                ) from error
        self.price.load_state_dict(before["price"])
        self.price.average = None

    def _store(self, path: Path) -> None:
        state = {"price": self.played["price"], "curves": self.curves, "readings": self.readings}
        Checkpoint(path, self.fingerprint).write(state, self.played["tensors"])

    def _take_up(self, path: Path) -> None:
        state, tensors = Checkpoint(path, self.fingerprint).read()
        self._go_on_from({"tensors": tensors, "price": state["price"]})
        self.played = {"tensors": tensors, "price": state["price"]}
        self.curves, self.readings = dict(state["curves"]), dict(state["readings"])


SURE, STEEP = 0.4, 3.0  # share of H(S) read from which equation (10) is mixed in above the budget, and how fast
FRESH = 0.3  # rounds of fresh adversaries, as a share of the game's
FRESH_ROUNDS = 200
OWN_READING = 4_096
DRAWS, ENOUGH = 3, 500
CHUNK = 2_048
PAPER_BATCH, PAPER_RATE, PAPER_EPOCHS = 64, 5e-4, 60  # as the authors ran it


def steepness(reading: float, entropy: float, budget: float) -> float:
    """Return the share of equation (10) in the filter's direction: 0 within the budget, 1 where S is open.

    Near the budget only the leakage itself may be followed: of two releases that leak the same, equation (10) prefers
    the one that is nowhere sure, and tells less of U.

    Examples
    --------
    >>> [round(steepness(reading, 0.7, 0.05), 2) for reading in (0.04, 0.28, 0.35, 0.7)]
    [0.0, 0.0, 0.5, 1.0]
    >>> steepness(0.4, 0.7, 0.42)
    0.0
    """
    above = reading - max(SURE * entropy, budget)
    return min(1.0, max(0.0, STEEP * above / max((1 - SURE) * entropy, 1e-6)))


def prior_outputs(layout: AttributeLayout, secrets: Tensor) -> Tensor:
    """Return the outputs that describe the marginal of each attribute; numbers are standard normal scores."""
    parts = []
    for values, k in zip(secrets.unbind(-1), layout.classes, strict=True):
        if k:
            counts = torch.bincount(values[~values.isnan()].long(), minlength=k).to(secrets.dtype)
            parts.append((counts.clamp(min=1) / counts.sum().clamp(min=1)).log())
        else:
            parts.append(secrets.new_zeros(2))
    return torch.cat(parts)
