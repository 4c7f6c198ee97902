"""What a run or an audit was asked to do: frozen objects, compared on `--resume`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from shlex import quote
from typing import Any

from withhold.audit.effort import EFFORTS, USUAL
from withhold.contracts.budgets import Budgets
from withhold.contracts.checks import unknown
from withhold.contracts.errors import InvalidParameterError
from withhold.contracts.wording import nearest, option
from withhold.io.reading import Reading
from withhold.io.table_format import is_text
from withhold.methods.catalogue import AUTO, DEFAULT, MODULES
from withhold.workflow import options as o
from withhold.workflow.goal import check_choosing
from withhold.workflow.settings import check_settings


class Declaring:
    """A request in which kinds of columns are declared."""

    continuous: o.Continuous
    categorical: o.Categorical

    @property
    def kinds(self) -> dict[str, str]:
        """Declared kinds of columns."""
        kinds = dict.fromkeys(self.continuous, "continuous")
        return kinds | dict.fromkeys(self.categorical, "categorical")


class Limited:
    """A request that says how much may be learned, held as it is typed: a number, or a text for each column."""

    budget: o.Budget
    budget_advantage: o.BudgetAdvantage

    def _read_budgets(self) -> None:
        """Refuse a budget that means nothing; Python may give a mapping too."""
        if self.budget_advantage is not None and self.budgets:
            raise InvalidParameterError(
                f"{option('budget')} and {option('budget_advantage')} both say how much may leak. Leave one out."
            )
        check_advantage(self.budget_advantage)
        object.__setattr__(self, "budget", self.budgets.written)

    @property
    def budgets(self) -> Budgets:
        """What may be learned of which column, as far as it was said in nats."""
        return Budgets.read(self.budget, option("budget"))


@dataclass(frozen=True, kw_only=True)
class ReadsFiles:
    """A request that reads tables: how, where the files themselves do not say."""

    sep: o.Sep = None
    decimal: o.Decimal = None
    encoding: o.Encoding = None
    missing: o.Missing = ()
    text: o.Text = ()
    date: o.Date = ()

    def __post_init__(self) -> None:
        said = self.reading.of_text_files
        files = [value for field in fields(self) if isinstance(value := getattr(self, field.name), Path)]
        if said and not any(is_text(path) for path in [*files, *getattr(self, "also", ())]):
            raise InvalidParameterError(
                f"{option(said[0])} only applies to text files (.csv, .tsv), and none is given. Leave it out."
            )

    @property
    def reading(self) -> Reading:
        """What is said of how files are to be read."""
        forms = [entry.rpartition("=") for entry in self.date]
        if wrong := next((entry for entry, parts in zip(self.date, forms, strict=True) if not parts[0]), None):
            raise InvalidParameterError(
                f"--date takes a column and its form (got {wrong!r}). Write --date {quote(f'{wrong}=%d.%m.%Y')}."
            )
        missing = tuple(spelling.strip() for entry in self.missing for spelling in entry.split(","))
        dates = tuple((name, form) for name, _, form in forms)
        return Reading(self.sep, self.decimal, self.encoding, missing, self.text, dates, codes=False, spread=True)


@dataclass(frozen=True)
class AuditRequest(Declaring, Limited, ReadsFiles):
    """The options of `audit`.

    Attributes
    ----------
    release : Path
        The file to attack.
    sensitive, utility : tuple of str
        Columns of the release, of `original` or of `sensitive_from`.
    original : Path or None
        The data before sanitising, rows in the same order or matched by `key`.
    control : Path or None
        People whom the release was not made from: then no row of the release is anybody's, and what it tells of people
        of `original` is compared with what it tells of these.
    sensitive_from, key : Path or None, str or None
        A file that holds the sensitive columns, and the column that matches its rows.
    also : tuple of Path
        Other versions of the same records that the recipient holds too.
    sanitizer, splits : Path or None
        The sanitiser that made the release, which the recipient is then assumed to have; and which rows it was fitted
        on, with the row of the data that each row of the release is.
    """

    release: o.Released
    sensitive: o.Sensitive
    utility: o.Utility = ()
    original: o.Original = None
    control: o.Control = None
    sensitive_from: o.SensitiveFrom = None
    key: o.KeyOfFiles = None
    also: o.Also = ()
    sanitizer: o.Possessed = None
    splits: o.Splits = None
    split: o.Split = None
    budget: o.Budget = None
    budget_advantage: o.BudgetAdvantage = None
    groups: o.Groups = None
    drop: o.Drop = ()
    continuous: o.Continuous = ()
    categorical: o.Categorical = ()
    array: o.Array = None
    labels: o.Labels = None
    drop_utility: o.DropUtility = False
    attackers: o.Attackers = None
    effort: o.Effort = USUAL
    seed: o.Seed = 0
    title: o.Title = ""

    @property
    def reading(self) -> Reading:
        """What is said of how files are to be read; an audit reads all that whoever has them sees."""
        return replace(super().reading, codes=True, spread=self.sanitizer is not None)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("effort", self.effort, tuple(EFFORTS))
        self._read_budgets()
        check_kinds(self.continuous, self.categorical)
        if self.key is not None and not (self.original or self.sensitive_from or self.also):
            raise InvalidParameterError(
                f"{option('key')} matches the rows of two files. Add {option('original')}, "
                f"{option('sensitive_from')} or {option('also')}."
            )
        self._check_control()
        if self.split is not None and self.splits is not None:
            raise InvalidParameterError(
                f"{option('split')} and {option('splits')} both say which rows were fitted. Leave one out."
            )

    def _check_control(self) -> None:
        """Refuse what means nothing where rows cannot be matched to individuals."""
        if self.control is None:
            return
        if self.original is None:
            raise InvalidParameterError(
                f"{option('control')} compares the people of {option('original')} with others. Add "
                f"{option('original')}, or leave {option('control')} out."
            )
        about_rows = ("sensitive_from", "key", "also", "sanitizer", "splits", "split", "groups", "labels", "array")
        wrong = [name for name in (*about_rows, "utility") if getattr(self, name)]
        if wrong:
            raise InvalidParameterError(
                f"{option('control')} is for files whose rows cannot be matched to individuals, and "
                f"{option(wrong[0])} is about rows. Leave one out."
            )


OUTPUTS, DECODES = ("auto", "table", "representation"), ("sample", "mode")
# These change neither the release nor the verdict.
INCIDENTAL = ("data", "test", "labels", "device", "noise_key", "title", "time")


@dataclass(frozen=True)
class Request(Declaring, Limited, ReadsFiles):
    """The options of `run`, as `withhold.workflow.run.run` describes them."""

    data: o.Images
    sensitive: o.SomeSensitive = ()
    utility: o.Utility = ()
    method: o.Method = AUTO
    budget: o.Budget = None
    target_utility: o.TargetUtility = None
    time: o.TimeLimit = None
    epsilon: o.Epsilon = None
    budget_advantage: o.BudgetAdvantage = None
    groups: o.Groups = None
    key: o.Key = None
    drop: o.Drop = ()
    keep: o.Keep = ()
    split: o.Split = None
    test: o.Test = None
    cross_fit: o.CrossFit = None
    continuous: o.Continuous = ()
    categorical: o.Categorical = ()
    array: o.Array = None
    labels: o.Labels = None
    output: o.Output = "auto"
    decode: o.Decode = "sample"
    drop_utility: o.DropUtility = False
    use_utility: o.UseUtility = False
    settings: o.Settings = ()
    preset: o.Preset = None
    attackers: o.Attackers = None
    effort: o.Effort = USUAL
    seed: o.Seed = 0
    noise_key: o.NoiseKey = None
    device: o.Device = "auto"
    keep_order: o.KeepOrder = False
    title: o.Title = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("effort", self.effort, tuple(EFFORTS))
        check_choice("output", self.output, OUTPUTS)
        check_method(self.method)
        check_settings(self.method, self.settings)
        check_choice("decode", self.decode, DECODES)
        self._read_budgets()
        check_choosing(self.method, self.target_utility, self.time, self.utility)
        check_kinds(self.continuous, self.categorical)
        if self.split is not None and self.test is not None:
            raise InvalidParameterError(
                f"{option('split')} and {option('test')} both say which rows are audited. Leave one out."
            )
        if self.test is not None and self.labels is not None:
            raise InvalidParameterError(
                f"{option('test')} cannot go with {option('labels')}, which names the images of one folder. Put all "
                f"images into one folder and name the part of each in a column of the labels: {option('split', 'COL')}."
            )
        if self.cross_fit is not None:
            self._check_cross_fit(self.cross_fit)
        if self.use_utility and not self.utility:
            raise InvalidParameterError(f"{option('use_utility')} needs a column. Add {option('utility', 'COL')}.")

    def _check_cross_fit(self, folds: int) -> None:
        """Refuse what cannot be where every row is released by a sanitiser that never saw it, and audited."""
        if folds < 2:
            raise InvalidParameterError(
                f"{option('cross_fit')} must be at least 2 (got {folds}). Write {option('cross_fit', 5)}."
            )
        said = next((name for name in ("split", "test", "labels") if getattr(self, name) is not None), None)
        if said == "labels":
            raise InvalidParameterError(
                f"{option('cross_fit')} is for tables, and {option('labels')} names images. Leave one out."
            )
        if said is not None:
            raise InvalidParameterError(
                f"{option('cross_fit')} audits every row, and {option(said)} says which rows are audited. Leave "
                "one out."
            )
        if self.output == "representation":
            raise InvalidParameterError(
                f"Each sanitiser of {option('cross_fit')} would make a representation of its own, which no table can "
                f"hold together. Leave {option('output')} or {option('cross_fit')} out."
            )
        if self.chooses:
            raise InvalidParameterError(
                f"{option('cross_fit')} audits every row, so that none is left to choose a method on. Name one: "
                f"{option('method', DEFAULT)}."
            )

    @property
    def chooses(self) -> bool:
        """Whether a method is to be chosen: there must be something to choose by, and no setting of one method."""
        asked = bool(self.budgets) or self.budget_advantage is not None or self.target_utility is not None
        return self.method == AUTO and asked and not self.settings and self.preset is None

    def fingerprint(self) -> dict[str, Any]:
        """Return what must be equal for an interrupted run to be continued.

        Examples
        --------
        >>> from pathlib import Path
        >>> Request(Path("a.csv"), ("sex",)).fingerprint()["method"]
        'auto'
        """
        chosen = {name: value for name, value in asdict(self).items() if name not in INCIDENTAL}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in chosen.items()}


@dataclass(frozen=True)
class TransformRequest(ReadsFiles):
    """The options of `transform`.

    Attributes
    ----------
    sanitizer, data, out : Path
        What `fit` or `run` saved, new records, and the release. Columns the sanitiser does not know are left out.
    noise_key : Path or None
        The secret of earlier releases; by default the file beside the sanitiser (NAME.key, or `key` in its folder; for
        a method that counts releases `ledger.key`).
    key : str or None
        Column that names records in the ledger, for a method that counts releases.
    labels : Path or None
        The table that names the images of a folder; without it they come in order of name.
    resume, overwrite : bool
        Keep finished parts and continue from those of an interrupted run; replace an earlier file.
    """

    sanitizer: o.Saved
    data: o.Images
    out: o.Release
    noise_key: o.KeyBeside = None
    key: o.Key = None
    array: o.Array = None
    labels: o.Labels = None
    copy: o.Copy = ()
    device: o.Device = "auto"
    resume: o.Resume = False
    overwrite: o.Overwrite = False


@dataclass(frozen=True)
class BoundsRequest(Declaring, ReadsFiles):
    """The options of `bounds`; all columns but `sensitive`, `utility` and `drop` are X."""

    data: o.Data
    sensitive: o.Sensitive
    utility: o.Utility
    budgets: o.Budgets = None
    drop: o.Drop = ()
    continuous: o.Continuous = ()
    categorical: o.Categorical = ()
    array: o.Array = None
    seed: o.Seed = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_kinds(self.continuous, self.categorical)


def check_kinds(continuous: Sequence[str], categorical: Sequence[str]) -> None:
    """Refuse a column that is declared to be both.

    Examples
    --------
    >>> check_kinds(["age"], ["job"])
    """
    both = [name for name in continuous if name in categorical]
    if both:
        raise InvalidParameterError(f"{both[0]!r} cannot be both {option('continuous')} and {option('categorical')}.")


def declared(kinds: Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
    """Return the declared kinds of these columns alone.

    Examples
    --------
    >>> declared({"age": "continuous", "job": "categorical"}, ["age"])
    {'age': 'continuous'}
    """
    return {name: kind for name, kind in kinds.items() if name in names}


def check_choice(name: str, value: str, allowed: tuple[str, ...]) -> None:
    """Refuse a word outside a closed list.

    Examples
    --------
    >>> check_choice("output", "table", OUTPUTS)
    """
    if value not in allowed:
        raise unknown(name, value, allowed)


def check_method(name: str) -> None:
    """Refuse a method that is not in the catalogue, without loading one; hyphens and case make no difference.

    Examples
    --------
    >>> check_method("mi-backprop")
    """
    known = sorted([AUTO, *(word.lower() for word in MODULES)])
    if name.lower().replace("-", "").replace("_", "") not in known:
        raise InvalidParameterError(f"Unknown method {name!r}. {nearest(name.lower(), known)}")


def check_advantage(advantage: float | None) -> None:
    """Refuse an advantage that means nothing.

    Examples
    --------
    >>> check_advantage(0.05)
    """
    if advantage is not None and not 0 < advantage < 1:
        raise InvalidParameterError(
            f"{option('budget_advantage')} must lie between 0 and 1 (got {advantage:g}). Write 0.05 to allow 55 "
            "right of 100, guessing 50."
        )
