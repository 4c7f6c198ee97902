"""Checks of the parameters that every method shares, and their form in an artifact."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from withhold.contracts.errors import ArtifactError, InvalidParameterError, InvalidTypeError
from withhold.privacy.noise_key import NoiseKey

OUTPUTS = ("auto", "table", "representation")
DECODES = ("sample", "mode")
LISTS = ("keep", "drop", "categorical", "continuous")


def check_shared(owner: Any) -> None:
    """Refuse values of the parameters that every method has, where an annotation cannot say what is wrong."""
    for role in LISTS:
        if isinstance(names := getattr(owner, role), str):
            raise InvalidParameterError(f"{role} must be a list of column names (got a text). Pass [{names!r}].")
    if owner.noise_key is not None and not isinstance(owner.noise_key, NoiseKey):
        kind = type(owner.noise_key).__name__
        raise InvalidParameterError(
            f"noise_key must be a NoiseKey (got {kind}). Use NoiseKey.generate() and keep it, or NoiseKey.from_file."
        )
    if owner.noise_seed is not None and owner.noise_key is not None:
        raise InvalidParameterError(
            "noise_key and noise_seed cannot be given together: anyone can subtract noise of a known seed. "
            "Leave noise_seed out for a release."
        )


def refuse_unsupported(name: str, unsupported: Mapping[str, Any]) -> None:
    """Refuse arguments of `fit` that no method takes; `name` is the method's.

    Examples
    --------
    >>> refuse_unsupported("LEACE", {"epochs": 3})
    Traceback (most recent call last):
    withhold.contracts.errors.InvalidTypeError: LEACE.fit takes X, y, sensitive_features and groups, not 'epochs'. ...
    """
    if "sample_weight" in unsupported:
        raise InvalidTypeError(
            f"{name}.fit takes no sample_weight: it would hide the attribute in a population that the audit does not "
            "see. Resample the rows if the training data are not representative."
        )
    if unsupported:
        listed = ", ".join(map(repr, sorted(unsupported)))
        raise InvalidTypeError(
            f"{name}.fit takes X, y, sensitive_features and groups, not {listed}. Pass parameters of the method to its "
            "constructor."
        )


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
