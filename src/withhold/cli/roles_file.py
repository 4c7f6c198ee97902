"""A plan as `withhold.toml`: the role of every column and the options that were given, to be edited by hand."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

from withhold.contracts.plan_record import RoleTold
from withhold.contracts.wording import printable
from withhold.workflow.request import Request

# Written in any case, so that whoever edits sees where a column can be moved to.
ALWAYS = ("data", "sensitive", "utility", "groups", "continuous", "categorical", "keep", "drop")
HEAD = """\
# The role of each column of {name}, as `withhold plan` found it. Move a name to another list to change its role.
# Every command that is run in this folder reads withhold.toml; what is typed wins.
"""


def roles_toml(request: Request, columns: Sequence[RoleTold]) -> str:
    """Return the file that says what a plan was asked and found.

    Returns
    -------
    str
        TOML under the names of the options.

    Examples
    --------
    >>> left = RoleTold(column="name", role="dropped", why="it looks like an identifier")
    >>> print(roles_toml(Request(Path("t.csv"), ("sex",)), [left]).splitlines()[-1])
    ]
    """
    kinds = get_type_hints(Request, include_extras=True)
    lines = [HEAD.format(name=printable(request.data.name)).rstrip()]
    for field in fields(Request):
        value = getattr(request, field.name)
        option = get_args(kinds[field.name])[1]
        name = (option.flag or field.name).lstrip("-").replace("_", "-")
        if field.name in ALWAYS or value == field.default:
            continue
        lines.append(f"{name} = {_value(value)}")
    return "\n".join([lines[0], *_roles(request, columns), *lines[1:], *_features(columns)]) + "\n"


def _roles(request: Request, columns: Sequence[RoleTold]) -> Iterator[str]:
    """Yield the lists of columns; what is left out comes with the reason."""
    yield f"data = {_value(request.data)}"
    kinds = ", ".join(f"{printable(one.column)}: {one.kind}" for one in columns if one.role == "sensitive")
    yield f"sensitive = {_value(request.sensitive)}{'  # ' * bool(kinds)}{kinds}"
    yield f"utility = {_value(request.utility)}  # released as they are"
    subjects = next((one for one in columns if one.names_subjects), None)
    if request.groups is not None:
        yield f"groups = {_value(request.groups)}"
    elif subjects is not None:
        yield f"# groups = {_value(subjects.column)}  # {subjects.why}: all rows of one stay together"
    for name in ("continuous", "categorical"):
        yield f"{name} = {_value(getattr(request, name))}"
    yield f"keep = {_value(request.keep)}  # released although they look like identifiers or text"
    left = dict.fromkeys(request.drop, "as asked") | {o.column: o.why for o in columns if o.role == "dropped"}
    if not left:
        yield "drop = []"
        return
    yield "drop = ["
    yield from (f"  {_value(name)},  # {why}" for name, why in left.items())
    yield "]"


def _features(columns: Sequence[RoleTold]) -> Iterator[str]:
    """Yield what is released, and how it is read, as comments."""
    released = [one for one in columns if one.role == "feature"]
    if not released:
        return
    yield "\n# Released by the method, and read as:"
    for one in released:
        note = f" ({one.why})" if one.why else ""
        yield f"#   {printable(one.column)}: {one.kind}{note}"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, str | Path):
        # A basic string of TOML is one of JSON, but for DEL, which it must not hold as it is.
        return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)
