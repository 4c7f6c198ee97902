"""The private page of samples: some records as they were beside what became of them. It is never shared."""

from collections.abc import Sequence

from withhold.report.environment import environment


def render_samples(
    name: str, columns: Sequence[tuple[str, Sequence[str]]], captions: Sequence[str], note: str = ""
) -> str:
    """Return one offline HTML page that shows records in rows and their versions side by side.

    Parameters
    ----------
    name : str
        Of the data.
    columns : sequence of (str, sequence of str)
        What a version is called, and its images as PNG in base64, one for each caption.
    captions : sequence of str
        What is said of each record.
    note : str
        What a reader must know about these versions.

    Examples
    --------
    >>> page = render_samples("digits.npz", [("original", ["AA=="]), ("budget 0.1", ["AA=="])], ["row 3"])
    >>> "row 3" in page, page.count("<img"), "http:" in page
    (True, 2, False)
    """
    records = [(caption, [(label, images[i]) for label, images in columns]) for i, caption in enumerate(captions)]
    return _page(name, note, records=records)


def render_values(
    name: str, versions: Sequence[str], records: Sequence[tuple[str, Sequence[tuple[str, Sequence[str]]]]], note: str
) -> str:
    """Return the same page for records of a table: a column a row, its versions side by side.

    Parameters
    ----------
    name : str
        Of the data.
    versions : sequence of str
        What each version is called.
    records : sequence of (str, sequence of (str, sequence of str))
        Caption of a record, and for each column its name and its value in every version.
    note : str
        What a reader must know about these versions.

    Examples
    --------
    >>> page = render_values("a.csv", ["original", "epsilon 1"], [("row 3", [("age", ["31", "44"])])], "Not released.")
    >>> "row 3" in page, page.count("<td>"), "http:" in page
    (True, 2, False)
    """
    return _page(name, note, versions=versions, tables=records)


def _page(name: str, note: str, **content: object) -> str:
    given = {"records": [], "versions": [], "tables": [], **content}
    return environment().get_template("samples.html.j2").render(name=name, note=note, **given)
