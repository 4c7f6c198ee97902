"""Ways in which a table reaches a user's release or verdict; each ends in a result or in one sentence with a remedy.

A refusal that names a column is obeyed as a user would: the column is dropped, and the same is tried again.
"""

import contextlib
import inspect
import io
import json
import re
import tempfile
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.feather
import pyarrow.parquet as pq

import withhold.methods as room
from data.arrow_tables import KINDS, in_container, random_table
from withhold.audit.run import audit_release
from withhold.cli.main import main
from withhold.contracts.errors import WithholdError
from withhold.data.frames import to_frame
from withhold.io.lists import spread_lists
from withhold.methods.loading import load

PANEL = "logistic,boosting"
QUICK = ("--attackers", PANEL, "--effort", "quick", "--budget", ".1")
# What a method trains with, as far as it has the setting: the shortest training there is.
BRIEF = {"max_epochs": 1, "epochs": 1, "max_steps": 2, "rounds": 1, "hidden": 8, "noise_seed": 0, "random_state": 0}
COLUMN = re.compile(r"'(c\d+)'")


@dataclass
class Told:
    """What became of a table: its columns, those refused with the sentence of each, and what was wrong."""

    given: list[str]
    refused: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    done: bool = False


class RefusedError(Exception):
    """A sentence of the command line or of Python."""


def until_done(table: pa.Table, attempt: Callable[[pa.Table], list[str]], given: list[str]) -> Told:
    """Try, dropping the columns that are refused by name, until it is done or something raw comes out.

    `given` are the columns that the container or file holds.
    """
    told = Told(given)
    while True:
        try:
            told.faults += attempt(table)
            told.done = True
            return told
        except RefusedError as refusal:
            text = str(refusal)
        except Exception as error:
            told.faults.append(f"{type(error).__name__} in {place(error)}: {str(error)[:300]}")
            return told
        told.faults += badly_said(text)
        named = [
            name for name in dict.fromkeys(COLUMN.findall(text.partition(" beside ")[0])) if name in table.column_names
        ]
        if not named:
            told.faults.append(f"refused without a column: {text[:300]}")
            return told
        told.refused |= dict.fromkeys(named, text)
        table = table.drop_columns(named)


def place(error: BaseException) -> str:
    """Return where in the package an error was raised."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/withhold/" in frame.filename]
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "no frame of the package"


def badly_said(text: str) -> list[str]:
    """Return what is wrong with a refusal as a sentence."""
    if "fault of withhold" in text or "The system refused" in text:
        return [f"raw: {text[:300]}"]
    return [] if "\n" not in text and text.endswith((".", "?", ")")) else [f"no sentence: {text[:300]!r}"]


def through_python(table: pa.Table, container: str, method: str, output: str = "auto") -> Told:
    """Fit, transform, save and load in Python: the same columns and types, and after loading the same values."""
    cls = getattr(room, method)
    known = inspect.signature(cls).parameters
    brief = {name: value for name, value in BRIEF.items() if name in known}

    def attempt(kept: pa.Table) -> list[str]:
        given = in_container(kept, container)
        fitted, roles = cls(output=output, **brief), {"sensitive_features": "s"} | ({"y": "u"} if cls.needs_y else {})
        with said(), tempfile.TemporaryDirectory() as folder:
            fitted.fit(given, **roles)
            released = fitted.transform(given)
            fitted.save(Path(folder) / "s.withhold")
            again = load(Path(folder) / "s.withhold").transform(given)
        if output == "representation":
            return [] if (released == again).all() else ["another representation after loading"]
        left = {finding.column for finding in fitted.findings_ if finding.code.endswith("_dropped")}
        own = [name for name in names_of(given) if name not in {*roles.values(), *left}]
        repeats = getattr(cls, "fresh_noise", False) or same(released, again)
        return differences(own, given, released) + ([] if repeats else ["another release after loading"])

    return until_done(table, attempt, names_of(in_container(table, container)))


def differences(names: list[str], given: object, released: object) -> list[str]:
    """Return what of the columns or types has changed, and which columns without a value have got one."""
    if names_of(released) != names:
        return [f"columns {names} became {names_of(released)}"]
    faults = [
        f"{one} became {other}"
        for name, one, other in zip(names, types_of(given, names), types_of(released, names), strict=True)
        if one != other and not adds_other(given, released, name)
    ]
    before, after = to_frame(given).table, to_frame(released).table
    empty = [name for name in names if before[name].null_count == before.num_rows]
    return faults + [f"{name} has values now" for name in empty if after[name].null_count < after.num_rows]


def adds_other(given: object, released: object, name: str) -> bool:
    """Whether a column lists one level more, that of its rare levels, and is else of one type."""
    if not isinstance(given, pd.DataFrame) or not isinstance(given[name].dtype, pd.CategoricalDtype):
        return False
    listed, kind = list(given[name].cat.categories), released[name].dtype
    return kind == pd.CategoricalDtype([*listed, "other"], ordered=False)


def names_of(frame: object) -> list[str]:
    """Return the columns of a frame of any library."""
    return list(frame.column_names if isinstance(frame, pa.Table) else frame.columns)


def types_of(frame: object, names: list[str]) -> list[str]:
    """Return the types of the columns of a frame of any library."""
    if isinstance(frame, pa.Table):
        return [str(frame.schema.field(name)) for name in names]
    kinds = frame.dtypes if isinstance(frame, pd.DataFrame) else frame.schema
    return [f"{name}: {kinds[name]!r}" for name in names]


def same(one: object, other: object) -> bool:
    """Whether two frames of one library hold the same, NaN equal to NaN."""
    if isinstance(one, pl.DataFrame | pd.DataFrame):
        one, other = to_frame(one).table, to_frame(other).table
    return str(one.to_pydict() if small(one) else one) == str(other.to_pydict() if small(other) else other)


def small(table: pa.Table) -> bool:
    """Whether Python holds the values: no time beyond its years."""
    try:
        table.to_pydict()
    except (ValueError, OverflowError, pa.ArrowException):
        return False
    return True


@contextlib.contextmanager
def said():
    """Turn errors of the package into refusals and keep its warnings quiet."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        except WithholdError as error:
            raise RefusedError(str(error)) from error


def through_audit_release(table: pa.Table, container: str) -> Told:
    """Audit a table as a release, in Python."""

    def attempt(kept: pa.Table) -> list[str]:
        release, panel = in_container(kept.drop_columns(["s", "u"]), container), PANEL.split(",")
        asked = {"budget": 0.1, "effort": "quick", "attackers": panel, "random_state": 0}
        with said():
            record = audit_release(release, sensitive_features=kept.select(["s"]), utility=kept.select(["u"]), **asked)
        return failed_attackers(record.model_dump_json())

    return until_done(table, attempt, names_of(in_container(table, container)))


def failed_attackers(document: str) -> list[str]:
    """Return a fault where an attacker failed: what it would have read is not in the verdict."""
    return ["an attacker failed"] if '"attacker_failed"' in document else []


def through_bounds(table: pa.Table, suffix: str) -> Told:
    """Ask a file what is possible."""

    def attempt(data: Path, stored: pa.Table) -> list[str]:
        called("bounds", data, "--sensitive", "s", "--utility", "u")
        return []

    return on_file(table, suffix, attempt)


def through_audit(table: pa.Table, suffix: str) -> Told:
    """Audit a file as a release."""

    def attempt(data: Path, stored: pa.Table) -> list[str]:
        return failed_attackers(called("audit", data, "--sensitive", "s", *QUICK, "--json"))

    return on_file(table, suffix, attempt)


def through_run(table: pa.Table, suffix: str, method: str) -> Told:
    """Make a release of a file: the same columns of the same types."""
    settings = ("--method", method, *(("--set", "rounds=1") if method == "deepminmax" else ()))

    def attempt(data: Path, stored: pa.Table) -> list[str]:
        out = data.with_name("out")
        told = called(
            "run",
            data,
            "--sensitive",
            "s",
            "--utility",
            "u",
            *QUICK,
            *settings,
            "--anyway",
            "--keep-order",
            "--out",
            out,
            "--json",
        )
        dropped = {"s", *re.findall(r"Column '(c\d+)' looks like", told)}
        stored = spread_lists(lists_decoded(stored), data.name)  # a command releases lists of one length as columns
        own = [name for name in stored.column_names if name not in dropped]
        release = read(out / "candidate" / f"release{suffix}")
        return differences(own, stored.select(own), release) + failed_attackers(told)

    return on_file(table, suffix, attempt)


def lists_decoded(table: pa.Table) -> pa.Table:
    """Return a table in which dictionaries of lists are lists, as a command reads them."""
    for place, held in enumerate(table.schema):
        if pa.types.is_dictionary(held.type) and pa.types.is_list(held.type.value_type):
            lists = pa.array(table[held.name].to_pylist(), held.type.value_type)
            table = table.set_column(place, held.name, lists)
    return table


def on_file(table: pa.Table, suffix: str, attempt: Callable[[Path, pa.Table], list[str]]) -> Told:
    """Write a table to a file, and try with that."""

    def with_file(kept: pa.Table) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / f"data{suffix}"
            return attempt(data, written(kept, data))

    with tempfile.TemporaryDirectory() as folder:
        held = written(table, Path(folder) / f"held{suffix}").column_names
    return until_done(table, with_file, held)


def written(table: pa.Table, path: Path) -> pa.Table:
    """Write a table without the columns that the format cannot hold, and return what a reader finds."""
    for name in table.column_names:
        try:
            write(table.select([name]), path)
            read(path)
        except (pa.ArrowException, OSError, TypeError, ValueError):
            table = table.drop_columns([name])
    write(table, path)
    return read(path)


def write(table: pa.Table, path: Path) -> None:
    """Write a Parquet or Arrow file."""
    if path.suffix == ".parquet":
        pq.write_table(table, path)
    else:
        for place, held in enumerate(table.schema):
            levels = held.type.value_type if pa.types.is_dictionary(held.type) else None
            if levels is not None and (pa.types.is_nested(levels) or pa.types.is_null(levels)):
                table = table.set_column(place, held, one_dictionary(table[held.name]))
        table = table.unify_dictionaries()
        with pa.ipc.new_file(str(path), table.schema) as writer:
            writer.write_table(table)


def one_dictionary(column: pa.ChunkedArray) -> pa.Array:
    """Put the dictionaries of all chunks one after the other; Arrow cannot unify those of records and of nothing."""
    before, places = 0, []
    for chunk in column.chunks:
        places.append(pc.add(chunk.indices, pa.scalar(before, chunk.indices.type)))
        before += len(chunk.dictionary)
    values = pa.concat_arrays([chunk.dictionary for chunk in column.chunks])
    return pa.DictionaryArray.from_arrays(pa.concat_arrays(places), values)


def read(path: Path) -> pa.Table:
    """Read a Parquet or Arrow file."""
    return pq.read_table(path) if path.suffix == ".parquet" else pyarrow.feather.read_table(path)


def called(command: str, *words: object) -> str:
    """Run a command in this process; return what it printed, or raise its sentence."""
    out, err = io.StringIO(), io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        warnings.simplefilter("ignore")
        code = main([command, *map(str, words)])
    text = err.getvalue().strip().splitlines()
    if code in (0, 1, 4):
        return out.getvalue() + err.getvalue()
    if "--json" in words:
        raise RefusedError(json.loads(out.getvalue())["error"]["message"])
    errors = [i for i, line in enumerate(text) if line.startswith("error: ")]
    raise RefusedError("\n".join(text[errors[-1] :]).removeprefix("error: ") if errors else "\n".join(text))


# So many columns a table, and Parquet, which cannot hold every type, for one table in five: among 150 tables each type
# stands in at least ten files.
COLUMNS, PARQUET = 11, 5
CHEAP = ("Noise", "Identity", "LEACE")
CONTAINERS_TRIED = ("pyarrow", "pandas of numpy", "pyarrow", "pandas of arrow", "polars", "pandas, nullable")


def dealt(seed: int) -> pa.Table:
    """Draw the table numbered `seed`; the types of consecutive tables are dealt from shuffled decks of all types."""
    places = np.arange(seed * COLUMNS, (seed + 1) * COLUMNS)
    decks = [np.random.default_rng([7, deck]).permutation(len(KINDS)) for deck in np.unique(places // len(KINDS))]
    first = places[0] // len(KINDS)
    kinds = [KINDS[decks[place // len(KINDS) - first][place % len(KINDS)]] for place in places]
    return random_table(np.random.default_rng([11, seed]), kinds)


def case(way: str, seed: int) -> tuple[pa.Table, Told]:
    """Put the table numbered `seed` through `way`: "python", "audit_release", "bounds", "audit" or "run".

    Every tenth table in Python meets a method that trains.
    """
    table, suffix = dealt(seed), ".parquet" if seed % PARQUET == 2 else ".arrow"
    container = CONTAINERS_TRIED[seed % len(CONTAINERS_TRIED)]
    if way == "python":
        classes = {name for name in room.__all__ if isinstance(getattr(room, name), type)}
        trained = sorted(classes - {"Sanitizer", *CHEAP})
        method = trained[seed // 10 % len(trained)] if seed % 10 == 9 else CHEAP[seed % 3]
        told = through_python(table, container, method, "representation" if seed % 7 == 6 else "auto")
    elif way == "audit_release":
        told = through_audit_release(table, container)
    elif way == "run":
        told = through_run(table, suffix, ("noise", "leace", "identity", "deepminmax")[seed % 4])
    else:
        told = {"bounds": through_bounds, "audit": through_audit}[way](table, suffix)
    return table, told
