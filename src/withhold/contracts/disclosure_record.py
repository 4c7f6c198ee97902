"""Records of what a release discloses beside attributes: which record it was, whether it was fitted on, who it is of."""

from pydantic import BaseModel, ConfigDict, Field

from withhold.contracts.quantity import Quantity


class Disclosure(BaseModel):
    """Base of these records: closed set of fields, no NaN."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class LinkageResult(Disclosure):
    """How often a released record finds its original among `candidates` originals.

    Attributes
    ----------
    rate : Quantity
        Share of released records whose nearest candidate is their original, under the best attack; ties count their
        chance. The interval holds for all attacks together.
    chance : float
        1 / candidates.
    candidates : int
        Originals each released record is compared with.
    median_rank : float
        Of the true original under the best attack; 1 is first, (candidates + 1) / 2 is chance.
    attack : str
        The best one: "direct" compares the columns that both files have; "linear" and "nonlinear" learn from the pairs
        of other records what becomes of an original.
    attacks : dict of str to Quantity
        The rate of each attack.
    identical : float or None
        Share of released records that equal their original in every column both files have; None without such columns.

    Examples
    --------
    >>> rate = Quantity(value=0.5, kind="lower_bound", unit="fraction", n=100)
    >>> LinkageResult(rate=rate, chance=0.01, candidates=100, median_rank=1.5, attack="direct").chance
    0.01
    """

    rate: Quantity
    chance: float
    candidates: int
    median_rank: float
    attack: str
    attacks: dict[str, Quantity] = Field(default_factory=dict)
    identical: float | None = None


class MembershipResult(Disclosure):
    """Whether the rows the sanitiser was fitted on can be told from the others.

    Parts that differ in the first place (files of two years) are told apart in the original data too. So the same
    attack is made on the original alone, and `excess` is what the release tells beyond it.

    Attributes
    ----------
    leakage : Quantity
        Information about "was fitted on" in the best of `attacks`, in nats a record.
    attacks : dict of str to Quantity
        "release": by a recipient of the release; "release and original": by one who has the record itself too.
    control : Quantity or None
        The same from the original alone; None where no original was given.
    excess : Quantity or None
        Release and original beyond the original, record by record: an estimate, since the control is one.
    balanced_accuracy, auc : float or None
        Of the best attack; chance is .5 for both.
    control_balanced_accuracy : float or None
    entropy : float
        Of the division into parts, in nats.
    """

    leakage: Quantity
    attacks: dict[str, Quantity] = Field(default_factory=dict)
    control: Quantity | None = None
    excess: Quantity | None = None
    balanced_accuracy: float | None = None
    auc: float | None = None
    control_balanced_accuracy: float | None = None
    entropy: float


class SubjectResult(Disclosure):
    """What all records of one subject together tell about an attribute that is the same in all of them.

    Attributes
    ----------
    leakage : Quantity
        Nats a subject.
    entropy, percent_of_entropy : float
        H(S) over subjects, and the share of it that is learned.
    balanced_accuracy, auc, chance : float or None
        Over subjects.
    subjects : int
    records_per_subject : float
        Mean.
    """

    leakage: Quantity
    entropy: float
    percent_of_entropy: float
    balanced_accuracy: float | None = None
    auc: float | None = None
    chance: float
    subjects: int
    records_per_subject: float
