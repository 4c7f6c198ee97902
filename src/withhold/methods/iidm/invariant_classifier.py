"""What the methods of one family share: an encoder, a classifier and a discriminator that the encoder deceives.

How it deceives is the paper's: each method's own file has the objective. Here are the parameters, the fit and the way
into an artifact and back.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
import torch
from torch import nn

from withhold.contracts.checks import Between, Count, OneOf, PaperPreset, Rate, Size, Weight
from withhold.contracts.finding import Finding
from withhold.contracts.guarantee import Guarantee
from withhold.contracts.ranges import Range
from withhold.contracts.seeds import stream
from withhold.methods.estimator.classifier import EncoderClassifier
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.estimator.game_records import scale_of
from withhold.methods.iidm.game import Deception, InvarianceGame, InvarianceRecipe, LabelledRecords
from withhold.methods.iidm.labelled_rows import continuous_findings, labelled_records, rare_values
from withhold.methods.iidm.settings import (
    HELD,
    PAPER_HELD,
    PAPER_ROUNDS,
    PAPER_UNITS,
    ROUNDS,
    ROWS_A_ROUND,
    WINDOW_DISCRIMINATOR,
    paper_encoder,
)
from withhold.nets.encoders import Encoder, encoder_for, form_of
from withhold.nets.perceptron import Perceptron
from withhold.training.checkpoint import Checkpoint
from withhold.training.session import make_fabric, private_randomness

if TYPE_CHECKING:
    from lightning_fabric import Fabric

ONE_DRAW = "One draw of the noise per record: the key is kept, or no other release exists."
LOST = 0.01  # accuracy above the largest class below which the task counts as lost
SAFE = 1.1  # a discriminator's cross-entropy of more than this times H(S) tells that the encoder flees from it
FLIGHT = 0.2  # share of the second half of the curve in which that is worth a finding


@dataclass(kw_only=True, eq=False, repr=False)
class InvariantClassifier(EncoderClassifier):
    """Base of the methods; see `IIDM` for the parameters."""

    reference: ClassVar[str] = "iwasawa2020iidm"
    unsaved: ClassVar[tuple[str, ...]] = ("noise_key", "encoder", "checkpoint")
    game: ClassVar[type[InvarianceGame]] = InvarianceGame

    noise: Annotated[Weight, Range(0.05, 1.5)] = 0.3
    dimensions: Annotated[Size, Range(8, 128)] = 64
    architecture: str = "auto"
    encoder: nn.Module | None = None
    hidden: Size = 128
    rounds: Size | None = None
    batch: Annotated[int, Between(2)] = 128
    rate: Rate = 1e-3
    optimiser: Annotated[str, OneOf(("adam", "rmsprop", "sgd"))] = "adam"
    preset: PaperPreset = None
    checkpoint: str | Path | None = None

    # What a method says

    def _deception(self, records: LabelledRecords) -> Deception | None:
        """Return what the encoder makes small beside the task; None for a method that hides nothing."""
        return None

    def _game(
        self, records: LabelledRecords, recipe: InvarianceRecipe, fabric: "Fabric", encoder: Encoder
    ) -> InvarianceGame:
        """Return the game with this method's objective."""
        return self.game(records, recipe, fabric, encoder, self._deception(records))

    def guarantee(self) -> Guarantee:
        """Return the guarantee: none."""
        return Guarantee(
            claim="None: a game against one discriminator proves nothing about others; the audit measures them.",
            against="nobody",
            assumptions=() if self.preset == "paper" or not self.noise else (ONE_DRAW,),
            reference=self.reference,
        )

    # How it is done

    def _hiding(self) -> dict[str, Any]:
        """Return the settings of the discriminator and of what deceives it; of a method without one, nothing."""
        return {}

    def _recipe(self, n: int) -> InvarianceRecipe:
        """Return what the parameters of the method come to for `n` rows of its `shape_`."""
        recipe = InvarianceRecipe(
            rounds=self.rounds or int(np.clip(ROUNDS[0] + n / ROWS_A_ROUND, *ROUNDS)),
            batch=int(min(self.batch, max(2, n // 2))),
            rate=float(self.rate),
            discriminator_rate=float(self.rate),
            noise=float(self.noise),
            head=self._head(),
            discriminator=(int(self.hidden), int(self.hidden)),
            optimiser=self.optimiser,
            **self._hiding(),
        )
        if self.preset != "paper":
            return recipe
        kind = form_of(self.shape_, self.architecture)[1]
        discriminators = {"images": (PAPER_UNITS,), "windows": WINDOW_DISCRIMINATOR, "perceptron": (int(self.hidden),)}
        return replace(
            recipe,
            rounds=self.rounds or PAPER_ROUNDS[kind],
            noise=0.0,
            discriminator=discriminators[kind],
            optimiser="rmsprop",
            select=False,
            decays=False,
            clip=None,
        )

    def _head(self) -> tuple[int, ...]:
        """Return the hidden layers of the classifier; none where it is linear in z."""
        if self.preset != "paper":
            return (int(self.hidden),)
        kind = form_of(self.shape_, self.architecture)[1]
        return {"images": (PAPER_UNITS,), "windows": (), "perceptron": (int(self.hidden),)}[kind]

    def _fit_encoded(self, data: FitData) -> None:
        name, fabric, paper = type(self).__name__, make_fabric(data.device, "32-true"), self.preset == "paper"
        self.scale_, self.shape_ = scale_of(data), data.shape or (int(data.H.shape[1]),)
        recipe = self._recipe(data.n)
        records = labelled_records(
            data, self.scale_(data.H), fabric.device, name, held_share=PAPER_HELD if paper else HELD
        )
        seed = int(stream(data.rng_seed, "training").integers(1 << 62))
        with private_randomness(fabric.device, seed):
            game = self._game(records, recipe, fabric, self._new_encoder())
        readings = game.play(
            seed + 1,
            checkpoint=Checkpoint.of(self.checkpoint, self._fingerprint(data, game.encoder)),
            label=f"Training {name}",
        )
        self._keep(game.encoder, game.classifier)
        self.noise_ = recipe.noise
        self.curves_ = {name: curve for name, curve in game.curves.items() if curve}
        self.diagnostics_ |= readings | {"rounds": float(recipe.rounds)}
        self.findings_ += (
            continuous_findings(data.sensitive, name) + rare_values(records, name) + self._form_findings(data)
        )
        self._report(records)

    def _new_encoder(self) -> Encoder:
        paper = self.preset == "paper"
        module = paper_encoder(self.shape_, self.architecture) if paper and self.encoder is None else self.encoder
        return encoder_for(
            self.shape_,
            int(self.dimensions),
            architecture=self.architecture,
            hidden=(int(self.hidden), int(self.hidden)),
            module=module,
            standardise=not paper,
        )

    def _new_classifier(self, dimensions: int) -> nn.Module:
        return Perceptron((dimensions, *self._head(), len(self.classes_)))

    def _report(self, records: LabelledRecords) -> None:
        name, labels = type(self).__name__, records.labels[records.labels >= 0]
        largest = float(torch.bincount(labels).max() / len(labels))
        if self.diagnostics_["held_out_accuracy"] < largest + LOST:
            text = (
                f"{name} predicts held-out rows no better than a guess at their largest class ({largest:.3f} right). "
                "Use a smaller lam, more rounds, or more records."
            )
            self.findings_.append(Finding(code="task_lost", severity="warning", text=text))
        curve = self.curves_.get("discriminator", [])
        late = np.array(curve[len(curve) // 2 :])
        share = float((late > SAFE * self.diagnostics_["maximum_leakage"]).mean()) if len(late) else 0.0
        self.diagnostics_["beyond_maximum"] = share
        if share > FLIGHT:
            text = (
                f"In {share:.0%} of the second half of the training the discriminator did worse than a guess "
                f"(cross-entropy above {self.diagnostics_['maximum_leakage']:.3f} nat), so the encoder escaped it "
                "instead of hiding the attribute. Use a larger kappa, a smaller lam, more rounds, or more records."
            )
            self.findings_.append(Finding(code="discriminator_lost", severity="warning", text=text))


@dataclass(kw_only=True, eq=False, repr=False)
class AdversarialClassifier(InvariantClassifier):
    """Base of the methods whose encoder plays against a discriminator in rounds of several steps."""

    lam: Annotated[Weight, Range(0.3, 30.0)] = 1.0
    kappa: Size = 4
    gradient_penalty: Weight = 0.0
    warm_up: Count = 100

    def _hiding(self) -> dict[str, Any]:
        warm_up = int(self.warm_up) if self.rounds is None else min(int(self.warm_up), self.rounds)
        return {
            "lam": float(self.lam),
            "kappa": int(self.kappa),
            "gradient_penalty": float(self.gradient_penalty),
            "warm_up": warm_up,
        }
