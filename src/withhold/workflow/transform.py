"""Applying a saved sanitiser to a file of new records."""

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from withhold.contracts.errors import InvalidParameterError, WithholdError
from withhold.contracts.timetable import begin
from withhold.data.tally import Tally
from withhold.io.artifact import artifact_digest
from withhold.io.table_format import FILE
from withhold.io.tables import digest, row_count
from withhold.methods.cadp.terms import FRESH_NOISE
from withhold.methods.estimator.drift import new_tally, notes_of, release_counting
from withhold.methods.estimator.fitted_release import chunk_rows
from withhold.methods.estimator.release import FRESH
from withhold.methods.estimator.sanitizer import Sanitizer
from withhold.methods.loading import restore
from withhold.privacy.noise_key import NoiseKey
from withhold.training.session import Progress
from withhold.workflow.choice import command_name
from withhold.workflow.fit import key_path
from withhold.workflow.folder import cannot_write, refuse_existing, refuse_same
from withhold.workflow.private_release import count_in_file, given_to, names_in, say_unknown
from withhold.workflow.release import check_key
from withhold.workflow.request import TransformRequest
from withhold.workflow.roles import check_columns
from withhold.workflow.rooms import KEY, LEDGER, LEDGER_KEY
from withhold.workflow.source import check_exists, fitted_types, found_reading
from withhold.workflow.streaming import ROWS_PER_BATCH
from withhold.workflow.streaming import transform_file as stream


def transform_file(request: TransformRequest, log: Callable[[str], None] = lambda text: None) -> dict[str, Any]:
    """Release new records, in pieces, into one file that appears when it is complete.

    Parameters
    ----------
    log : callable
        Called with one line per step.

    Returns
    -------
    dict
        `release`, `rows`, `columns`, `digest`, `noise`, `method`, `input_digest`, `seconds`, `resumed_rows`, `drift`
        (where the rows of this run are unlike those of the fit) and `drift_rows` (on how many rows that rests; None
        where nothing is known of the rows of the fit).
    """
    sanitizer, data, out, key = request.sanitizer, request.data, request.out, request.key
    check_exists(sanitizer)
    check_exists(data)
    read = {"the file it is made from": data, "the sanitiser": sanitizer, "the table of labels": request.labels}
    keys = {
        "a key": request.noise_key,
        "the key beside the sanitiser": key_path(sanitizer),
        "where a noise key is looked for": sanitizer.with_name(KEY),
        "where the key of a ledger is looked for": sanitizer.with_name(LEDGER_KEY),
        "where a ledger is": sanitizer.with_name(LEDGER),
        "where the ledger of that key is": None if request.noise_key is None else request.noise_key.with_name(LEDGER),
    }
    refuse_same(out, {**read, **keys})
    refuse_existing(out, request.overwrite)
    if FILE in request.copy and not out.suffix:
        raise InvalidParameterError(
            f"--copy {FILE} is not possible in a folder: its images get numbers as names, because a name may tell what "
            "is hidden. Leave it out: rows keep the order of the labels, or of the names where there are none."
        )
    method = restore(sanitizer)
    check_key(key, type(method))
    types = fitted_types(method)
    reading = found_reading(data, request.reading, types, log)
    fresh = method.fresh_noise
    secret, where = (None, None) if fresh else _key(sanitizer, request.noise_key)
    if secret is not None:
        method = restore(sanitizer, noise_key=secret)
    if "device" in method.get_params(deep=False):
        method.set_params(device=request.device)
    if where is not None:
        log(f"using the noise key {where}")
    width = sum(1 for name in method.get_feature_names_out())
    log(f"releasing {data.name} as " + ("images" if method.output_ == "images" else f"{width} columns"))
    image = method.encoding_.image
    if fresh:
        count_in_file(method, sanitizer.parent, request.noise_key, request.copy, log, key)
    if request.resume and method.noise_note_ in (FRESH, FRESH_NOISE):
        raise InvalidParameterError(
            "--resume needs the noise key: each start without it draws anew, and two draws help whoever averages. Pass "
            f"--noise-key FILE, put the key back at {key_path(sanitizer).name}, or leave --resume out."
        )
    # Without a key the artifact decides everything: it adds no noise, or noise of a seed that it states.
    identity = f"{artifact_digest(sanitizer)}:{'' if secret is None else secret.fingerprint}"
    tally = new_tally(method)
    at_once = ROWS_PER_BATCH if image is None else min(ROWS_PER_BATCH, chunk_rows(image.width))
    # The whole release is entered, or refused, before any of it is drawn.
    names = names_in(method, data, key, at_once, request.array, request.labels, reading) if fresh else ()
    paid = method.charged(names, "content" if key is None else "identifier") if fresh else nullcontext(method)
    begin("releasing")
    try:
        with paid as drawing, Progress("Releasing", total=row_count(data) or 1) as bar:
            counted = _Counted(drawing, tally)
            done = stream(
                counted,
                data,
                out,
                progress=lambda rows, total: bar.advance(rows - bar.done),
                resume=request.resume,
                columns=request.copy,
                array=request.array,
                labels=request.labels,
                rows_per_batch=at_once,
                identity=identity,
                types=types,
                reading=reading,
            )
    except WithholdError:
        raise
    except OSError as error:
        raise cannot_write(out, error) from error
    say_unknown(counted.unknown, done.rows, log)
    if done.resumed_rows:
        log(f"continued after {done.resumed_rows:,} rows")
    return {
        "release": str(out),
        "rows": done.rows,
        "columns": list(done.columns),
        "digest": digest(out),
        "noise": method.noise_note_,
        "method": command_name(type(method)),
        "input_digest": digest(data),
        "seconds": round(done.seconds, 3),
        "resumed_rows": done.resumed_rows,
        "drift": [found.model_dump(mode="json") for found in notes_of(method, tally)],
        "drift_rows": None if tally is None else tally.rows,
    }


def _key(sanitizer: Path, given: Path | None) -> tuple[NoiseKey | None, Path | None]:
    if given is not None:
        return NoiseKey.from_file(given), given
    for path in (key_path(sanitizer), sanitizer.with_name(KEY)):
        if path.is_file():
            return NoiseKey.from_file(path), path
    return None, None


class _Counted:
    """A sanitiser that counts what it is given, piece by piece, for one comparison at the end.

    One of arrays has no names of its own for its columns, so that x0, x1, ... stay one array in .npz. One of images is
    given the whole table and finds them in it.
    """

    def __init__(self, method: Sanitizer, tally: Tally | None) -> None:
        self._method, self._tally = method, tally
        # A class that records are released under is read too, also where it is copied.
        of_class = getattr(getattr(method, "condition_", None), "name", "")
        self.reads = (of_class,) if of_class else ()
        self.unknown = 0
        self._as_array = method.encoding_.image is None and method.codec_ is None
        if self._as_array and not of_class:
            self.n_features_in_ = method.n_features_in_
        if method.codec_ is not None:
            # Identifiers that were left out at fit are not read.
            self.feature_names_in_ = [*method.codec_.schema.names, *self.reads]
            self.get_feature_names_out = method.get_feature_names_out

    def transform(self, X: Any) -> Any:
        if self.reads:
            check_columns(self.reads, X.column_names, "the file")
            self.unknown += self._method.condition_.unknown(X.column(self.reads[0]))
        if self._as_array and self.reads:
            X = self._method.labelled(given_to(self._method, X), X.select(list(self.reads)))
        return release_counting(self._method, X, self._tally)
