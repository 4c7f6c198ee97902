"""Options that several commands share, each declared once, and what a command hands back."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Annotated, Any, ClassVar, Protocol

import typer

from withhold.contracts.errors import WithholdError
from withhold.contracts.wording import printable


def names(given: Sequence[str] | None) -> tuple[str, ...]:
    """Return what a repeatable option collected, once each.

    Examples
    --------
    >>> names(None), names(["sex", "age", "sex"])
    ((), ('sex', 'age'))
    """
    return tuple(dict.fromkeys(given or ()))


def note(text: str) -> None:
    """Write one line of progress to stderr."""
    print(printable(text), file=sys.stderr, flush=True)


def say(text: str, stream: IO[str]) -> None:
    """Write one line of a result."""
    print(printable(text), file=stream)


DONE = 0
OVER_BUDGET = 1
USAGE = 2
BAD_DATA = 3
INCONCLUSIVE = 4
INTERRUPTED = 130


class InterruptError(WithholdError):
    """Ctrl-C, with what can be continued."""

    exit_code: ClassVar[int] = INTERRUPTED


class Document(Protocol):
    """A pydantic record."""

    def model_dump_json(self, *, indent: int | None = None) -> str:
        """Return the record as JSON."""
        ...


@dataclass(frozen=True)
class Outcome:
    """The result of one command.

    Attributes
    ----------
    document : record or mapping
        What `--json` prints, and nothing else is printed then.
    show : callable
        Writes the same for a person to the stream it is given.
    code : int
        0 done, and within budget if one was given; 1 the audit failed its budget; 4 inconclusive.
    """

    document: Document | Mapping[str, Any]
    show: Callable[[IO[str]], None] = field(repr=False)
    code: int = DONE


def code_of(verdict: str | None) -> int:
    """Return the exit code of a verdict.

    Examples
    --------
    >>> [code_of(verdict) for verdict in ("pass", None, "fail", "inconclusive")]
    [0, 0, 1, 4]
    """
    return {"fail": OVER_BUDGET, "inconclusive": INCONCLUSIVE}.get(verdict or "", DONE)


DATA_HELP = ".parquet, .csv, .feather, .arrow, .npz (with --array NAME), or a folder of Parquet parts."
IMAGES_HELP = f"{DATA_HELP} Or images: an .npz array, or a folder of PNG and JPEG files with --labels FILE."

Data = Annotated[Path, typer.Argument(help=DATA_HELP, show_default=False)]
Images = Annotated[Path, typer.Argument(help=IMAGES_HELP, show_default=False)]
Sensitive = Annotated[
    list[str],
    typer.Option("--sensitive", help="Column to hide; repeatable.", show_default=False, metavar="COL"),
]
Utility = Annotated[
    list[str] | None,
    typer.Option("--utility", help="Column that must stay useful; repeatable.", show_default=False, metavar="COL"),
]
Groups = Annotated[
    str | None,
    typer.Option("--groups", help="Column that names the subject of a row; subjects stay together.", metavar="COL"),
]
Key = Annotated[
    str | None,
    typer.Option("--key", help="Column that names records in cadp's ledger; never released.", metavar="COL"),
]
Drop = Annotated[
    list[str] | None,
    typer.Option("--drop", help="Column to leave out altogether; repeatable.", show_default=False, metavar="COL"),
]
Keep = Annotated[
    list[str] | None,
    typer.Option("--keep", help="Identifier, key or text column to keep; repeatable.", metavar="COL"),
]
Split = Annotated[
    str | None,
    typer.Option("--split", help="Column with train/fit and test/audit; never a feature.", metavar="COL"),
]
Test = Annotated[
    Path | None, typer.Option("--test", help="A second file: DATA is fitted, this one audited.", metavar="FILE")
]
Continuous = Annotated[
    list[str] | None,
    typer.Option("--continuous", help="Integer column to treat as a number; repeatable.", metavar="COL"),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option("--categorical", help="Number column to treat as classes; repeatable.", metavar="COL"),
]
Array = Annotated[
    str | None, typer.Option("--array", help="Array of an .npz file that holds the features.", metavar="NAME")
]
Labels = Annotated[
    Path | None,
    typer.Option(
        "--labels",
        help="Table of what the images of a folder show, with a column 'file'; audit also finds FOLDER/labels.csv.",
        metavar="FILE",
    ),
]
Method = Annotated[
    str,
    typer.Option(
        "--method", help="A method, such as deepminmax or leace; `withhold doctor` lists all.", metavar="NAME"
    ),
]
Output = Annotated[
    str,
    typer.Option("--output", help="auto, table or representation (auto: a table gives a table).", metavar="KIND"),
]
UseUtility = Annotated[
    bool, typer.Option("--use-utility", help="Let the method see the utility column while it is fitted.")
]
DropUtility = Annotated[bool, typer.Option("--drop-utility", help="Leave the utility column out of the release.")]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", help="A setting of the method, such as lam=0.5 of deepminmax; repeatable.", metavar="KEY=VALUE"
    ),
]
Preset = Annotated[
    str | None,
    typer.Option("--preset", help="Named settings of the method, such as paper of deepminmax.", metavar="NAME"),
]
SomeSensitive = Annotated[
    list[str] | None,
    typer.Option(
        "--sensitive", help="Column to hide; repeatable. Optional for cadp.", show_default=False, metavar="COL"
    ),
]
Epsilon = Annotated[
    str | None,
    typer.Option("--epsilon", help="Of differential privacy, for cadp: a number or a fraction.", metavar="NUMBER"),
]
Budget = Annotated[
    float | None,
    typer.Option(
        "--budget",
        help="Nats that may be learned about the sensitive columns; deepminmax aims at it too.",
        metavar="NATS",
    ),
]
BudgetAdvantage = Annotated[
    float | None,
    typer.Option(
        "--budget-advantage",
        help="The budget as balanced accuracy above chance, such as 0.05; converted to nats.",
        metavar="FRACTION",
    ),
]
Attackers = Annotated[
    str | None,
    typer.Option("--attackers", help="Comma-separated panel; +NAME adds to the standard one.", metavar="NAMES"),
]
Effort = Annotated[str, typer.Option("--effort", help="quick, standard or thorough.", metavar="LEVEL")]
Seed = Annotated[int, typer.Option("--seed", help="Seed of splits, training and attackers.", metavar="N")]
NoiseKey = Annotated[
    Path | None,
    typer.Option(
        "--noise-key",
        help="Secret of earlier releases: DIR/private/key, for cadp ledger.key.",
        metavar="FILE",
    ),
]
Shuffle = Annotated[
    bool,
    typer.Option(
        "--shuffle", help="Release the rows in a random order; DIR/private/order.parquet keeps the first one."
    ),
]
Device = Annotated[str, typer.Option("--device", help="auto, cpu, cuda or mps.", metavar="NAME")]
Resume = Annotated[bool, typer.Option("--resume", help="Continue work that was interrupted.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace earlier results.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else.")]
