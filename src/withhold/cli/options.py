"""Options of the command line, made from the fields of requests and the parameters of commands."""

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import MISSING, dataclass, fields, is_dataclass
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from withhold.cli.outcome import Outcome
from withhold.io.absent import absent
from withhold.workflow.options import AsJson, Option


@dataclass(frozen=True)
class Without:
    """Beside the type of a request: fields that a command has no use for."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class Field:
    """One option: its name, type and default, and what the help says of it."""

    name: str
    kind: Any
    option: Option
    default: Any = MISSING

    @property
    def several(self) -> bool:
        """Whether it holds values rather than one."""
        return any(get_origin(part) is tuple for part in (self.kind, *get_args(self.kind)))

    def parameter(self) -> Parameter:
        """Return the parameter that typer makes the option from."""
        required, kind, default = self.default is MISSING, self.kind, self.default
        if self.option.separated:
            kind = str | None
        elif self.several:
            values = next(part for part in (kind, *get_args(kind)) if get_origin(part) is tuple)
            item: Any = list[get_args(values)[0]]  # type: ignore[misc]
            kind, default = (item, default) if required else (item | None, default or None)
        shown: dict[str, Any] = {
            "help": self.option.help,
            "metavar": self.option.metavar,
            "show_default": default not in (MISSING, None),
        }
        flag = self.option.flag or f"--{self.name.replace('_', '-')}"
        flags = [flag, *([] if self.option.alias is None else [self.option.alias])]
        seen = typer.Argument(**shown) if self.option.positional else typer.Option(*flags, **shown)
        given = Parameter.empty if required else default
        return Parameter(self.name, Parameter.KEYWORD_ONLY, default=given, annotation=Annotated[kind, seen])

    def value(self, given: Any) -> Any:
        """Return what the request holds for what was given: repeated values once each."""
        if self.option.separated:
            return None if given is None else tuple(given.split(","))
        return tuple(dict.fromkeys(given or ())) if self.several else given


def command(function: Callable[..., Outcome]) -> Callable[..., Outcome]:
    """Return a command as typer reads it: the fields of its request are its options, and it has `--json`.

    Whatever the work prints goes to stderr: stdout belongs to the result.

    Examples
    --------
    >>> from withhold.workflow.options import Seed
    >>> def draw(seed: Seed = 0) -> Outcome:
    ...     return Outcome({"seed": seed}, print)
    >>> signature(command(draw))
    <Signature (*, seed: ... = 0, as_json: ... = False)>
    """
    parts = _parts(function)
    known = fields_of(function)
    known.append(_field("as_json", AsJson, False))
    known.sort(key=lambda field: field.default is not MISSING)  # what must be given is listed first

    @functools.wraps(function)
    def called(**given: Any) -> Outcome:
        arguments = {}
        for name, (hint, own) in parts.items():
            values = {field.name: field.value(given[field.name]) for field in own}
            arguments[name] = _request(hint)(**values) if _request(hint) else values[name]
        for field in known:
            _refuse_absent(field, given[field.name])
        with redirect_stdout(sys.stderr):
            return function(**arguments)

    shown = [field.parameter() for field in known]
    called.__signature__ = Signature(shown)  # type: ignore[attr-defined]
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    return called


def _refuse_absent(field: Field, given: Any) -> None:
    """Refuse a file to read that is not there, before the libraries are loaded that would find out."""
    paths = [] if given is None or not field.option.exists else given if isinstance(given, list) else [given]
    for path in paths:
        if not path.exists():
            raise absent(path)


def fields_of(function: Callable[..., Outcome]) -> list[Field]:
    """Return the options of a command, but for `--json`, which all have."""
    return [field for _, own in _parts(function).values() for field in own]


def _parts(function: Callable[..., Outcome]) -> dict[str, tuple[Any, list[Field]]]:
    return {name: (hint, list(_fields(name, hint, default))) for name, hint, default in _parameters(function)}


def _parameters(function: Callable[..., Outcome]) -> Iterator[tuple[str, Any, Any]]:
    hints = get_type_hints(function, include_extras=True)
    for name, parameter in signature(function).parameters.items():
        yield name, hints[name], MISSING if parameter.default is Parameter.empty else parameter.default


def _request(hint: Any) -> Any:
    """Return the class of a request, None for an option of its own."""
    kind = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    return kind if is_dataclass(kind) else None


def _field(name: str, hint: Any, default: Any) -> Field:
    kind, option = get_args(hint)
    return Field(name, kind, option, default)


def _fields(name: str, hint: Any, default: Any) -> Iterator[Field]:
    request = _request(hint)
    if request is None:
        yield _field(name, hint, default)
        return
    without = get_args(hint)[1].names if get_origin(hint) is Annotated else ()
    hints = get_type_hints(request, include_extras=True)
    for field in sorted(
        fields(request), key=lambda field: field.kw_only is True
    ):  # what all requests share stands last
        if field.name not in without:
            yield _field(field.name, hints[field.name], field.default)
