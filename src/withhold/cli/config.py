"""The file `withhold.toml`: options that are the same at every call, written once under the names they have there."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from withhold.cli.options import Field
from withhold.contracts.errors import InvalidParameterError
from withhold.contracts.wording import nearest
from withhold.io.table_format import check_regular

FILE = "withhold.toml"
# What replaces results, goes on with them or changes what a program reads is typed each time.
TYPED = ("overwrite", "resume", "json", "anyway", "write")
# Columns to leave out of the data, or to fit by, are not those of a file that is audited: there they would be kept from
# the attackers. For an audit they stand under [audit].
NOT_GENERAL = {"audit": ("drop", "split")}


def configured(
    command: str, fields: Mapping[str, Sequence[Field]], folder: Path = Path()
) -> tuple[dict[str, Any], list[str], list[str]]:
    r"""Return the defaults that the file sets for a command, by parameter, and the names as they are written.

    Last come names that the command does not have, but their plural: one method, where it compares several.

    Keys at the top hold for every command that has such an option, those of a table such as ``[audit]`` for one.

    Parameters
    ----------
    fields : mapping of str to sequence of Field
        The options of every command.
    folder : Path
        Where the file is looked for.

    Raises
    ------
    InvalidParameterError
        For a file that is no TOML, and for a key or a table that means nothing.

    Examples
    --------
    >>> import tempfile
    >>> from withhold.workflow.options import Effort, Seed
    >>> from typing import get_args
    >>> seed, effort = (Field(n, *get_args(o), d) for n, o, d in (("seed", Seed, 0), ("effort", Effort, "standard")))
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / FILE).write_text('seed = 3\n[audit]\neffort = "quick"\n')
    >>> configured("audit", {"audit": [seed, effort], "fit": [seed]}, folder)
    ({'seed': 3, 'effort': 'quick'}, ['seed', 'effort'], [])
    >>> configured("fit", {"audit": [seed, effort], "fit": [seed]}, folder)
    ({'seed': 3}, ['seed'], [])
    """
    path = folder / FILE
    check_regular(path)
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}, [], []
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise InvalidParameterError(f"{path} cannot be read ({error}). Correct it, or move it away.") from error
    named = {name: {_flag(field): field for field in own} for name, own in fields.items()}
    every = {flag: field for own in named.values() for flag, field in own.items()}
    general: dict[str, Any] = {}
    particular: dict[str, Any] = {}
    for key, value in content.items():
        # A table is one of a command, or the value of an option that takes pairs.
        if isinstance(value, dict) and key in named:
            for inner, given in value.items():
                _check(path, inner, named[key], f"[{key}] ")
                if key == command:
                    particular[_written(inner)] = given
            continue
        _check(path, key, every, "")
        if _written(key) in named[command] and _written(key) not in NOT_GENERAL.get(command, ()):
            general[_written(key)] = value
    chosen = general | particular
    own = named[command]
    # Who compares several does not mean the one of a run: it is not taken, and said so.
    several = [key for key in map(_written, content) if key not in own and f"{key}s" in own and f"{key}s" not in chosen]
    return (
        {own[flag].name: _value(path, flag, own[flag], value) for flag, value in chosen.items()},
        list(chosen),
        several,
    )


def _written(key: str) -> str:
    return key.replace("_", "-")


def _flag(field: Field) -> str:
    return (field.option.flag or field.name).lstrip("-").replace("_", "-")


def _check(path: Path, key: str, known: Mapping[str, Field], where: str) -> None:
    flag = _written(key)
    if flag in TYPED:
        raise InvalidParameterError(f"{path} sets {where}{key}, which is typed each time (--{flag}). Remove it there.")
    if flag not in known:
        raise InvalidParameterError(f"{path} sets {where}{key}, which is no option. {nearest(flag, sorted(known))}")


def _value(path: Path, flag: str, field: Field, value: Any) -> Any:
    """Return a value as it would have been typed."""
    if isinstance(value, dict) and field.several:
        value = [f"{key}={_text(one)}" for key, one in value.items()]
    if isinstance(value, list):
        if not field.several:
            raise InvalidParameterError(f"{path} gives several values to {flag}, which takes one. Leave one.")
        texts = [_text(one) for one in value]
        return ",".join(texts) if field.option.separated else texts
    if field.several and not field.option.separated:
        return [_text(value)]
    if isinstance(value, bool) != (field.kind is bool):
        kind = "true or false" if field.kind is bool else "a value"
        raise InvalidParameterError(f"{path} must give {kind} to {flag} (got {value!r}). Correct it.")
    return value if isinstance(value, bool | int | float) else str(value)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
