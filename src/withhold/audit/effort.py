"""Efforts of the audit: one record of every knob for each of quick, standard and thorough."""

import math
from dataclasses import dataclass
from typing import Literal

from withhold.contracts.checks import unknown

EffortName = Literal["quick", "standard", "thorough"]


@dataclass(frozen=True)
class Effort:
    """The knobs of one effort.

    Attributes
    ----------
    name : str
        "quick", "standard" or "thorough".
    folds : int
        Parts of the cross-fitting; attackers train on all but one.
    boosting_rounds, network_epochs, network_seeds, neighbour_rows : int
        Size of the dearest attackers. Fewer rounds can only under-state a leak, never invent one.
    control_folds : int
        Parts used for the controls.
    plant_folds : int
        How many of the parts are scored at least when leaks are planted; fewer scored rows can only miss more.
    plant_rows : int
        More parts are scored until there are so many rows: among few rows each counts, and they cost little.
    plant_rungs : int
        Steps of the search for the detection limit, beyond the plant of size = budget.
    most_rows : int
        Rows judged; a random part of longer releases.
    bins : tuple of int
        Equal-mass bins a continuous attribute is cut into.
    control_panel : tuple of str
        Cheaper members that stand for the panel where what was known before is read.
    weak_panel : bool
        Whether the whole panel attacks where some rows were never seen; else the control panel.
    utility_folds : int
        How many of the parts are scored in the utility of a long release; an accuracy needs no more.
    utility_network : bool
        Whether a network is among those that predict the utility attribute.
    decoder_epochs : int
        Passes of the network that reads columns back from the release.
    transfer_rows : int
        Rows that the models of the transfer learn from.
    predicted_columns : int
        Columns that models trained on the release predict of originals.
    membership_panel : tuple of str
        Members that attack "was fitted on".
    membership_entries : int
        Entries of the widest view in that attack; with more columns fewer rows are attacked.
    redraws : int
        Further draws that attackers learn from: each adds as many training rows as the release has.
    """

    name: EffortName
    folds: int
    boosting_rounds: int
    network_epochs: int
    network_seeds: int
    neighbour_rows: int
    control_folds: int
    plant_folds: int
    plant_rows: int
    plant_rungs: int
    most_rows: int
    bins: tuple[int, ...]
    control_panel: tuple[str, ...]
    weak_panel: bool
    utility_folds: int
    utility_network: bool
    decoder_epochs: int
    transfer_rows: int
    predicted_columns: int
    membership_panel: tuple[str, ...]
    membership_entries: int
    redraws: int

    def folds_of_plants(self, rows: int, folds: int | None = None) -> int:
        """Return how many of the parts of so many rows are scored when leaks are planted.

        Examples
        --------
        >>> standard = EFFORTS["standard"]
        >>> standard.folds_of_plants(5_000), standard.folds_of_plants(40_000), standard.folds_of_plants(200_000)
        (5, 3, 2)
        """
        most = self.folds if folds is None else folds
        return min(most, max(self.plant_folds, math.ceil(self.plant_rows * most / max(1, rows))))


EFFORTS = {
    "quick": Effort(
        name="quick",
        folds=3,
        boosting_rounds=80,
        network_epochs=20,
        network_seeds=1,
        neighbour_rows=30_000,
        control_folds=2,
        plant_folds=2,
        plant_rows=20_000,
        plant_rungs=2,
        most_rows=60_000,
        bins=(2, 8),
        control_panel=("logistic", "boosting", "cnn", "boosted_gaussian"),
        weak_panel=False,
        utility_folds=1,
        utility_network=False,
        decoder_epochs=4,
        transfer_rows=5_000,
        predicted_columns=16,
        membership_panel=("logistic", "boosting"),
        membership_entries=600_000,
        redraws=1,
    ),
    "standard": Effort(
        name="standard",
        folds=5,
        boosting_rounds=200,
        network_epochs=30,
        network_seeds=2,
        neighbour_rows=60_000,
        control_folds=2,
        plant_folds=2,
        plant_rows=20_000,
        plant_rungs=3,
        most_rows=200_000,
        bins=(2, 4, 8, 16),
        control_panel=("logistic", "boosting", "mlp", "cnn", "boosted_gaussian"),
        weak_panel=True,
        utility_folds=2,
        utility_network=True,
        decoder_epochs=8,
        transfer_rows=20_000,
        predicted_columns=32,
        membership_panel=("logistic", "boosting", "mlp"),
        membership_entries=2_000_000,
        redraws=2,
    ),
    "thorough": Effort(
        name="thorough",
        folds=10,
        boosting_rounds=400,
        network_epochs=40,
        network_seeds=4,
        neighbour_rows=150_000,
        control_folds=5,
        plant_folds=5,
        plant_rows=20_000,
        plant_rungs=6,
        most_rows=1_000_000,
        bins=(2, 4, 8, 16),
        control_panel=("logistic", "boosting", "mlp", "cnn", "qda", "pairs", "boosted_gaussian", "quantile"),
        weak_panel=True,
        utility_folds=10,
        utility_network=True,
        decoder_epochs=16,
        transfer_rows=100_000,
        predicted_columns=64,
        membership_panel=("logistic", "boosting", "mlp"),
        membership_entries=6_000_000,
        redraws=4,
    ),
}
# What is tried unless somebody says otherwise, and where a rough answer is enough.
USUAL: EffortName = "standard"
LEAST: EffortName = "quick"


def lower_efforts(effort: Effort) -> tuple[Effort, ...]:
    """Return the efforts below one, the lowest first.

    Examples
    --------
    >>> [one.name for one in lower_efforts(EFFORTS["thorough"])]
    ['quick', 'standard']
    """
    return tuple(EFFORTS[name] for name in list(EFFORTS)[: list(EFFORTS).index(effort.name)])


def find_effort(name: str) -> Effort:
    """Return the effort called `name`.

    Parameters
    ----------
    name : {"quick", "standard", "thorough"}
        As given by the user.

    Examples
    --------
    >>> find_effort("quick").folds
    3
    """
    if name not in EFFORTS:
        raise unknown("effort", name, EFFORTS)
    return EFFORTS[name]
