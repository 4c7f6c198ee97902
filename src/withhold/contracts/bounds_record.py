"""What is possible: the least loss of utility at each budget of leakage, before anything is trained."""

from typing import Any

from pydantic import Field

from withhold.contracts.audit_record import SCHEMA_VERSION
from withhold.contracts.record import Record


class BoundsRecord(Record):
    """Bounds on the loss I(U;X|Z) of every release Z of X with I(S;Z) <= budget; lists go with `budgets`.

    Attributes
    ----------
    mutual_information : dict
        "u_s": I(U;S), plug-in; "u_x": I(U;X), plug-in where X is a finite table with ten rows or more in each cell,
        else the held-out estimate of a fitted model, which is on average too low.
    entropy : dict
        "u" and "s", plug-in.
    lower_bound : list of float
        Lemma 2.1, certified for the empirical p(u, s) and that I(U;X).
    lower_bound_interval : list of pairs
        Finite-sample interval at `level`, for all budgets together, of the bound frozen on one half of the rows. Every
        release loses at least its lower end.
    certificate_gap : list of float
        How far the lower bound may lie below the exact solution of Lemma 2.1.
    linear_bound : list of float
        Lemma 2.2.
    achievable_bound : list of float
        Reached by a known release: Lemma 2.3, or better where X is finite.
    attacker_accuracy : list of pairs
        Balanced accuracy of the best attacker at I(S;Z) = budget: at least, at most.
    plug_in_bias : float
        By how much I(U;S) is expected to be too high at this n.
    vacuous : bool
        Whether Lemma 2.1 says nothing because X tells too little of U.
    certificates : list
        One for each budget, as written by `Certificate.to_json`.

    Examples
    --------
    >>> BoundsRecord(
    ...     sensitive=["s"], utility=["u"], mutual_information={"u_s": 0.1, "u_x": 0.5}, entropy={"u": 0.6, "s": 0.6},
    ...     n=100, level=0.95, budgets=[0.0], lower_bound=[0.1], lower_bound_interval=[(0.05, 0.15)],
    ...     certificate_gap=[0.0], linear_bound=[0.08], achievable_bound=[0.5],
    ... ).unit
    'nat'
    """

    schema_version: int = SCHEMA_VERSION
    sensitive: list[str]
    utility: list[str]
    mutual_information: dict[str, float]
    entropy: dict[str, float]
    n: int
    level: float
    unit: str = "nat"
    budgets: list[float]
    lower_bound: list[float]
    lower_bound_interval: list[tuple[float, float]]
    certificate_gap: list[float]
    linear_bound: list[float]
    achievable_bound: list[float]
    attacker_accuracy: list[tuple[float, float]] = Field(default_factory=list)
    plug_in_bias: float = 0.0
    vacuous: bool = False
    notes: list[str] = Field(default_factory=list)
    certificates: list[dict[str, Any]] = Field(default_factory=list)
