"""Mixed tables as records of a filter: released as rows of the same schema, or as a noisy representation."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from torch import Tensor, nn

from withhold.contracts.errors import InvalidParameterError
from withhold.data.codec import TableCodec
from withhold.methods.aioi.filters import Filter, NoisyRepresentation
from withhold.methods.aioi.table_channel import TableChannel, pairs_seen
from withhold.methods.aioi.utility_model import UtilityModel
from withhold.methods.aioi.vectors import FilterDomain, FilterSettings, FixedModel
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.estimator.game_records import Scale, cell_weights
from withhold.methods.estimator.release import Draws
from withhold.methods.estimator.told_classes import ToldClasses
from withhold.nets.attribute_density import AttributeLayout
from withhold.nets.perceptron import Perceptron
from withhold.training.budget import BudgetMultiplier
from withhold.training.recipe import Recipe, Records
from withhold.training.releasing import RecoveredCells

HIDDEN, READER = 192, 192
DIMENSIONS, KEEPING_DIMENSIONS = 8, 32  # of a representation: for the utility alone; where columns are kept too
NOISE = 0.6  # of a representation of unit variance: at 0.3 the game read .018 nat and a fresh perceptron .067
ROWS_A_UNIT, FEW_ROWS = 100, 10_000  # as for `DeepMinMax`: an adversary with more units memorises
AIM, GAIN, START = 0.6, 0.01, 0.3  # a multiplier that outruns the filter leaves it where it tells nothing of U
RATE = 1e-3  # at twice that and with adversaries that recover nothing, trees read .035 nat where the game read .016
ALONE = 300  # rounds without adversaries first, so that there is a utility to be kept when hiding begins


class TabularDomain(FilterDomain):
    """What both releases of a table share: what records tell of U and S, the sizes of the game.

    Parameters
    ----------
    scale : Scale
        Of the encoded columns.
    told : ToldClasses
        Scores of the classes of U and S. The best release depends on a record through p(u|x) and p(s|x) alone; a
        network that is given both need not find them.
    weights : sequence of float
        Of the columns in what is kept: one over the entropy of each.
    """

    def __init__(
        self,
        settings: FilterSettings,
        scale: Scale,
        codec: TableCodec,
        told: ToldClasses,
        weights: Sequence[float] = (),
    ) -> None:
        self.settings, self.scale, self.codec, self.told, self.weights = settings, scale, codec, told, list(weights)

    @classmethod
    def learn(cls, data: FitData, settings: FilterSettings, codec: TableCodec) -> Self:
        """Learn all that does not need a game from the records."""
        weights = cell_weights(np.asarray(data.cells), codec.cell_counts)
        return cls(settings, Scale.of(data.H, bounded=True), codec, ToldClasses.learn(data, codec.blocks), weights)

    @classmethod
    def restore(cls, state: dict[str, np.ndarray], settings: FilterSettings, codec: TableCodec) -> Self:
        """Take back what `state` returned."""
        told = {name.removeprefix("told."): value for name, value in state.items() if name.startswith("told.")}
        return cls(settings, Scale(state["centre"], state["spread"]), codec, ToldClasses.restore(told, codec.width))

    @property
    def features(self) -> int:
        """Numbers that the network is given of a record."""
        return self.codec.width + self.told.width

    def read(self, H: np.ndarray) -> np.ndarray:
        """Return standardised features and scores."""
        H = np.asarray(H, dtype=np.float32)
        return np.concatenate([self.scale(H), self.told(H)], axis=1)

    def recipe(self, n: int) -> Recipe:
        """Return the sizes of a game on a table of `n` rows."""
        rounds = self.settings.rounds or int(np.clip(100 + n / 20, 100, 600))
        return Recipe(
            dimensions=1,
            encoder=(),
            decoder=(READER,),
            noise=0.0,
            rounds=rounds,
            batch=min(512, n),
            adversary=int(np.clip(n // ROWS_A_UNIT, 32, 192)),
            adversary_batch=min(128, max(16, n // 4)),
            dropout=0.3 if n >= FEW_ROWS else 0.5,
            rate=RATE,
            side_weight=1.0,
            alone=min(ALONE, rounds // 2),
        )

    @property
    def natural(self) -> bool:
        """False: a release of cells or of representations has no distance from the record's numbers."""
        return False

    def price(self, budget: float) -> BudgetMultiplier:
        """Return a multiplier that rises slowly."""
        return BudgetMultiplier(budget, aim=AIM, gain=GAIN, start=START)

    def soft_posterior(self, data: FitData) -> np.ndarray | None:
        """Return p(u|x) of each row by boosted trees out of fold; None where a utility is a number."""
        return self.told.posterior(data)

    def own_form(self, Y: Tensor) -> Tensor:
        """Return rows as they are: models of tables are asked through `stand_in`."""
        return Y

    def noise_scale(self) -> float:
        """Return 0: what is random is drawn by the filter."""
        return 0.0

    def state(self) -> dict[str, np.ndarray]:
        """Return the scale of the encoded columns."""
        told = {f"told.{name}": value for name, value in self.told.state().items()}
        return {"centre": self.scale.centre, "spread": self.scale.spread, self.kind: np.array(1), **told}

    @property
    def hidden(self) -> tuple[int, ...]:
        """Widths of the filter's hidden layers."""
        hidden = self.settings.hidden or HIDDEN
        return (int(hidden), int(hidden)) if isinstance(hidden, int | np.integer) else tuple(hidden)


class TableDomain(TabularDomain):
    """Rows of the same schema: each column drawn from a channel over the codec's cells."""

    kind = "tables"
    filters = ("channel",)
    seen: Tensor | None = None

    @classmethod
    def learn(cls, data: FitData, settings: FilterSettings, codec: TableCodec) -> Self:
        """Learn also which pairs of cells occur."""
        learned = super().learn(data, settings, codec)
        learned.seen = pairs_seen(np.asarray(data.cells), codec.cell_counts)
        return learned

    def read(self, H: np.ndarray) -> np.ndarray:
        """Return features and scores, followed by the records' own cells, one-hot."""
        cells = self.codec.cells(self.codec.decode(np.asarray(H, dtype=np.float32)))
        own = np.zeros((len(H), self.codec.cell_offsets[-1]), dtype=np.float32)
        np.put_along_axis(own, cells + np.array(self.codec.cell_offsets[:-1]), 1.0, axis=1)
        return np.concatenate([super().read(H), own], axis=1)

    def write(self, Y: np.ndarray, draws: Draws | None = None) -> np.ndarray:
        """Return encoded records of the drawn cells; values within a cell are drawn, or its median without `draws`."""
        blocks = np.split(Y, self.codec.cell_offsets[1:-1], axis=1)
        cells = np.stack([block.argmax(axis=1) for block in blocks], axis=1).astype(np.int32)
        uniform = None if draws is None else draws.uniform("values", cells.shape[1])
        return self.codec.encode(self.codec.from_cells(cells, uniform))

    def filter(self) -> TableChannel:
        """Return a channel."""
        return TableChannel(self.features, self.codec.cell_counts, self.hidden, self.seen)

    def posterior(self, outputs: int) -> nn.Module:
        """Return a perceptron over drawn cells."""
        return Perceptron((self.codec.cell_offsets[-1], READER, outputs))

    def keeper(self, records: Records, channel: Filter) -> Callable[[Tensor, Tensor], Tensor] | None:
        """Return the mean over columns of -log p(y_j = x_j | x), in units of their entropies and of `retention`."""
        weights = records.H.new_tensor(self.weights) * self.settings.retention / max(1, len(self.weights))
        if not self.settings.retention or not isinstance(channel, TableChannel):
            return None
        return lambda Y, rows: -(channel.keeps(records.H[rows], Y) @ weights).mean()

    def recovered(self, H: Tensor) -> Tensor:
        """Return features and scores: who decodes drawn cells finds what a reader trained on S alone does not."""
        return H[:, : self.features]

    def fixed(self, model: Any, data: FitData) -> FixedModel | None:
        """Return a network over drawn cells that says what the user's model says."""
        asked = UtilityModel(model, self.codec)
        wanted = tuple(data.utilities or ())
        classes = wanted[0].n_classes if len(wanted) == 1 and wanted[0].kind == "categorical" else None
        said = asked.log_shares(data.table, classes).astype(np.float32)
        right = asked.agreement(said, wanted[0]) if len(wanted) == 1 else {}
        made = asked.stand_in(data, self.filter().one_hot)
        measured = {"distillation_divergence": made.divergence, "distillation_agreement": made.agreement} | right
        return FixedModel(lambda Y: made.net(Y), AttributeLayout((said.shape[1],)), said, measured)


class RepresentationDomain(TabularDomain):
    """Not rows but numbers: an encoder of unit variance with noise."""

    kind = "representations"
    filters = ("encoder",)

    def write(self, Y: np.ndarray, draws: Draws | None = None) -> np.ndarray:
        """Return representations as they are."""
        return Y

    @property
    def dimensions(self) -> int:
        """Width of the representation."""
        if self.settings.dimensions is not None:
            return int(self.settings.dimensions)
        return DIMENSIONS if not self.settings.retention else max(KEEPING_DIMENSIONS, self.codec.width // 4)

    def filter(self) -> NoisyRepresentation:
        """Return an encoder with noise."""
        noise = NOISE if self.settings.noise is None else float(self.settings.noise)
        return NoisyRepresentation(self.features, self.hidden, self.dimensions, noise)

    def posterior(self, outputs: int) -> nn.Module:
        """Return a perceptron over representations."""
        return Perceptron((self.dimensions, READER, outputs))

    def keeper(self, records: Records, channel: Filter) -> Callable[[Tensor, Tensor], Tensor] | None:
        """Return a network that recovers the cells of all columns, weighted by `retention`."""
        if not self.settings.retention:
            return None
        weights = [self.settings.retention * weight for weight in self.weights]
        widths = (self.dimensions, READER, self.codec.cell_offsets[-1])
        return RecoveredCells(widths, records.kept, self.codec.cell_counts, weights).to(records.H)

    def fixed(self, model: Any, data: FitData) -> FixedModel | None:
        """Refuse: a model of records says nothing of a representation."""
        raise InvalidParameterError(
            "A utility_model reads records, not representations. Ask for output='table', or leave out utility_model."
        )

    def recipe(self, n: int) -> Recipe:
        """Return the sizes; adversaries recover the record only where columns are kept."""
        own = super().recipe(n)
        return own if self.settings.retention else replace(own, rate=2 * RATE, side_weight=0.0)
