"""How hard the audit tries: one record of knobs for each of quick, standard and thorough."""

from dataclasses import dataclass
from typing import Literal

from withhold.contracts.errors import InvalidParameterError, sentence

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
        How many of the parts are scored when leaks are planted; fewer scored rows can only miss more.
    plant_rungs : int
        Steps of the search for the detection limit, beyond the plant of size = budget.
    most_rows : int
        Rows judged; a random part of longer releases.
    bins : tuple of int
        Equal-mass bins a continuous attribute is cut into.
    """

    name: EffortName
    folds: int
    boosting_rounds: int
    network_epochs: int
    network_seeds: int
    neighbour_rows: int
    control_folds: int
    plant_folds: int
    plant_rungs: int
    most_rows: int
    bins: tuple[int, ...]


EFFORTS = {
    "quick": Effort("quick", 3, 80, 20, 1, 30_000, 2, 2, 2, 60_000, (2, 8)),
    "standard": Effort("standard", 5, 200, 30, 2, 60_000, 2, 2, 3, 200_000, (2, 4, 8, 16)),
    "thorough": Effort("thorough", 10, 400, 40, 4, 150_000, 5, 5, 6, 1_000_000, (2, 4, 8, 16)),
}


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

    Returns
    -------
    Effort

    Examples
    --------
    >>> find_effort("quick").folds
    3
    """
    if name not in EFFORTS:
        raise InvalidParameterError(
            sentence(
                "The 'effort' parameter of audit_release",
                f"one of {', '.join(EFFORTS)}",
                repr(name),
                "It says how hard the attackers try.",
                "Pass effort='standard'.",
            )
        )
    return EFFORTS[name]
