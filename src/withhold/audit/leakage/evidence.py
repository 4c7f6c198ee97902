"""The evidence about one attribute that a verdict rests on."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from withhold.audit.leakage.gaps import NONE, Gaps
from withhold.contracts.audit_record import PlantForm
from withhold.contracts.quantity import Quantity
from withhold.contracts.threats import ImpliedLeakage


@dataclass(frozen=True)
class Evidence:
    """What a verdict rests on.

    Attributes
    ----------
    total : Quantity
        Leakage of everything the file hands over.
    plants_found : bool
        Whether every form was found at size = budget.
    recovery : float or None
        Worst found/planted, at most 1.
    aligned : bool
        Whether S is known to belong to the rows it stands in.
    utility_low : float or None
        Lower end of what U alone tells.
    limit : float or None
        Detection limit.
    copied : tuple of str
        Columns that are handed over and are S itself, renamed or recoded.
    own : tuple of str
        Columns that S was taken from and that the file handed over still contains; nobody was given them.
    entropy : float or None
        H(S), all there is to know.
    certain : bool
        Whether single values tell S of the records that have them.
    implied : ImpliedLeakage or None
        What the release must leak by what it keeps of U.
    subjects : Quantity or None
        Nats a subject, where S belongs to subjects with several records.
    gaps : Gaps
        What bars a pass whatever was learned.
    forms : tuple of str
        Forms in which leaks were planted.
    untested : mapping of str to str
        Forms in which none was planted although the release has room for it, and why.
    """

    total: Quantity
    plants_found: bool
    recovery: float | None
    aligned: bool
    utility_low: float | None = None
    limit: float | None = None
    copied: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    entropy: float | None = None
    certain: bool = False
    implied: ImpliedLeakage | None = None
    subjects: Quantity | None = None
    gaps: Gaps = NONE
    forms: tuple[PlantForm, ...] = ()
    untested: Mapping[PlantForm, str] = field(default_factory=dict)

    @property
    def low(self) -> float:
        """What is learned at least: by the attackers, or by the proof where that says more."""
        proven = None if self.implied is None else self.implied.leakage.low
        return max(0.0, self.total.low or 0.0, proven or 0.0)

    @property
    def missed(self) -> bool:
        """Whether it is proven that the attackers missed something."""
        return self.implied is not None and self.implied.below_bound

    @property
    def corrected_high(self) -> float | None:
        """Upper end divided by the worst recovery, at most H(S): what the verdict compares with the budget."""
        if self.total.high is None or not self.recovery:
            return None
        corrected = max(0.0, self.total.high) / self.recovery
        return corrected if self.entropy is None else min(corrected, self.entropy)
