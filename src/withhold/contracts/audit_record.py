"""The record of an audit: everything the report shows and `audit --json` prints, and nothing computed later.

Readers rely on the names; fields are added, never renamed, within one `schema_version`.
"""

from typing import Literal

from pydantic import Field

from withhold.contracts.fidelity_record import FidelityResult
from withhold.contracts.finding import Finding
from withhold.contracts.image_record import ImageComparison
from withhold.contracts.quantity import Quantity
from withhold.contracts.record import Record
from withhold.contracts.shown import Shown
from withhold.contracts.threats import (
    DriftNote,
    ImpliedLeakage,
    LikelihoodMembership,
    LinkageResult,
    MembershipResult,
    SubjectResult,
)

Verdict = Literal["pass", "fail", "inconclusive"]
Claim = Literal["tested_attackers", "any_attacker"]
PlantForm = Literal["column", "dense", "interaction", "word", "twin", "period", "spread", "pixels"]
SplitsSource = Literal["none", "run", "file", "column", "test_file", "cross_fit"]

SCHEMA_VERSION = 1


class AttackerResult(Record):
    """What one attacker reached against one sensitive attribute.

    `balanced_accuracy`, `auc` and `tpr_at_1pct_fpr` are None for a continuous attribute; AUC and true-positive
    rate are macro averages of one against the rest when there are more than two classes.
    """

    leakage: Quantity
    balanced_accuracy: float | None = None
    auc: float | None = None
    tpr_at_1pct_fpr: float | None = None
    inputs: str = "raw"
    seconds: float | None = None


class PlantResult(Record):
    """A known leak of `size` nats hidden in the release paired with permuted S, and what the panel found of it."""

    form: PlantForm
    size: float
    found: Quantity
    detected: bool


class ControlResult(Record):
    """The same panel on something other than the release: raw data, shuffled S, U alone, its hard prediction."""

    leakage: Quantity
    balanced_accuracy: float | None = None


class SensitiveResult(Record):
    """All that was found about one sensitive attribute, or about several jointly.

    Attributes
    ----------
    unknown : int
        Records whose value nobody knows: attackers neither learned from them nor were scored on them.
    entropy : float
        H(S) in nats. Of a number: of its values where few differ, else of the finest bins as ties leave them.
    leakage, leakage_given_utility, leakage_total : Quantity
        Best attacker on Z; information about S in Z beyond U; and on everything the recipient is assumed to hold:
        the file with U, and each of `surfaces`.
    conditional_entropy_ratio : float or None
        1 - leakage_total / H(S), in [0, 1]: an upper bound on H(S|Z)/H(S), the measure of invariance of the
        adversarial literature; 1: nothing was learned. None for a number of many values.
    leakage_weak : Quantity or None
        The reading with attackers trained on released rows outside the fit part only; None when there is no fit part.
    balanced_accuracy, auc, tpr_at_1pct_fpr : float or None
        Each the highest of the panel, so not always of the attacker named in `leakage_total`; chance = `chance`.
    choice_note : str or None
        Where another attacker than the one named in `leakage_total` stands higher on the scored rows, why: the name was
        chosen on other rows.
    detection_limit : float or None
        Smallest planted leak, in nats, that was found in its worst form; None: not even the largest was found.
    recovery : float or None
        min(1, found / planted) of the worst plant at size = budget.
    budget : float or None
        What `verdict` compares with, in nats. None without a budget, and in records of earlier versions, where the
        record's own held for every attribute.
    cause : str
        Why the verdict came out as it did, as a code ("leakage", "plants_missed"); "" for a pass or without a budget.
    corrected_high : float or None
        Upper end of `leakage_total` divided by `recovery`: what a verdict compares with the budget.
    rows_needed, decidable_budget : int or None, float or None
        Where the rows could not decide the budget: how many like these would, and the smallest budget in nats that
        these rows can, each in four audits of five; None: none does. Of a run without a budget the second alone.
    rows_exceed : bool
        The forecast does not hold for a test leak that was missed: `rows_needed` or more would be needed, more than
        were judged, and nobody knows how many.
    cross_fit_budget : float or None
        Where only some rows were unseen by the fit: what the same rows could decide if every row were.
    parts : dict
        Leakage of "fit" and "audit" rows judged apart, where both were released.
    surfaces : dict
        What attackers learned from each further thing the recipient is assumed to hold or to make: other versions of
        the same records, their mean, the decoded table, the representation behind it, more draws to learn from. All
        are part of `leakage_total`.
    hypothetical : dict
        The same for what the recipient is not assumed to have; for information, no verdict rests on it.
    subject_level : SubjectResult or None
        The attack on subjects instead of records.
    subject_level_reason : str or None
        Why there is none.
    """

    kind: Literal["categorical", "continuous"]
    classes: int | None = None
    unknown: int = 0
    entropy: float
    leakage: Quantity
    leakage_given_utility: Quantity | None = None
    leakage_total: Quantity
    leakage_weak: Quantity | None = None
    percent_of_entropy: float
    conditional_entropy_ratio: float | None = None
    balanced_accuracy: float | None = None
    chance: float | None = None
    auc: float | None = None
    tpr_at_1pct_fpr: float | None = None
    verdict: Verdict | None = None
    budget: float | None = None
    cause: str = ""
    detection_limit: float | None = None
    recovery: float | None = None
    corrected_high: float | None = None
    rows_needed: int | None = None
    rows_exceed: bool = False
    decidable_budget: float | None = None
    cross_fit_budget: float | None = None
    plants: list[PlantResult] = Field(default_factory=list)
    untested: dict[PlantForm, str] = Field(default_factory=dict)
    attackers: dict[str, AttackerResult] = Field(default_factory=dict)
    controls: dict[str, ControlResult] = Field(default_factory=dict)
    choice_note: str | None = None
    groups: dict[str, Quantity] = Field(default_factory=dict)
    parts: dict[str, Quantity] = Field(default_factory=dict)
    surfaces: dict[str, Quantity] = Field(default_factory=dict)
    hypothetical: dict[str, Quantity] = Field(default_factory=dict)
    subject_level: SubjectResult | None = None
    subject_level_reason: str | None = None


class Score(Record):
    """The same score on the raw data and on the release."""

    raw: float | None = None
    release: float


class GroupScores(Record):
    """The score in each group of at least 30 records, the mean over groups (not records), and the worst group's."""

    levels: dict[str, Score]
    average: Score
    worst: Score


class TransferResult(Record):
    """How well a panel predicts a utility attribute of *original* records it never saw, by what it was trained on.

    Attributes
    ----------
    original, release : float
        Trained on originals, on the release.
    no_record : float or None
        Trained on what the sanitiser's generator makes without any record, under the same classes. A release that does
        no better has told nothing of its records.
    """

    original: float
    release: float
    no_record: float | None = None


class UtilityResult(Record):
    """How well the panel predicts a utility attribute; `chance` is what a constant prediction reaches.

    `groups` holds the accuracy by group of each categorical sensitive attribute.
    """

    metric: Literal["accuracy", "balanced_accuracy", "r2"]
    score: Score
    chance: float
    predictor: str = ""
    groups: dict[str, GroupScores] = Field(default_factory=dict)
    transfer: TransferResult | None = None


class Histogram(Record):
    """Counts before and after on shared cells; cells of fewer than ten records are None, and others beside them."""

    labels: list[str]
    raw: list[int | None]
    release: list[int | None]


class ColumnResult(Record):
    """What became of one column.

    Attributes
    ----------
    retention : float or None
        max(0, 1 - CE/H) of a fresh decoder of the original column from the release, in [0, 1].
    own_information : float or None
        I(column; released column)/H(column) on the same codes, bias corrected, in [0, 1].
    """

    kind: str
    retention: float | None = None
    own_information: float | None = None
    histogram: Histogram | None = None


class FairnessResult(Record):
    """Group differences of a downstream prediction of U, raw against release (fairlearn's definitions)."""

    demographic_parity_difference: Score
    equal_opportunity_difference: Score | None = None
    equalized_odds_difference: Score | None = None


class Splits(Record):
    """How rows were divided: the part the sanitiser was fitted on, the part it never saw, folds, subjects.

    `sanitizers` counts those of a cross-fitted release, each of which released rows that it never saw.
    """

    fit: int | None = None
    audit: int
    folds: int
    groups: int | None = None
    sanitizers: int | None = None
    source: SplitsSource = "none"


class AuditRecord(Shown, Record):
    """The whole audit.

    Attributes
    ----------
    verdict : {"pass", "fail", "inconclusive"} or None
        None when no budget was given.
    claim : {"tested_attackers", "any_attacker"}
        A verdict is about the named attackers unless an exact bound or differential privacy backs it.
    statement : str
        The verdict in plain words, as printed.
    title, created, release : str
        What the release is called by whoever shares it, never the name of a file; when it was audited (ISO 8601); and
        "sha256:" with the digest of what is handed over. "" where not known.
    budget : float or None
        In nats; where attributes have budgets of their own, `sensitive` has them, and this is the smallest.
    decided_by : str
        The attribute whose verdict is the worst, and so the record's; "" where there is none.
    panel : list of str
        Who attacked, in every fold.
    failed : dict
        Who could not be fitted in some fold, why and on what; then no verdict is a pass.
    effective_rank : float or None
        Directions that the released numbers use (of correlations): what collapsed has 1, whatever its columns.
    linkage : dict or None
        By where records were compared ("data", "latent"); None: not measured.
    membership : MembershipResult or None
    flow_membership : LikelihoodMembership or None
        For a generator with a likelihood: whether it tells the rows that it was trained on.
    implied : dict
        By sensitive attribute: what the release must leak by what it keeps of U.
    drift : list of DriftNote
        Where the released records are unlike those the sanitiser was fitted on.
    images : ImageComparison or None
        Averages of images before and after, where the original is known.
    fidelity : FidelityResult or None
        How far analyses of the release come out as those of the original; None without an original that shares columns.
    """

    schema_version: int = SCHEMA_VERSION
    verdict: Verdict | None
    claim: Claim = "tested_attackers"
    statement: str
    title: str = ""
    created: str = ""
    release: str = ""
    budget: float | None
    decided_by: str = ""
    n: int
    level: float
    panel: list[str]
    failed: dict[str, str] = Field(default_factory=dict)
    effort: str
    splits: Splits
    sensitive: dict[str, SensitiveResult]
    utility: dict[str, UtilityResult] = Field(default_factory=dict)
    columns: dict[str, ColumnResult] = Field(default_factory=dict)
    mean_retention: float | None = None
    mean_own_information: float | None = None
    effective_rank: float | None = None
    fairness: dict[str, dict[str, FairnessResult]] = Field(default_factory=dict)
    linkage: dict[str, LinkageResult] | None = None
    membership: MembershipResult | None = None
    flow_membership: LikelihoodMembership | None = None
    implied: dict[str, ImpliedLeakage] = Field(default_factory=dict)
    drift: list[DriftNote] = Field(default_factory=list)
    images: ImageComparison | None = None
    fidelity: FidelityResult | None = None
    findings: list[Finding] = Field(default_factory=list)
    threat_model: list[str] = Field(default_factory=list)
    utility_in_release: bool = True
    seed: int = 0
    seconds: float | None = None

    def budget_of(self, name: str) -> float | None:
        """Return what an attribute, or all together, was judged against, in nats; None without a budget."""
        own = self.sensitive[name].budget if name in self.sensitive else None
        return self.budget if own is None else own

    @property
    def judged(self) -> int:
        """Records whose attribute is known: of the attribute that decided the verdict, else of all together."""
        lead = self.sensitive.get(self.decided_by) or next(reversed(self.sensitive.values()), None)
        return self.n if lead is None else self.n - lead.unknown

    @property
    def own_budgets(self) -> dict[str, float]:
        """Budgets by attribute, where they differ; empty where one holds for all."""
        found = {name: budget for name in self.sensitive if (budget := self.budget_of(name)) is not None}
        return found if len(set(found.values())) > 1 else {}
