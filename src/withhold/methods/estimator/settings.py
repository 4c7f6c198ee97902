"""Checks of the parameters that every method shares, and their form in an artifact."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from inspect import signature
from typing import Any

import numpy as np

from withhold.contracts.errors import ArtifactError, InvalidParameterError, InvalidTypeError, sentence
from withhold.privacy.noise_key import NoiseKey

OUTPUTS = ("auto", "table", "representation")
LISTS = ("keep", "categorical", "continuous")


def check_settings(method: Any, unsupported: Mapping[str, Any]) -> None:
    """Refuse a common parameter that cannot be used, and arguments of `fit` that no method takes."""
    name = type(method).__name__
    if "sample_weight" in unsupported:
        raise InvalidTypeError(
            sentence(
                "The 'sample_weight' argument",
                f"absent from {name}.fit",
                "weights",
                "A weighted sanitiser would hide the attribute of a population that the audit does not see.",
                "Leave it out; resample the rows if the training data are not representative.",
            )
        )
    if unsupported:
        raise InvalidTypeError(
            sentence(
                f"The arguments of {name}.fit",
                "X, y, sensitive_features and groups",
                ", ".join(map(repr, sorted(unsupported))),
                "Anything else would be ignored silently.",
                "Parameters of the method go to its constructor.",
            )
        )
    check_flags(method)
    for role in LISTS:
        if isinstance(names := getattr(method, role, ()), str):
            raise InvalidParameterError(
                sentence(
                    f"The '{role}' parameter of {name}",
                    "a list of column names",
                    f"the text {names!r}",
                    "Its letters would be taken for names.",
                    f"Pass [{names!r}].",
                )
            )
    if method.output not in OUTPUTS:
        raise InvalidParameterError(
            sentence(
                f"The 'output' parameter of {name}",
                "'auto', 'table' or 'representation'",
                repr(method.output),
                "It decides the form of the release.",
                "Use 'auto' to get the form of the input.",
            )
        )
    if method.noise_key is not None and not isinstance(method.noise_key, NoiseKey):
        raise InvalidParameterError(
            sentence(
                f"The 'noise_key' parameter of {name}",
                "a NoiseKey or None",
                f"a {type(method.noise_key).__name__}",
                "The noise is as secret as the key.",
                "Use NoiseKey.generate() and keep it, or NoiseKey.from_file(path).",
            )
        )
    if method.noise_seed is not None and not isinstance(method.noise_seed, int | np.integer):
        raise InvalidParameterError(
            sentence(
                f"The 'noise_seed' parameter of {name}",
                "an integer or None",
                repr(method.noise_seed),
                "It is for tests; the release is marked 'not for sharing'.",
                "Pass a noise_key for a release.",
            )
        )
    if method.noise_seed is not None and method.noise_key is not None:
        raise InvalidParameterError(
            sentence(
                f"The parameters 'noise_key' and 'noise_seed' of {name}",
                "one given at most",
                "both",
                "Noise of a public seed can be subtracted, so it must not look like noise of a key.",
                "Drop noise_seed for a release.",
            )
        )


def check_number(
    method: Any, parameter: str, low: float, high: float = np.inf, *, integer: bool = False, why: str, remedy: str
) -> None:
    """Refuse a numeric parameter outside [`low`, `high`].

    Examples
    --------
    >>> class Blur:
    ...     width = -1
    >>> check_number(Blur(), "width", 0, why="It is a standard deviation.", remedy="Pass 0.5.")
    Traceback (most recent call last):
    withhold.contracts.errors.InvalidParameterError: The 'width' parameter of Blur must be a float >= 0. Got -1. ...
    """
    value = getattr(method, parameter)
    kinds = int | np.integer if integer else int | float | np.integer | np.floating
    if isinstance(value, kinds) and not isinstance(value, bool) and low <= value <= high:
        return
    bounds = f">= {low:g}" if high == np.inf else f"in [{low:g}, {high:g}]"
    raise InvalidParameterError(
        sentence(
            f"The '{parameter}' parameter of {type(method).__name__}",
            f"{'an integer' if integer else 'a float'} {bounds}",
            repr(value),
            why,
            remedy,
        )
    )


def check_flags(method: Any) -> None:
    """Refuse what is no truth value where the default is one: any text, "no" too, would count as True.

    Examples
    --------
    >>> class Blur:
    ...     def __init__(self, strong=False):
    ...         self.strong = strong
    >>> check_flags(Blur("no"))
    Traceback (most recent call last):
    withhold.contracts.errors.InvalidParameterError: The 'strong' parameter of Blur must be True or False. Got 'no'. ...
    """
    for name, parameter in signature(type(method).__init__).parameters.items():
        value = getattr(method, name, parameter.default)
        if isinstance(parameter.default, bool) and not isinstance(value, bool | np.bool_):
            subject, why = f"The '{name}' parameter of {type(method).__name__}", "Any other value would count as one."
            raise InvalidParameterError(sentence(subject, "True or False", repr(value), why, "Leave the default."))


def check_widths(method: Any, parameter: str) -> None:
    """Refuse widths of layers that are neither a positive integer nor a sequence of them.

    Examples
    --------
    >>> class Net:
    ...     hidden = (64, 0)
    >>> check_widths(Net(), "hidden")
    Traceback (most recent call last):
    withhold.contracts.errors.InvalidParameterError: The 'hidden' parameter of Net must be an integer >= 1 or a ...
    """
    value = getattr(method, parameter)
    widths = value if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str) else [value]
    whole = [isinstance(width, int | np.integer) and not isinstance(width, bool) and width >= 1 for width in widths]
    if whole and all(whole):
        return
    subject, why = f"The '{parameter}' parameter of {type(method).__name__}", "They are widths of layers."
    expected = "an integer >= 1 or a sequence of such"
    raise InvalidParameterError(sentence(subject, expected, repr(value), why, "Leave the default, or pass (64, 64)."))


def agree(name: str, stated: Any, found: Any) -> None:
    """Refuse an artifact that does something else than its settings say.

    Examples
    --------
    >>> agree("noise", 0.6, 0.0)
    Traceback (most recent call last):
    withhold.contracts.errors.ArtifactError: The sanitiser states noise 0.6 and holds 0.0. Fit it again, ...
    """
    if stated != found:
        raise ArtifactError(
            f"The sanitiser states {name} {stated!r} and holds {found!r}. Fit it again, or copy it from its source."
        )


def plain(value: Any) -> Any:
    """Return a parameter as JSON can hold it: tuples as lists, NumPy scalars as Python's, fractions as text.

    Examples
    --------
    >>> plain({"widths": (np.int64(3), 4.0), "name": None, "epsilon": Fraction(1, 3)})
    {'widths': [3, 4.0], 'name': None, 'epsilon': '1/3'}
    """
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(item) for item in value]
    return value
