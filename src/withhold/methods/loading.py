"""Loading a saved sanitiser: its name chooses a class of this library, its numbers fill it, nothing is executed."""

import inspect
from pathlib import Path
from typing import Any

from withhold.contracts.errors import ArtifactError, InvalidParameterError, sentence
from withhold.io.artifact import read_artifact
from withhold.methods.catalogue import MODULES, method_class
from withhold.methods.packing import read_sanitizer
from withhold.methods.sanitizer import Sanitizer
from withhold.privacy.noise_key import NoiseKey


def load(path: str | Path, *, noise_key: NoiseKey | None = None, encoder: Any = None) -> Sanitizer:
    """Read a sanitiser that `save` wrote.

    Parameters
    ----------
    path : str or Path
    noise_key : NoiseKey, optional
        The key of earlier releases, so that a record comes out the same again. Without it a new one is made and
        releases are marked "a further draw; earlier draws unknown".
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

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> from withhold.methods.identity import Identity
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 5.0]])
    >>> path = Path(tempfile.mkdtemp()) / "sanitizer.withhold"
    >>> Identity().fit(X, sensitive_features=["a", "b", "a"]).save(path)
    >>> load(path).transform(X).tolist()
    [[0.0, 1.0], [1.0, 0.0], [2.0, 5.0]]
    """
    header, tensors = read_artifact(path)
    name, settings = header.get("method"), header.get("settings")
    if name not in MODULES or not isinstance(settings, dict):
        raise ArtifactError(
            sentence(
                f"The artifact {str(path)!r}",
                f"made by one of {', '.join(sorted(MODULES))}",
                f"method {name!r}",
                "Only methods of this library are built from a file.",
                "Install the version of withhold that wrote it.",
            )
        )
    settings = {key: tuple(value) if isinstance(value, list) else value for key, value in settings.items()}
    cls = method_class(name)
    accepted = set(inspect.signature(cls.__init__).parameters) - {"self"}
    unknown = sorted(set(settings) - accepted)
    if unknown:
        raise ArtifactError(
            sentence(
                f"The settings in {str(path)!r}",
                f"parameters of {name}",
                ", ".join(map(repr, unknown)),
                "They would be ignored silently.",
                "Install the version of withhold that wrote it.",
            )
        )
    if noise_key is not None:
        settings = {**settings, "noise_key": noise_key, "noise_seed": None}
    if encoder is not None:
        if "encoder" not in accepted:
            raise InvalidParameterError(
                sentence(
                    "The 'encoder' argument of load",
                    f"absent for {name}",
                    f"a {type(encoder).__name__}",
                    "This method has no module of the user's.",
                    "Leave it out.",
                )
            )
        settings = {**settings, "encoder": encoder}
    method: Sanitizer = read_sanitizer(cls(**settings), header, tensors)
    return method
