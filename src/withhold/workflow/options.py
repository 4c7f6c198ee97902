"""Options of the commands, each written once: requests carry them beside the types of their fields."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated


@dataclass(frozen=True)
class Option:
    """What the command line says of a field.

    Attributes
    ----------
    help : str
        One line.
    metavar : str or None
        What stands for the value in the help.
    flag : str or None
        Where it is not the field's name.
    positional : bool
        An argument without a flag.
    separated : bool
        One value with commas, not a repeated option.
    exists : bool
        A path that is read: it must be there before anything is loaded.
    alias : str or None
        An earlier flag, which goes on to work.
    """

    help: str
    metavar: str | None = None
    flag: str | None = None
    positional: bool = False
    separated: bool = False
    exists: bool = False
    alias: str | None = None


DATA_HELP = (
    ".parquet, .csv, .tsv (.gz too), .feather, .arrow, .npz, .npy, .xlsx, SPSS, Stata, SAS, .h5ad, or a folder of "
    "Parquet parts."
)
IMAGES_HELP = f"{DATA_HELP} Or images: an .npz array, or a folder of PNG and JPEG files with --labels FILE."

Column = str | None
Columns = tuple[str, ...]
File = Path | None

Data = Annotated[Path, Option(DATA_HELP, positional=True, exists=True)]
Images = Annotated[Path, Option(IMAGES_HELP, positional=True, exists=True)]
Released = Annotated[Path, Option(f"The released file: {IMAGES_HELP}", positional=True, exists=True)]
Saved = Annotated[Path, Option("The sanitiser that fit or run wrote.", positional=True, exists=True)]
Sensitive = Annotated[Columns, Option("Column to hide; repeatable.", "COL")]
SomeSensitive = Annotated[Columns, Option("Column to hide; repeatable. Optional for cadp.", "COL")]
Utility = Annotated[Columns, Option("Column that must stay useful; repeatable.", "COL")]
Groups = Annotated[Column, Option("Column that names the person of each row; a person's rows stay together.", "COL")]
Key = Annotated[Column, Option("Column that names the person, for cadp's count of releases; never released.", "COL")]
KeyOfFiles = Annotated[Column, Option("Column of both files that names the record, such as a case number.", "COL")]
Drop = Annotated[Columns, Option("Column to leave out altogether; repeatable.", "COL")]
Keep = Annotated[Columns, Option("Identifier, key or text column to keep; repeatable.", "COL")]
Copy = Annotated[Columns, Option("Column to copy unchanged, such as the utility; repeatable.", "COL")]
Split = Annotated[Column, Option("Column that says train (fit) or test (audit); never released.", "COL")]
Test = Annotated[File, Option("A second file: DATA is fitted, this one audited.", "FILE", exists=True)]
CrossFit = Annotated[
    int | None, Option("Fit K sanitisers: each row comes from one that never saw it, and all are audited.", "K")
]
Continuous = Annotated[Columns, Option("Integer column to treat as a number; repeatable.", "COL")]
Categorical = Annotated[Columns, Option("Number column to treat as classes; repeatable.", "COL")]
Array = Annotated[str | None, Option("Array of .npz, sheet of .xlsx or matrix of .h5ad to read.", "NAME")]
Labels = Annotated[
    File,
    Option(
        "Table of what the images of a folder show, with a column 'file'; audit also finds FOLDER/labels.csv.",
        "FILE",
        exists=True,
    ),
]
Sep = Annotated[str | None, Option("Character between columns of text files, such as ';' or tab.", "CHAR")]
Decimal = Annotated[str | None, Option("Decimal mark of text files: ',' or '.'.", "CHAR")]
Encoding = Annotated[str | None, Option("Encoding of text files, such as cp1252 or utf-16.", "NAME")]
Missing = Annotated[
    tuple[str, ...], Option("What else stands for a missing value, such as 999,. for 999 and a full stop.", "TEXT,...")
]
Text = Annotated[Columns, Option("Column to read as text, such as a code; repeatable.", "COL")]
Date = Annotated[Columns, Option("Column of dates and its form, such as born=%d.%m.%Y; repeatable.", "COL=FORMAT")]
Method = Annotated[
    str,
    Option(
        "A method, such as deepminmax or leace; auto, the default, chooses one by --budget or --target-utility.",
        "NAME",
    ),
]
TargetUtility = Annotated[
    float | None,
    Option(
        "Accuracy (of a number R squared) to keep in predicting --utility; the method that leaks least is chosen.",
        "SCORE",
    ),
]
TimeLimit = Annotated[str | None, Option("Time for choosing a method, such as 90s, 10m or 1h.", "TIME")]
Output = Annotated[str, Option("auto, table or representation (auto: a table gives a table).", "KIND")]
Decode = Annotated[
    str, Option("How a table is made again: sample draws each column, mode takes its most likely value.", "HOW")
]
UseUtility = Annotated[
    bool,
    Option("Only the utility column must stay useful: methods see it, and other columns may be lost."),
]
DropUtility = Annotated[bool, Option("Leave the utility column out of the release.")]
Settings = Annotated[
    tuple[str, ...], Option("A setting of the method, such as lam=0.5 of deepminmax; repeatable.", "KEY=VALUE", "--set")
]
Preset = Annotated[str | None, Option("Named settings of the method, such as paper of deepminmax.", "NAME")]
Epsilon = Annotated[str | None, Option("Epsilon of differential privacy, for method cadp.", "NUMBER")]
Budget = Annotated[
    tuple[str, ...] | float | None,
    Option(
        "Most that may be learned of all sensitive columns (usual: 0.05), or of one: sex=0.03; repeatable.",
        "[COL=]NATS",
    ),
]
BudgetAdvantage = Annotated[
    float | None,
    Option("The budget as how much better than guessing, such as 0.05 for 55 of 100 instead of 50.", "FRACTION"),
]
Budgets = Annotated[str | None, Option("Budgets in nats, such as 0,0.05,0.1.", "NATS,...")]
Attackers = Annotated[
    tuple[str, ...] | None,
    Option("Attackers, with commas between; +NAME adds to the usual.", "NAMES", separated=True),
]
Effort = Annotated[str, Option("How hard attackers try: quick, standard or thorough.", "LEVEL")]
Seed = Annotated[int, Option("Seed of splits, training and attackers.", "N")]
Original = Annotated[File, Option("The data before sanitising, same rows or --key.", "FILE", exists=True)]
Control = Annotated[
    File,
    Option(
        "People whom the file was not made from, for synthetic or shuffled files; with --original.", "FILE", exists=True
    ),
]
SensitiveFrom = Annotated[File, Option("A file that holds the sensitive columns.", "FILE", exists=True)]
Also = Annotated[
    tuple[Path, ...], Option("Another version of these records the recipient holds; repeatable.", "FILE", exists=True)
]
Possessed = Annotated[File, Option("The sanitiser, if the recipient gets it too.", "FILE", exists=True)]
Splits = Annotated[
    File,
    Option("private/splits.parquet of the run that made it; it says which row each is.", "FILE", exists=True),
]
NoiseKey = Annotated[File, Option("Secret of earlier releases: DIR/private/key, for cadp ledger.key.", "FILE")]
KeyBeside = Annotated[File, Option("The secret key; by default the one beside the sanitiser.", "FILE")]
KeepOrder = Annotated[bool, Option("Release rows as they came, not in a random order: their order may tell something.")]
Device = Annotated[str, Option("auto, cpu, cuda or mps.", "NAME")]
Title = Annotated[str, Option("What the report calls the release.", "TEXT")]
Folder = Annotated[Path, Option("Folder for the results and private/.", "DIR")]
Release = Annotated[Path, Option("The release; its suffix is its format, none a folder of images.", "FILE")]
Anyway = Annotated[bool, Option("Go on although these rows cannot decide the budget, as a forecast says.")]
Resume = Annotated[bool, Option("Continue work that was interrupted.")]
Overwrite = Annotated[bool, Option("Replace earlier results.")]
AsJson = Annotated[bool, Option("Print one JSON document on stdout and nothing else.", flag="--json")]
