"""Loading a saved sanitiser: its name chooses a class of this library, its numbers fill it, nothing is executed."""

import inspect
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError

from withhold.contracts.errors import ArtifactError, InvalidParameterError
from withhold.contracts.wording import option
from withhold.io.artifact import read_artifact
from withhold.methods.catalogue import MODULES, method_class
from withhold.methods.estimator.artifact import FOLD, read_sanitizer
from withhold.methods.estimator.release import FRESH
from withhold.methods.estimator.sanitizer import Sanitizer
from withhold.privacy.noise_key import NoiseKey


def load(path: str | Path, *, noise_key: NoiseKey | None = None, encoder: Any = None) -> Sanitizer:
    """Read a sanitiser that `save` wrote.

    Parameters
    ----------
    path : str or Path
    noise_key : NoiseKey, optional
        The key of earlier releases (``sanitizer.noise_key_.save(path)``, then ``NoiseKey.from_file(path)``), so that
        a record comes out the same again. Without it a sanitiser that adds noise draws anew, which is warned of:
        whoever averages releases of several draws removes the noise.
    encoder : torch.nn.Module, optional
        The module the sanitiser was fitted with, where the user supplied one: code is never in the file.

    Returns
    -------
    Sanitizer
        Fitted; `transform` gives what it gave before it was saved.

    Raises
    ------
    ArtifactError
        The file is damaged, foreign, or of another version.

    Warns
    -----
    UserWarning
        The sanitiser adds noise and no key was given.

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> from withhold.methods.controls import Identity
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 5.0]])
    >>> path = Path(tempfile.mkdtemp()) / "sanitizer.withhold"
    >>> Identity().fit(X, sensitive_features=["a", "b", "a"]).save(path)
    >>> load(path).transform(X).tolist()
    [[0.0, 1.0], [1.0, 0.0], [2.0, 5.0]]
    """
    method = restore(path, noise_key=noise_key, encoder=encoder)
    if method.noise_note_ == FRESH:
        warnings.warn(
            f"The sanitiser {str(path)!r} was loaded without its noise key, so it draws new noise: whoever gets "
            "releases of several draws can average it away. Save the key of the fitted sanitiser with "
            "sanitizer.noise_key_.save('key'), and load with noise_key=NoiseKey.from_file('key').",
            stacklevel=2,
        )
    return method


def restore(path: str | Path, *, noise_key: NoiseKey | None = None, encoder: Any = None) -> Sanitizer:
    """Do what `load` does without its warning, for callers that tell the user about the noise themselves."""
    header, tensors = read_artifact(path)
    name, settings = header.get("method"), header.get("settings")
    if not isinstance(name, str) or name not in MODULES or not isinstance(settings, dict):
        raise ArtifactError(
            f"{str(path)!r} was made by the method {str(name)!r:.60}, which this version does not have. Install the "
            "version of withhold that wrote it."
        )
    if FOLD in header:
        stated = header[FOLD]
        named = isinstance(stated, list) and len(stated) == 2 and all(type(part) is int for part in stated)
        which = f"fold {stated[0]} of {stated[1]}" if named else "one fold"
        raise ArtifactError(
            f"{str(path)!r} released {which} of a cross-fitted release, and nobody audited what it makes "
            f"of other rows. For later rows run again without {option('cross_fit')}; that writes one sanitiser."
        )
    settings = without_retired(path, name, settings)
    cls = method_class(name)
    parameters = inspect.signature(cls).parameters
    accepted = set(parameters)
    unknown = sorted(set(settings) - accepted)
    if unknown:
        raise ArtifactError(
            f"{str(path)!r} has settings that {name} does not know: {', '.join(map(repr, unknown))}. Install the "
            "version of withhold that wrote it."
        )
    settings = {key: _typed(key, value, parameters[key], name) for key, value in settings.items()}
    if noise_key is not None and not cls.fresh_noise:
        settings = {**settings, "noise_key": noise_key, "noise_seed": None}
    if encoder is not None:
        if "encoder" not in accepted:
            raise InvalidParameterError(f"{name} takes no encoder (got a {type(encoder).__name__}). Leave out encoder.")
        settings = {**settings, "encoder": encoder}
    method: Sanitizer = read_sanitizer(cls(**settings), header, tensors)
    return method


def without_retired(path: str | Path, name: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of an artifact without those that this version has no more, or refuse what hung on them.

    Examples
    --------
    >>> without_retired("s.withhold", "CADP", {"mechanism": "laplace", "delta": 1e-6})
    {'mechanism': 'laplace'}
    """
    retired = RETIRED.get(name, {})
    for key, value in retired.items():
        if value is not None and settings.get(key) == value:
            raise ArtifactError(
                f"{str(path)!r} was saved with {key}={value!r}, which {name} has no more. Read it with withhold "
                f"{LAST_WITH_RETIRED}, or fit it again."
            )
    return {key: value for key, value in settings.items() if key not in retired or retired[key] is not None}


# Settings that went, and values of settings that went; the others are read as before.
RETIRED: Mapping[str, Mapping[str, str | None]] = {
    "CADP": {
        "mechanism": "gaussian",
        "flow_training": "dp-sgd",
        "delta": None,
        "flow_epsilon": None,
        "flow_delta": None,
    }
}
LAST_WITH_RETIRED = "0.1.0 of commit 14b5eef"


def _typed(key: str, value: Any, parameter: inspect.Parameter, method: str) -> Any:
    """Return a setting as its constructor takes it; a value of another type would be met somewhere in the middle."""
    annotation = Any if parameter.annotation is inspect.Parameter.empty else parameter.annotation
    value = tuple(value) if isinstance(value, list) else value
    try:
        return TypeAdapter(annotation, config=_STRICT).validate_python(value)
    except ValidationError:
        raise ArtifactError(
            f"The artifact states {key}={str(value)!r:.60} for {method}, which takes "
            f"{inspect.formatannotation(annotation)}. Fit the sanitiser again, or copy it from its source."
        ) from None


_STRICT = ConfigDict(arbitrary_types_allowed=True, strict=True)
