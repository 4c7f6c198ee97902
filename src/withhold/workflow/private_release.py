"""Releases under differential privacy: rows that the generator was not trained on, counted in a ledger before drawing.

The fit part trains the generator and is **not** released, unless the request says that it is (`flow_training`): by
DP-SGD, whose cost is added, or as it comes, and nothing is promised for those records.
"""

import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from withhold.contracts.errors import InvalidParameterError, sentence
from withhold.io.tables import write_table
from withhold.privacy.ledger import ADVISORY, ReleaseLedger
from withhold.privacy.noise_key import NoiseKey
from withhold.workflow.job import Job
from withhold.workflow.parts import Parts
from withhold.workflow.release import Fitted, as_table, features_of, summary_of

LEDGER, ROWS = "ledger.sqlite", "released_rows.parquet"
PRIVATE_FILES = {"ledger": LEDGER, "released_rows": ROWS}
PUBLIC = "public"


def draws_afresh(method: Any) -> bool:
    """Say whether a method, or its class, draws new noise in every release.

    Examples
    --------
    >>> from withhold.methods.identity import Identity
    >>> draws_afresh(Identity)
    False
    """
    return bool(getattr(method, "fresh_noise", False))


def open_ledger(folder: Path, earlier: Path, key: NoiseKey, sanitizer: Any) -> ReleaseLedger:
    """Return the ledger in the private folder; one of earlier results of the same place goes on.

    Parameters
    ----------
    folder, earlier : Path
        The private folder that is being written, and the one that it will replace.
    key : NoiseKey
        Names the records.
    sanitizer : CADP
        Its total.
    """
    if (earlier / LEDGER).exists() and not (folder / LEDGER).exists():
        shutil.copy2(earlier / LEDGER, folder / LEDGER)
    return ReleaseLedger(folder / LEDGER, key, sanitizer.settled_.total)


def count_in_file(
    sanitizer: Any, folder: Path, key: NoiseKey | None, copied: Sequence[str], log: Callable[[str], None]
) -> None:
    """Let a saved sanitiser enter its releases in the ledger beside it; without a key they are counted in memory only.

    Parameters
    ----------
    sanitizer : CADP
        Loaded.
    folder : Path
        Where its file is.
    key : NoiseKey or None
    copied : sequence of str
        Columns that are to be copied into the release.
    log : callable
    """
    name = sanitizer.condition_.name
    if sanitizer.label != "public" and name in copied:
        why = "The true class beside a record that was released under a randomised one undoes the randomisation."
        remedy = "Leave it out; `withhold run` releases the randomised class."
        raise InvalidParameterError(sentence("The option --copy", f"without {name!r}", repr(name), why, remedy))
    if key is None:
        log("without the key beside the sanitiser, releases are not entered in a ledger")
        return
    sanitizer.charge_to(ReleaseLedger(folder / LEDGER, key, sanitizer.settled_.total))
    log(f"entering releases in {LEDGER}; {ADVISORY}")


def fit_and_release_afresh(sanitizer: Any, job: Job, folder: Path, earlier: Path, key: NoiseKey) -> Fitted:
    """Fit on the fit part and release the rows that may be released, entered in the ledger first.

    Parameters
    ----------
    sanitizer : CADP
        Unfitted.
    job : Job
    folder, earlier, key
        As in `open_ledger`.

    Returns
    -------
    Fitted
        Features of the released rows; with them a class that was answered at random.
    """
    roles, table = job.roles, job.table
    name = one_class(roles.utility)
    known, rows = table.take(job.parts.fit_rows), released_rows(sanitizer, job.parts)
    started = time.perf_counter()
    sanitizer.fit(
        features_of(known, roles),
        None if name is None else known.select([name]),
        sensitive_features=known.select(list(roles.sensitive)) if roles.sensitive else None,
        groups=None if job.groups is None else job.groups[job.parts.fit_rows],
    )
    seconds = time.perf_counter() - started
    sanitizer.charge_to(open_ledger(folder, earlier, key, sanitizer))
    write_table(folder / ROWS, pa.table({"row": rows}))
    chosen = table.take(rows)
    features, shown = sanitizer.release(
        features_of(chosen, roles),
        None if name is None else chosen.select([name]),
        identifiers=None if roles.groups is None else chosen.column(roles.groups).to_pylist(),
    )
    released = as_table(features, roles, sanitizer)
    if name is not None and sanitizer.label != "public":
        released = released.append_column(table.schema.field(name), as_values(shown, table.column(name)))
    return Fitted(sanitizer, released, summary_of(sanitizer, job.request, seconds))


def released_rows(sanitizer: Any, parts: Parts) -> np.ndarray:
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


def one_class(utility: Sequence[str]) -> str | None:
    """Return the column whose classes a release is made under, or refuse several.

    Examples
    --------
    >>> one_class(["digit"]), one_class([])
    ('digit', None)
    """
    if len(utility) > 1:
        why = "A record is released under one class."
        remedy = "Name one, or a column that combines them."
        raise InvalidParameterError(
            sentence("The option --utility", "given once for this method", f"{len(utility)} columns", why, remedy)
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
