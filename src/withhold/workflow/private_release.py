"""Releases under differential privacy: rows that the generator was not trained on, counted in a ledger before drawing.

The fit part trains the generator and is **not** released, unless the request says that it is (`flow_training`): then
nothing is promised for those records.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from withhold.contracts.errors import FileError, InvalidParameterError
from withhold.contracts.guarantee import Guarantee
from withhold.io.atomic import write_text
from withhold.io.reading import FOUND_OUT, Reading
from withhold.io.tables import table_batches, write_table
from withhold.methods.cadp.fitted_rows import names_of
from withhold.methods.cadp.terms import guarantee_over_releases
from withhold.methods.estimator.dropped import told_elsewhere
from withhold.methods.estimator.sanitizer import Sanitizer
from withhold.privacy.ledger import ADVISORY, LedgerKey, ReleaseLedger
from withhold.privacy.mechanism import at_least
from withhold.workflow.job import Job
from withhold.workflow.parts import Parts
from withhold.workflow.release import Fitted, as_table, features_of, summary_of
from withhold.workflow.roles import check_columns
from withhold.workflow.rooms import LEDGER, LEDGER_KEY
from withhold.workflow.source import fitted_types

ROWS = "released_rows.parquet"
# A note in a folder whose releases are entered in the ledger of another.
ELSEWHERE = "ledger.json"
PRIVATE_FILES = {"ledger_place": ELSEWHERE, "released_rows": ROWS}
PUBLIC = "public"
CONTENT = "under the values of each record: one whose values have changed is another (--key COL names them)"


def ledger_place(folder: Path, given: Path | None) -> tuple[Path, Path]:
    """Return where the ledger of a private folder is, or will be, and the secret that goes with it.

    Parameters
    ----------
    folder : Path
        It holds its ledger, or a note where that is.
    given : Path or None
        A file with the secret. A ledger that lies beside it is used there: what records have cost there, they have
        cost, and a copy would not know what they cost from now on.
    """
    own, key = folder / LEDGER, folder / LEDGER_KEY if given is None else given
    if (folder / ELSEWHERE).exists():
        own, known = _noted(folder / ELSEWHERE)
        key = known if given is None else given
    beside = own if given is None else given.parent / LEDGER
    if not beside.exists() or (own.exists() and beside.samefile(own)):
        return own, key
    if own.exists():
        raise InvalidParameterError(
            f"There are two ledgers, '{own}' and '{beside}', and neither knows what records have cost in the other. "
            f"Leave --noise-key out to go on with the first, or write into a folder without a {LEDGER}."
        )
    return beside, key


def ledger_in(folder: Path, given: Path | None, earlier: Path | None = None) -> tuple[LedgerKey, Path]:
    """Return the secret of a folder's ledger and the ledger's path, where it is: it is never copied.

    Parameters
    ----------
    folder : Path
        The private folder that is being written.
    given : Path or None
        A file with the secret, instead of the one that is there.
    earlier : Path, optional
        The folder that this one will replace; its ledger stays there. If the ledger is somewhere else, a note in
        `folder` says where.
    """
    home = folder if earlier is None else earlier
    ledger, known = ledger_place(home, given)
    if given is None and not known.exists():
        if ledger.exists():
            raise FileError(
                f"The ledger '{ledger}' is there and its key '{known.name}' is not, without which no record has a "
                "name in it. Put it back beside the ledger, or pass it with --noise-key."
            )
        home.mkdir(mode=0o700, exist_ok=True)
        with suppress(FileError):  # another process that starts at the same time may have made one
            LedgerKey.generate().save(known)
    key = LedgerKey.from_file(known)
    if earlier is not None and ledger.parent == home:
        home.mkdir(mode=0o700, exist_ok=True)
        key.save(home / LEDGER_KEY)
    elif earlier is not None:
        places = {"ledger": str(ledger.resolve()), "key": str(known.resolve())}
        write_text(folder / ELSEWHERE, json.dumps(places), mode=0o600)
    return key, ledger


def _noted(note: Path) -> tuple[Path, Path]:
    """Return the places of a ledger and its key that a note holds."""
    try:
        places = json.loads(note.read_text(encoding="utf-8"))
        ledger, key = Path(places["ledger"]), Path(places["key"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FileError(f"'{note}' does not say where the ledger is. Pass its key with --noise-key.") from error
    if not ledger.exists():
        raise FileError(
            f"The ledger of these releases, '{ledger}', is not there any more. Put it back: what records have cost is "
            f"known from it alone. If it was moved, write its new place into '{note}'."
        )
    return ledger, key


def count_in_file(
    sanitizer: Sanitizer,
    folder: Path,
    given: Path | None,
    copied: Sequence[str],
    log: Callable[[str], None],
    by: str | None = None,
) -> None:
    """Let a saved sanitiser enter its releases in the ledger beside it; without the secret they are not counted.

    Parameters
    ----------
    sanitizer : CADP
        Loaded.
    folder : Path
        Where its file is.
    given : Path or None
        A file with the ledger's secret, instead of the one beside the sanitiser.
    copied : sequence of str
        Columns that are to be copied into the release.
    by : str or None
        The column that names records.
    """
    name = sanitizer.condition_.name
    if sanitizer.label != "public" and name in copied:
        raise InvalidParameterError(
            f"--copy {quote(name)} would put the true class beside a record that was released under a randomised one. "
            "Leave it out; `withhold run` releases the randomised class."
        )
    if sanitizer.flow_training == PUBLIC:
        log("no row of the fit may be among these records: nothing of them is saved, so that this is not checked here")
    if given is None and not any((folder / name).exists() for name in (LEDGER, LEDGER_KEY, ELSEWHERE)):
        if by is not None or sanitizer.settled_.total is not None:
            asked = f"--key {quote(by)}" if by is not None else "A sanitiser with a total"
            raise InvalidParameterError(
                f"{asked} needs the ledger, and its secret {LEDGER_KEY} is not beside the sanitiser. Put {LEDGER_KEY} "
                f"(and {LEDGER}) back there, or pass the secret with --noise-key."
            )
        log(f"without {LEDGER_KEY} beside the sanitiser, releases are not entered in a ledger")
        return
    key, ledger = ledger_in(folder, given)
    sanitizer.charge_to(ReleaseLedger(ledger, key, sanitizer.settled_.total))
    named = f"under column {by!r}" if by is not None else CONTENT
    log(f"entering releases in {LEDGER}, {named}; {ADVISORY}")


def names_in(
    method: Sanitizer,
    data: Path,
    by: str | None,
    rows: int,
    array: str | None = None,
    labels: Path | None = None,
    reading: Reading = FOUND_OUT,
) -> Iterator[Any]:
    """Yield what every record of a file is counted under: the value of a column, or the record itself.

    Parameters
    ----------
    method : CADP
        Fitted.
    data, array, labels, reading
        The file, as for `table_batches`.
    by : str or None
        The column.
    rows : int
        Read at a time.
    """
    for batch in table_batches(data, rows, array, labels, fitted_types(method), reading):
        table = pa.Table.from_batches([batch])
        if by is None:
            yield from names_of(method.encoding_.rows(method.encoding_.read(given_to(method, table))), None)
        else:
            check_columns([by], table.column_names, data.name)
            yield from table.column(by).to_pylist()


def given_to(method: Sanitizer, table: pa.Table) -> Any:
    """Return the columns of a table that a method reads, in the form it was fitted on."""
    if method.encoding_.image is not None:
        return table
    if method.codec_ is not None:
        return table.select(list(method.codec_.schema.names))
    numbered = [f"x{j}" for j in range(method.n_features_in_)]
    known = set(numbered) <= set(table.column_names)
    chosen = table.select(numbered if known else [n for n in table.column_names if n != method.condition_.name])
    return np.column_stack([column.to_numpy() for column in chosen.columns])


def say_unknown(count: int, n: int, log: Callable[[str], None]) -> None:
    """Say how many records have a class that the fit did not know: of which records, and which class, tells of them.

    Examples
    --------
    >>> say_unknown(0, 10, print)
    >>> say_unknown(10, 10, print)
    10 of 10 records have no class of the fit and are released under its most frequent one
    """
    if count:
        log(f"{count:,} of {n:,} records have no class of the fit and are released under its most frequent one")


def fit_and_release_afresh(
    sanitizer: Sanitizer, job: Job, folder: Path, earlier: Path, log: Callable[[str], None] = lambda text: None
) -> Fitted:
    """Fit on the fit part and release the rows that may be released, entered in the ledger first.

    Parameters
    ----------
    sanitizer : CADP
        Unfitted.
    folder, earlier : Path
        The private folder that is being written, and the one that it will replace.

    Returns
    -------
    Fitted
        Features of the released rows; with them a class that was answered at random.
    """
    roles, table = job.roles, job.table
    name = one_class(roles.utility)
    known, rows = table.take(job.parts.fit_rows), released_rows(sanitizer, job.parts)
    started = time.perf_counter()
    with told_elsewhere():
        sanitizer.fit(
            features_of(known, roles),
            None if name is None else known.select([name]),
            sensitive_features=known.select(list(roles.sensitive)) if roles.sensitive else None,
            groups=None if job.groups is None else job.groups[job.parts.fit_rows],
        )
    seconds = time.perf_counter() - started
    key, ledger = ledger_in(folder, job.request.noise_key, earlier)
    sanitizer.charge_to(ReleaseLedger(ledger, key, sanitizer.settled_.total))
    write_table(folder / ROWS, pa.table({"row": rows}))
    chosen = table.take(rows)
    if name is not None:
        say_unknown(sanitizer.condition_.unknown(chosen.column(name)), len(rows), log)
    features, shown = sanitizer.release(
        features_of(chosen, roles),
        None if name is None else chosen.select([name]),
        identifiers=None if roles.names_records is None else chosen.column(roles.names_records).to_pylist(),
    )
    released = as_table(features, roles, sanitizer)
    if name is not None and sanitizer.label != "public":
        released = released.append_column(table.schema.field(name), as_values(shown, table.column(name)))
    return Fitted(sanitizer, released, summary_of(sanitizer, seconds))


def released_rows(sanitizer: Sanitizer, parts: Parts) -> np.ndarray:
    """Return the positions of the rows that are released."""
    return parts.audit_rows if sanitizer.flow_training == PUBLIC else np.arange(len(parts.fit))


def narrowed(job: Job, features: pa.Table) -> tuple[Job, pa.Table]:
    """Return the job about the released rows alone, with the class that is shown, and their features without it."""
    if features.num_rows != job.table.num_rows:
        rows = job.parts.audit_rows
        job = replace(
            job,
            table=job.table.take(rows),
            attributes=job.attributes.take(rows),
            groups=None if job.groups is None else job.groups[rows],
            parts=Parts(np.zeros(len(rows), bool), job.parts.source),
        )
    for name in job.roles.utility:
        if name in features.column_names:
            place = job.table.column_names.index(name)
            shown = job.table.set_column(place, features.schema.field(name), features.column(name))
            job, features = replace(job, table=shown), features.drop_columns([name])
    return job, features


def counted_guarantee(sanitizer: Sanitizer, job: Job, ledger: ReleaseLedger) -> tuple[Guarantee, float | None]:
    """Return what is promised of all that was released of one person, and the epsilon of one row where that is less.

    Parameters
    ----------
    job : Job
        About the released rows.
    ledger : ReleaseLedger
        Holds what they have cost, this release included.

    Where persons (`--key`) are joined to subjects (`--groups`), what holds is that of a subject's persons together.
    """
    guarantee = sanitizer.guarantee()
    terms, names = guarantee.privacy, job.roles.names_records
    if terms is None:
        return guarantee, None
    joined = 1
    if job.groups is not None and names is not None and job.roles.groups not in (None, names):
        persons = pa.table({"subject": job.groups, "person": job.table.column(names)}).group_by("subject")
        joined = pc.max(persons.aggregate([("person", "count_distinct")])["person_count_distinct"]).as_py()
    spent, once = ledger.largest(), sanitizer.epsilon_
    if spent.epsilon * joined <= once:
        return guarantee, None
    epsilon, delta = spent.epsilon * joined, spent.delta * joined  # a ledger of an earlier version may hold a delta
    notion = "approximate" if delta else "pure"
    most = terms.model_copy(update={"notion": notion, "epsilon": at_least(epsilon), "delta": min(1.0, at_least(delta))})
    return guarantee_over_releases(guarantee, most), float(once)


def one_class(utility: Sequence[str]) -> str | None:
    """Return the column whose classes a release is made under, or refuse several.

    Examples
    --------
    >>> one_class(["digit"]), one_class([])
    ('digit', None)
    """
    if len(utility) > 1:
        raise InvalidParameterError(
            f"This method takes one --utility column (got {len(utility)}). Name one, or a column that combines them."
        )
    return utility[0] if utility else None


def as_values(shown: Any, column: pa.ChunkedArray) -> pa.Array:
    """Return names of classes as values of the column they came from.

    Examples
    --------
    >>> as_values(np.array(["2", "1"]), pa.chunked_array([[1, 2, 2]])).to_pylist()
    [2, 1]
    """
    plain = column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
    values = {str(value): value for value in plain.unique().to_pylist()}
    return pa.array([values[str(name)] for name in shown], plain.type).cast(column.type)
