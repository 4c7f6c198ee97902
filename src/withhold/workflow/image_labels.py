"""Which table says what the images of a folder show, where an audit reads several folders."""

from pathlib import Path

from withhold.contracts.errors import DataError, sentence
from withhold.io.image_folder import first_unmatched
from withhold.io.table_format import LABELS, image_files
from withhold.io.tables import read_table


def labels_of(folder: Path, given: Path | None) -> Path | None:
    """Return the labels table of a folder of images: the one given, if it names images of this folder, else its own.

    Two folders seldom have the same names: a release numbers its images. So what is given as --labels holds for the
    folder whose images it names, and `labels.csv` in a folder for that folder.

    Parameters
    ----------
    folder : Path
        Anything else than a folder of images has no labels.
    given : Path or None
        What the user named.

    Returns
    -------
    Path or None
        None for a folder of images too, where there is neither.

    Raises
    ------
    DataError
        If one was given, and neither it nor the folder's own names images that are there.

    Examples
    --------
    >>> labels_of(Path("records.csv"), None) is None
    True
    """
    if not image_files(folder):
        return given if folder.is_dir() else None
    own = folder / LABELS
    if given is None:
        return own if own.is_file() else None
    absent = first_unmatched(folder, read_table(given))
    if absent is None:
        return given
    if own.is_file():
        return own
    got = f"no {absent!r} in it, which {given.name} names"
    why = "Labels are matched to images by the names of their files."
    remedy = f"Name them as they are in the folder, or write {LABELS} with a column 'file' into it."
    expected = f"one whose images the labels name, or with a {LABELS} of its own"
    raise DataError(sentence(f"The folder {folder.name!r}", expected, got, why, remedy))
