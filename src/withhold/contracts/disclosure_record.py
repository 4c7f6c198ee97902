"""What a file gives away about the people it was made from, where its rows cannot be matched to individuals."""

from typing import Literal

from pydantic import Field

from withhold.contracts.finding import Finding
from withhold.contracts.quantity import Quantity
from withhold.contracts.record import Record


class DisclosureResult(Record):
    """What attackers who learned from the file read of one attribute of people in the original and of others.

    Attributes
    ----------
    classes : int
    entropy : float
        H(S) of the original, in nats.
    original, control : Quantity
        Nats learned about people of the original, and of the control, from their other columns: what the file tells of
        everybody.
    excess : Quantity
        What was learned more about people of the original: what the file tells of them because they are in it. All
        attackers are asked together, so that what one of them reads of everybody is not counted for another.
    right_original, right_control, chance : float
        Share of people whose class that attacker names; share of the commonest class of the control.
    planted, recovered : float or None
        Nats of a test leak, records copied into the file, and how many of them were found.
    found : bool
        Whether the test leak was found: a lower end above zero, and half of it at least.
    corrected_high : float or None
        Upper end of `excess`, corrected for the share of the test leak that was overlooked.
    budget : float or None
        What the two are compared with, in nats.
    """

    classes: int
    entropy: float
    original: Quantity
    control: Quantity
    excess: Quantity
    right_original: float
    right_control: float
    chance: float
    planted: float | None = None
    recovered: float | None = None
    found: bool = False
    corrected_high: float | None = None
    budget: float | None = None


class DisclosureRecord(Record):
    """The record of an audit against a control.

    Attributes
    ----------
    verdict : {"pass", "fail", "inconclusive"} or None
        On the excess of every attribute; None without a budget.
    statement : str
    budget : float or None
        In nats; where attributes have budgets of their own, the smallest.
    n, n_original, n_control : int
        Rows that were compared.
    level : float
        Of the intervals, simultaneous over the panel.
    panel : list of str
    effort : str
    seed : int
    columns : list of str
        What an attacker knows of a person: the columns that all three files have, without the sensitive ones.
    sensitive : dict of str to DisclosureResult
    copied_original, copied_control : float
        Share of people of whom the file holds a row that is equal in all of these columns.
    findings : list of Finding
    """

    schema_version: Literal[1] = 1
    verdict: Literal["pass", "fail", "inconclusive"] | None
    claim: Literal["tested_attackers"] = "tested_attackers"
    statement: str
    title: str = ""
    created: str = ""
    release: str = ""
    budget: float | None
    n: int
    n_original: int
    n_control: int
    level: float
    panel: list[str]
    effort: str
    seed: int
    columns: list[str]
    sensitive: dict[str, DisclosureResult]
    copied_original: float
    copied_control: float
    findings: list[Finding] = Field(default_factory=list)
