"""Methods by the names of the command line, and their settings from `--set KEY=VALUE`, typed by their parameters."""

import inspect
import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ConfigDict, PydanticUserError, TypeAdapter, ValidationError

from withhold.contracts.checks import constraint_of, refused
from withhold.contracts.errors import InvalidParameterError
from withhold.contracts.wording import nearest
from withhold.methods import catalogue
from withhold.methods.estimator.sanitizer import Sanitizer
from withhold.methods.estimator.settings import plain
from withhold.workflow.settings import OPTIONS, named


def parse(pairs: Sequence[str], method: type) -> dict[str, Any]:
    """Read `KEY=VALUE` pairs against the constructor of `method`.

    Parameters
    ----------
    pairs : sequence of str
        As typed.
    method : type
        The class whose constructor names and types the settings.

    Returns
    -------
    dict
        Typed values by name.

    Examples
    --------
    >>> class Shade:
    ...     def __init__(self, depth: int = 3, rate: float | None = None) -> None: ...
    >>> parse(["depth=5", "rate=none"], Shade)
    {'depth': 5, 'rate': None}
    """
    allowed = tunable(method)
    found: dict[str, Any] = {}
    for pair in pairs:
        key, text = named(pair, method.__name__, list(allowed))
        found[key] = _typed(key, text, allowed[key])
    return found


def tunable(method: type) -> dict[str, inspect.Parameter]:
    """Return the constructor's parameters that `--set` may change.

    Examples
    --------
    >>> class Shade:
    ...     def __init__(self, depth: int = 3, device: str = "auto") -> None: ...
    >>> list(tunable(Shade))
    ['depth']
    """
    return {name: parameter for name, parameter in constructor(method).items() if name not in OPTIONS}


def constructor(method: type) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a constructor by name, without `self`.

    Examples
    --------
    >>> class Shade:
    ...     def __init__(self, depth: int = 3) -> None: ...
    >>> list(constructor(Shade))
    ['depth']
    """
    return dict(inspect.signature(method).parameters)


def _typed(key: str, text: str, parameter: inspect.Parameter) -> Any:
    annotation = Any if parameter.annotation is inspect.Parameter.empty else parameter.annotation
    adapter: TypeAdapter[Any]
    try:
        adapter = TypeAdapter(annotation, config=ConfigDict(arbitrary_types_allowed=True))
    except PydanticUserError:  # the annotation is a model with a configuration of its own
        adapter = TypeAdapter(annotation)
    for candidate in _readings(text):
        try:
            return adapter.validate_python(candidate)
        except ValidationError:
            continue
    found = constraint_of(annotation)
    if found is not None and found[2] is not None:
        raise refused(key, found[2].expected(text, found[1]), text)
    raise refused(key, f"of type {inspect.formatannotation(annotation)}", text)


def _readings(text: str) -> list[Any]:
    """List what a typed text may mean, the most literal first."""
    readings: list[Any] = []
    try:
        readings.append(json.loads(text))
    except ValueError:
        lowered = {"none": None, "true": True, "false": False}
        if text.lower() in lowered:
            readings.append(lowered[text.lower()])
    readings.append(text)
    if "," in text:
        readings.append([piece.strip() for piece in text.split(",")])
    elif text:
        readings.append([text])
    return readings


def available() -> dict[str, type[Sanitizer]]:
    """Return the methods by their names, read from their catalogue: a new file needs no entry here.

    Examples
    --------
    >>> "leace" in available()
    True
    """
    found = (catalogue.method_class(name) for name in catalogue.MODULES)
    return {
        command_name(item): item
        for item in found
        if inspect.isclass(item)
        and issubclass(item, Sanitizer)
        and not inspect.isabstract(item)
        and item is not Sanitizer
    }


def command_name(cls: type[Sanitizer]) -> str:
    """Return what a method is called on the command line: its own word, or its class name in lower case.

    Examples
    --------
    >>> command_name(method_class("LEACE"))
    'leace'
    """
    return cls.command_name or cls.__name__.lower()


def method_class(name: str) -> type[Sanitizer]:
    """Return the class of a method; hyphens, underscores and case make no difference, and auto is the default method.

    Examples
    --------
    >>> method_class("leace").__name__, method_class("auto").__name__
    ('LEACE', 'DeepMinMax')
    """
    name = catalogue.DEFAULT if name == catalogue.AUTO else name
    methods = available()
    for known, cls in methods.items():
        if _bare(name) == _bare(known):
            return cls
    raise InvalidParameterError(f"Unknown method {name!r}. {nearest(name.lower(), sorted(methods))}")


def build(
    name: str, *, pairs: Sequence[str] = (), preset: str | None = None, **common: Any
) -> tuple[Sanitizer, dict[str, Any]]:
    """Make an unfitted method.

    Parameters
    ----------
    name : str
        As in `available`.
    pairs : sequence of str
        `KEY=VALUE` settings.
    preset : str or None
        Named settings, where the method has them.
    **common
        Parameters that all methods share; one that this method does not take is left out.

    Returns
    -------
    sanitizer : Sanitizer
        Unfitted.
    settings : dict
        What was set beyond the defaults, without secrets.
    """
    cls = method_class(name)
    parameters = constructor(cls)
    settings = parse(pairs, cls)
    if preset is not None:
        if "preset" not in parameters:
            raise InvalidParameterError(f"{cls.__name__} has no presets. Leave out --preset.")
        settings["preset"] = preset
    shared = {key: value for key, value in common.items() if key in parameters}
    return cls(**{**shared, **settings}), settings


def settings_of(sanitizer: Sanitizer) -> tuple[str, ...]:
    """Return what is set beyond the defaults, as `--set` takes it.

    Raises
    ------
    InvalidParameterError
        A parameter that `--set` does not take, or whose value no text says.

    Examples
    --------
    >>> from withhold.methods.deepminmax import DeepMinMax
    >>> settings_of(DeepMinMax(rounds=20, hidden=64))
    ('hidden=64', 'rounds=20')
    """
    cls, said = type(sanitizer), []
    for name, value in sanitizer.get_params(deep=False).items():
        given = plain(value)
        if given == plain(constructor(cls)[name].default):
            continue
        try:
            pair = f"{name}={given if isinstance(given, str) else json.dumps(given)}"
            same = name in tunable(cls) and plain(parse([pair], cls)[name]) == given
        except TypeError:
            same = False
        if not same:
            raise InvalidParameterError(f"{name!r} of {cls.__name__} cannot be set here. Leave it at its default.")
        said.append(pair)
    return tuple(said)


def _bare(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")
