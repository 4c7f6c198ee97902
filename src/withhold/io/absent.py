"""The error for a file that is not there; of a sanitiser that never was it says why."""

from pathlib import Path

from withhold.contracts.errors import FileError
from withhold.contracts.wording import option

SANITIZER = ".withhold"


def absent(path: Path) -> FileError:
    """Return the error for a file that is not there: of a cross-fitted release each fold has a sanitiser of its own.

    Examples
    --------
    >>> print(absent(Path("nofile.csv")))
    File not found: 'nofile.csv'.
    """
    text = f"File not found: '{path}'."
    folds = sorted(path.parent.glob(f"{path.stem}-*-of-*{SANITIZER}")) if path.suffix == SANITIZER else []
    if folds:
        text += (
            f" That release was cross-fitted: each of its {len(folds)} folds has a sanitiser of its own, such as "
            f"'{folds[0].name}', and none of them is for other rows. For later rows run again without "
            f"{option('cross_fit')}; that writes one sanitiser."
        )
    return FileError(text)
