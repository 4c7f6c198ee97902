"""What an audit of a file was asked to do: one frozen object."""

from dataclasses import dataclass
from pathlib import Path

from withhold.contracts.errors import InvalidParameterError, sentence
from withhold.workflow.request import EFFORTS, check_budget, check_choice, check_kinds


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
    effort: str = "standard"
    seed: int = 0

    def __post_init__(self) -> None:
        check_choice("effort", self.effort, EFFORTS)
        check_budget(self.budget, self.budget_advantage)
        check_kinds(self.continuous, self.categorical)
        if self.key is not None and not (self.original or self.sensitive_from or self.also):
            why = "It matches rows of two files."
            remedy = "Add --sensitive-from, --original or --also."
            raise InvalidParameterError(sentence("The option --key", "used with a second file", "none", why, remedy))
        if self.split is not None and self.splits is not None:
            why = "Both say which rows the sanitiser was fitted on."
            raise InvalidParameterError(
                sentence("The options --split and --splits", "given one at a time", "both", why, "Remove one.")
            )

    @property
    def kinds(self) -> dict[str, str]:
        """Declared kinds of columns."""
        kinds = dict.fromkeys(self.continuous, "continuous")
        return kinds | dict.fromkeys(self.categorical, "categorical")
