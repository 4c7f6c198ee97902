"""What an audit finds beside leakage of one release: linkage, membership, subjects, implied leakage, drift.

Parts of `AuditRecord`; None or empty means "not measured", never "nothing found".
"""

from typing import Literal

from pydantic import Field

from withhold.contracts.quantity import Quantity
from withhold.contracts.record import Record


class LinkageResult(Record):
    """How often a released record finds its original among `candidates`.

    Attributes
    ----------
    found : Quantity
        Share of records whose original comes out first (unit "fraction"), with its interval.
    chance : float
        The same for a guess.
    candidates : int
        Records among which the original was to be found.
    found_in_ten : Quantity or None
        Share whose original is among the first ten.
    matcher : str
        How records were compared.
    median_rank : float or None
        Of the original under the best attack; 1 is first, (candidates + 1) / 2 is chance.
    attacks : dict of str to Quantity
        `found` of each attack: "direct" compares columns that both files have; the others know the pairs of other
        records: "weighted" learns from them how far to trust each column, "linear" and "nonlinear" what becomes of an
        original.
    identical : float or None
        Share of released records that equal their original in every column both have; None without such columns.
    raw : float or None
        `found` if the originals were released as they are: equal rows cannot be told apart, so distinct rows among
        the candidates, divided by them. None in records of earlier versions.

    Examples
    --------
    >>> rate = Quantity(value=0.02, kind="lower_bound", unit="fraction")
    >>> LinkageResult(found=rate, chance=0.001, candidates=1000).found.value
    0.02
    """

    found: Quantity
    chance: float
    candidates: int
    found_in_ten: Quantity | None = None
    matcher: str = ""
    median_rank: float | None = None
    attacks: dict[str, Quantity] = Field(default_factory=dict)
    identical: float | None = None
    raw: float | None = None


class LikelihoodMembership(Record):
    """Whether a generator's likelihood tells the rows it was trained on from others.

    Attributes
    ----------
    auc : Quantity
        Of the better attack (unit "AUC"), .5 when nothing is told.
    attacks : dict of str to Quantity
        "likelihood", and "likelihood against a Gaussian's".
    control : Quantity
        Of that Gaussian alone: what the parts differ in without the generator.
    tpr_at_1pct_fpr : float
        Share of members above the score that one in a hundred others exceeds.
    members, others : int

    Examples
    --------
    >>> half = Quantity(value=0.5, low=0.46, high=0.54, kind="estimate", unit="AUC")
    >>> LikelihoodMembership(auc=half, control=half, tpr_at_1pct_fpr=0.01, members=900, others=450).others
    450
    """

    auc: Quantity
    attacks: dict[str, Quantity] = Field(default_factory=dict)
    control: Quantity
    tpr_at_1pct_fpr: float
    members: int
    others: int


class MembershipResult(Record):
    """Whether it can be told that the sanitiser was fitted on a record.

    Parts that differ in the first place (files of two years) are told apart in the original data too. So the same
    attack is made on the originals alone, and `excess` is what the release tells beyond them.

    Attributes
    ----------
    leakage : Quantity
        Nats learned about membership; ln 2 when both parts are of equal weight and all is known.
    attacks : dict of str to Quantity
        "release": by a recipient; "release and original": by one who has the record itself too.
    control : Quantity or None
        The same from the originals alone; None without originals.
    excess : Quantity or None
        Release and original beyond the original, record by record: an estimate, since the control is one.
    control_balanced_accuracy : float or None
    entropy : float or None
        Of the division into parts, in nats.
    chance : float
        Balanced accuracy of a guess.
    members, others : int
        Records of the fit part and of the rest that were scored.
    attacker : str
        The best one.

    Examples
    --------
    >>> nothing = Quantity(value=0.0, low=0.0, high=0.004, kind="lower_bound")
    >>> MembershipResult(leakage=nothing, members=700, others=300).chance
    0.5
    """

    leakage: Quantity
    balanced_accuracy: float | None = None
    chance: float = 0.5
    auc: float | None = None
    tpr_at_1pct_fpr: float | None = None
    members: int
    others: int
    attacker: str = ""
    attacks: dict[str, Quantity] = Field(default_factory=dict)
    control: Quantity | None = None
    excess: Quantity | None = None
    control_balanced_accuracy: float | None = None
    entropy: float | None = None


class SubjectResult(Record):
    """What all records of one subject together tell about an attribute that is the subject's.

    Attributes
    ----------
    leakage : Quantity
        Nats a subject: log-ratios of its records summed, calibrated, averaged over subjects.
    subjects : int
    rows_per_subject : float
        Mean.
    entropy : float or None
        H(S) over subjects.
    balanced_accuracy, chance : float or None
        Of guesses about subjects.

    Examples
    --------
    >>> leak = Quantity(value=0.3, low=0.25, high=0.35, kind="lower_bound")
    >>> SubjectResult(leakage=leak, subjects=200, rows_per_subject=8.0).leakage.value
    0.3
    """

    leakage: Quantity
    subjects: int
    rows_per_subject: float
    entropy: float | None = None
    balanced_accuracy: float | None = None
    chance: float | None = None
    auc: float | None = None
    attacker: str = ""


class ImpliedLeakage(Record):
    """What a release must leak about S, by what it was shown to keep of U, whoever attacks.

    Attributes
    ----------
    utility : str
        The attribute U.
    kept : Quantity
        I(U; release), of which the lower end counts.
    leakage : Quantity
        The smallest I(S; release) with which that much of U can be kept, with the lower end at `level`.
    floor : float
        The part of it that needs no solver: max(0, I(U;release) - H(U|S)).
    audited : Quantity or None
        What the attackers found.
    below_bound : bool
        Whether the attackers missed at least the difference.
    certificate : str
        What the bound rests on, in words.

    Examples
    --------
    >>> kept = Quantity(value=0.5, low=0.48, kind="lower_bound")
    >>> must = Quantity(value=0.2, low=0.17, kind="lower_bound")
    >>> ImpliedLeakage(utility="income", kept=kept, leakage=must).below_bound
    False
    """

    utility: str
    kept: Quantity
    leakage: Quantity
    floor: float = 0.0
    audited: Quantity | None = None
    below_bound: bool = False
    certificate: str = ""


DriftKind = Literal["levels", "range", "missing", "shift"]


class DriftNote(Record):
    """One column of new records that is not as in the data the sanitiser was fitted on.

    Attributes
    ----------
    kind : {"levels", "range", "missing", "shift"}
        Levels never seen; numbers out of range; another share of missing values; another distribution.
    share : float
        Share of the new records concerned.
    expected : float or None
        The same share at the fit, where it is known.
    index : float or None
        Population stability index of a shift.
    text : str
        In plain words.

    Examples
    --------
    >>> DriftNote(column="age", kind="range", share=0.2, text="20 % of 'age' lie out of the range of the fit.").share
    0.2
    """

    column: str
    kind: DriftKind
    share: float = Field(ge=0.0, le=1.0)
    expected: float | None = None
    index: float | None = None
    text: str
