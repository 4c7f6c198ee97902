"""What a run or an audit was asked to do: frozen objects, compared on `--resume`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from withhold.audit.effort import EFFORTS, USUAL
from withhold.contracts.checks import check_budget, unknown
from withhold.contracts.errors import InvalidParameterError


@dataclass(frozen=True)
class AuditRequest:
    """The options of `audit`.

    Attributes
    ----------
    release : Path
        The file to attack.
    sensitive, utility : tuple of str
        Columns of the release, of `original` or of `sensitive_from`.
    original : Path or None
        The data before sanitising, rows in the same order or matched by `key`.
    sensitive_from, key : Path or None, str or None
        A file that holds the sensitive columns, and the column that matches its rows.
    also : tuple of Path
        Other versions of the same records that the recipient holds too.
    sanitizer, splits : Path or None
        The sanitiser that made the release, which the recipient is then assumed to have, and which rows it was fitted
        on.
    """

    release: Path
    sensitive: tuple[str, ...]
    utility: tuple[str, ...] = ()
    original: Path | None = None
    sensitive_from: Path | None = None
    key: str | None = None
    also: tuple[Path, ...] = ()
    sanitizer: Path | None = None
    splits: Path | None = None
    split: str | None = None
    groups: str | None = None
    drop: tuple[str, ...] = ()
    continuous: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    array: str | None = None
    labels: Path | None = None
    budget: float | None = None
    budget_advantage: float | None = None
    drop_utility: bool = False
    attackers: tuple[str, ...] | None = None
    effort: str = USUAL
    seed: int = 0

    def __post_init__(self) -> None:
        check_choice("effort", self.effort, tuple(EFFORTS))
        check_limit(self.budget, self.budget_advantage)
        check_kinds(self.continuous, self.categorical)
        if self.key is not None and not (self.original or self.sensitive_from or self.also):
            raise InvalidParameterError(
                "--key matches the rows of two files. Add --original, --sensitive-from or --also."
            )
        if self.split is not None and self.splits is not None:
            raise InvalidParameterError("--split and --splits both say which rows were fitted. Leave one out.")

    @property
    def kinds(self) -> dict[str, str]:
        """Declared kinds of columns."""
        kinds = dict.fromkeys(self.continuous, "continuous")
        return kinds | dict.fromkeys(self.categorical, "categorical")


OUTPUTS = ("auto", "table", "representation")
# These change neither the release nor the verdict.
INCIDENTAL = ("data", "test", "labels", "device", "noise_key")


@dataclass(frozen=True)
class Request:
    """The options of `run`, as `withhold.workflow.run.run` describes them."""

    data: Path
    sensitive: tuple[str, ...]
    utility: tuple[str, ...] = ()
    method: str = "deepminmax"
    settings: tuple[str, ...] = ()
    preset: str | None = None
    output: str = "auto"
    budget: float | None = None
    epsilon: str | None = None
    budget_advantage: float | None = None
    groups: str | None = None
    key: str | None = None
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    split: str | None = None
    test: Path | None = None
    continuous: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    array: str | None = None
    labels: Path | None = None
    drop_utility: bool = False
    use_utility: bool = False
    attackers: tuple[str, ...] | None = None
    effort: str = USUAL
    seed: int = 0
    noise_key: Path | None = None
    device: str = "auto"
    shuffle: bool = False

    def __post_init__(self) -> None:
        check_choice("effort", self.effort, tuple(EFFORTS))
        check_choice("output", self.output, OUTPUTS)
        check_limit(self.budget, self.budget_advantage)
        check_kinds(self.continuous, self.categorical)
        if self.split is not None and self.test is not None:
            raise InvalidParameterError("--split and --test both say which rows are audited. Leave one out.")
        if self.test is not None and self.labels is not None:
            raise InvalidParameterError(
                "--test cannot go with --labels, which names the images of one folder. Put all images into one folder "
                "and name the part of each in a column of the labels (--split COL)."
            )
        if self.use_utility and not self.utility:
            raise InvalidParameterError("--use-utility needs a column. Add --utility COL.")

    @property
    def kinds(self) -> dict[str, str]:
        """Declared kinds of columns."""
        kinds = dict.fromkeys(self.continuous, "continuous")
        return kinds | dict.fromkeys(self.categorical, "categorical")

    def fingerprint(self) -> dict[str, Any]:
        """Return what must be equal for an interrupted run to be continued.

        Examples
        --------
        >>> Request(Path("a.csv"), ("sex",)).fingerprint()["method"]
        'deepminmax'
        """
        chosen = {name: value for name, value in asdict(self).items() if name not in INCIDENTAL}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in chosen.items()}


def check_kinds(continuous: Sequence[str], categorical: Sequence[str]) -> None:
    """Refuse a column that is declared to be both.

    Examples
    --------
    >>> check_kinds(["age"], ["job"])
    """
    both = [name for name in continuous if name in categorical]
    if both:
        raise InvalidParameterError(f"{both[0]!r} cannot be both --continuous and --categorical.")


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


def check_limit(budget: float | None, advantage: float | None = None) -> None:
    """Refuse a budget that means nothing.

    Examples
    --------
    >>> check_limit(0.05)
    """
    if budget is not None and advantage is not None:
        raise InvalidParameterError("--budget and --budget-advantage both say how much may leak. Leave one out.")
    if budget is not None:
        check_budget(budget, "--budget")
    if advantage is not None and not 0 < advantage < 1:
        raise InvalidParameterError(
            f"--budget-advantage must lie between 0 and 1 (got {advantage:g}). Write 0.05 to allow 55 "
            "right of 100, guessing 50."
        )
