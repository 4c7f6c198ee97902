"""What the data at hand can bear, said before anything is fitted."""

from typing import Literal

from pydantic import Field

from withhold.contracts.audit_record import SCHEMA_VERSION
from withhold.contracts.quantity import Quantity
from withhold.contracts.record import Record

Outlook = Literal["decides", "uncertain", "too_few_rows", "utility_reveals", "restricts_nothing", "no_budget"]


class ColumnTold(Record):
    """One column of the original alone, read by a lookup on rows it was not made of.

    Attributes
    ----------
    information, low : float
        Nats told of the sensitive attribute, and at least, at 95 % for this column.
    balanced_accuracy : float
        Share that is right where each class is equally common.
    """

    column: str
    information: float
    low: float
    balanced_accuracy: float


class RawTold(Record):
    """What the original columns tell of one sensitive attribute.

    Attributes
    ----------
    entropy : float
        All there is to know, in nats; of a number that of its cells.
    classes : int
        Classes, of a number the cells it is cut into.
    together : Quantity
        All columns, read by regression and trees on held-out rows: a lower bound.
    balanced_accuracy, chance : float or None
        Of the same; None for a number.
    columns : list of ColumnTold
        Those that tell anything for certain, the most telling first.
    """

    entropy: float
    classes: int
    together: Quantity
    balanced_accuracy: float | None = None
    chance: float | None = None
    columns: list[ColumnTold] = Field(default_factory=list)


class UtilityTold(Record):
    """What the utility attributes alone tell of the sensitive ones, whatever happens to the other columns.

    Attributes
    ----------
    utility : list of str
    told : Quantity
        Nats, a lower bound; `low` above the budget means that every release that holds U fails.
    handed_over : bool
        Whether the recipient gets U.
    holds : float
        The smallest budget, in nats, that U alone does not break: the upper end of `told`.
    """

    utility: list[str]
    told: Quantity
    handed_over: bool
    holds: float


class PowerTold(Record):
    """What an audit of these rows can see.

    Attributes
    ----------
    rows : int
        Rows judged, those with a known sensitive attribute.
    detection_limit : float or None
        The smallest leak that is found as often as not, in nats; None: not even the largest that can be planted.
    rows_needed : int or None
        Rows at which four audits in five pass where nothing leaks beyond U; None without a budget or if none do.
    decidable_budget : float or None
        The smallest budget that the rows at hand decide as often; None: none below H(S).
    cross_fit_budget : float or None
        The same for a cross-fitted release (`--cross-fit`), where every row counts; None also where that cannot be.
    chance : float or None
        How likely the rows at hand decide the budget; None without one.
    entropy : float
        H(S) of all sensitive attributes together, in nats; of a number that of its upper and lower half.
    """

    rows: int
    detection_limit: float | None
    rows_needed: int | None
    decidable_budget: float | None
    cross_fit_budget: float | None = None
    chance: float | None
    entropy: float


Role = Literal["sensitive", "utility", "groups", "split", "key", "dropped", "feature"]


class RoleTold(Record):
    """The role that was found for a column.

    Attributes
    ----------
    role : str
        "feature" is released by the method; "utility" is released as it is; all others are not.
    kind : str
        Of a feature: number, categories, date, one value; of a sensitive column: categorical or continuous.
    why : str
        Why it is left out, or what else was seen.
    names_subjects : bool
        Whether it seems to name subjects with several rows, where none were named.
    """

    column: str
    role: Role
    kind: str = ""
    why: str = ""
    names_subjects: bool = False


class BudgetTold(Record):
    """A budget as nats and as what an attacker can do with it.

    Attributes
    ----------
    nats : float
    advantage : float or None
        As it was asked for, if it was asked for so.
    balanced_accuracy, chance : float or None
        The most that the best attacker reaches within the budget, and what guessing gives; None for numbers.
    """

    nats: float
    advantage: float | None = None
    balanced_accuracy: float | None = None
    chance: float | None = None


class PriceTold(Record):
    """The least that any release within the budget loses of U, I(U;X|Z) in nats.

    Attributes
    ----------
    known : float
        I(U;X), what the columns tell of U.
    least, least_low : float
        Certified for these rows, and at least at 95 %.
    reached : float
        What a known release loses.
    """

    known: float
    least: float
    least_low: float
    reached: float


class MethodTold(Record):
    """Whether a method applies to these data, why not or what to know of it, and how long its fit takes here."""

    method: str
    applies: bool
    why: str = ""
    fit_seconds: float | None = None


class PlanRecord(Record):
    """What the data can bear, what it costs, and what to run next. Nothing was fitted or released.

    Attributes
    ----------
    outlook : str
        "decides", "uncertain" (the rows may not decide the budget), "too_few_rows", "utility_reveals" (U alone breaks
        the budget), "restricts_nothing" (the budget is at or above H(S)), "no_budget".
    statement : str
        The same in one sentence.
    raw : dict of str to RawTold
        By sensitive attribute, and of several also all together ("joint"), of which single columns are not read.
    budget : BudgetTold or None
        Of `decided_by`.
    budgets : dict of str to BudgetTold
        Of each sensitive attribute and of all together ("joint"), where they have budgets of their own.
    decided_by : list of str
        The attributes, together, that the outlook is about: those whose budget is hardest to decide.
    utility_alone : UtilityTold or None
    power : PowerTold
        About `decided_by`.
    price : PriceTold or None
        None without utility and where it is not computed.
    methods : list of MethodTold
    audit_seconds, fit_seconds : float or None
        CPU seconds of `command` on this machine; of the fit of its method, or of all its fits. None: not known.
    fits : int
        How many sanitisers it fits: several where it is cross-fitted.
    choosing_seconds : float or None
        CPU seconds of choosing a method; 0 where `command` names one or chooses none, None: not known.
    beside_seconds : float
        CPU seconds of all but fit and audit: loading, the check before the fit, bounds, the page.
    machine : float
        How many times longer this machine takes than the one the costs were measured on.
    command : list of str
        What to run next, argument by argument.
    otherwise : list of str
        What to run in its place where U is to stay, which breaks the budget; empty elsewhere.
    columns : list of RoleTold
        In the order of the table; empty for arrays and images.
    notes : list of str
    """

    schema_version: int = SCHEMA_VERSION
    outlook: Outlook
    statement: str
    sensitive: list[str]
    utility: list[str]
    n: int
    effort: str
    level: float
    seed: int
    raw: dict[str, RawTold]
    budget: BudgetTold | None
    budgets: dict[str, BudgetTold] = Field(default_factory=dict)
    decided_by: list[str] = Field(default_factory=list)
    utility_alone: UtilityTold | None
    power: PowerTold
    price: PriceTold | None
    methods: list[MethodTold]
    audit_seconds: float
    fit_seconds: float | None
    fits: int = 1
    choosing_seconds: float | None = 0.0
    beside_seconds: float = 0.0
    machine: float
    command: list[str]
    otherwise: list[str] = Field(default_factory=list)
    columns: list[RoleTold] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)
