"""A fitted method as header and arrays, and back: `save` writes it, and what was read is tried before it is used."""

from collections.abc import Mapping
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pydantic import BaseModel, ConfigDict

from withhold.contracts.errors import ArtifactError
from withhold.contracts.finding import Finding
from withhold.io.artifact import content_digest, write_artifact
from withhold.methods.estimator.contract import Method
from withhold.methods.estimator.decoder import CrossFittedDecoder
from withhold.methods.estimator.encoding import Encoding
from withhold.methods.estimator.fitted_release import FittedRelease
from withhold.methods.estimator.folds import FOLDS
from withhold.methods.estimator.settings import agree, plain

# Numbers in the records of the trial, at most: what a file says of its records must not cost more than the file.
MOST_NUMBERS = 1 << 20
ROWS = 7  # a width by chance alone


def try_out(method: Method) -> None:
    """Encode, release and decode some empty records, and compare what comes out with what the artifact states.

    Parameters
    ----------
    method : Sanitizer
        Restored.

    Raises
    ------
    ValueError
        And whatever arrays raise that do not fit together.
    """
    encoding, width, stated = method.encoding_, method.encoding_.width, method.release_
    if ROWS * max(width, stated.width) > MOST_NUMBERS:
        if stated.width not in {width, *(side for array in method._state().values() for side in array.shape)}:
            raise ValueError(f"releases of {stated.width} numbers")
        return
    if encoding.codec is None:
        H = np.zeros((ROWS, width), encoding.dtype)
    else:
        empty = pa.schema(encoding.codec.schema.arrow).empty_table()
        nothing = pa.table({name: pa.nulls(ROWS, empty.schema.field(name).type) for name in empty.column_names})
        H = encoding.codec.encode(encoding.codec.check(nothing))
    with np.errstate(all="ignore"):
        Z = method._try(H)
    if Z.shape != (ROWS, stated.width) or not np.isfinite(Z).all():
        raise ValueError(f"releases of shape {Z.shape[1:]} or with values that are no numbers")
    scale = np.asarray(method._noise_scale(), dtype=np.float64)
    if scale.shape not in ((), (stated.width,)) or not np.isfinite(scale).all() or (scale < 0).any():
        raise ValueError("a noise of another size than its releases, or of no size")
    if method._form() == "table":
        rows = np.arange(ROWS, dtype=np.uint8)[:, None]
        names = method._decode(Z, folds=np.arange(ROWS) % FOLDS, rows=rows).column_names
        if names != list(stated.table_names):
            raise ValueError(f"releases of the columns {names!r:.100}")


METHOD, DECODER, SEEN = "method.", "decoder.", "seen."
FOLD = "fold"


def write_sanitizer(method: Method, path: str | Path, fold: tuple[int, int] | None = None) -> None:
    """Write the artifact of a fitted method. Secrets and modules (`unsaved`) stay out.

    One that released a `fold` (number, of how many) of a cross-fitted release is marked, and releases nothing more.
    """
    tensors = {METHOD + name: array for name, array in method._state().items()}
    tensors |= {SEEN + name: array for name, array in method.encoding_.seen_state().items()}
    settled, decoder = method.release_, method.decoder_
    if decoder is not None:
        tensors |= {DECODER + name: array for name, array in decoder.state().items()}
    header = {
        "method": type(method).__name__,
        "settings": settings(method),
        "encoding": method.encoding_.header(),
        "form": {"width": settled.width, "table_names": settled.table_names, "seed": method.seed_},
        "decoder": None if decoder is None else decoder.header(),
        "training_data": settled.training,
        "state_digest": settled.digest,
        "diagnostics": method.diagnostics_,
        "curves": method.curves_,
        "findings": [finding.model_dump() for finding in method.findings_],
        "guarantee": method.guarantee().model_dump(),
        "noise": method.noise_note_,
        **({} if fold is None else {FOLD: list(fold)}),
    }
    write_artifact(path, plain(header), tensors)


def settings(method: Method) -> dict[str, Any]:
    """Return the constructor's parameters as the artifact and the report hold them."""
    kept = {name: value for name, value in method.get_params(deep=False).items() if name not in method.unsaved}
    state = kept.get("random_state")
    if state is not None and not isinstance(state, int | np.integer):
        kept["random_state"] = method.seed_
    return {name: plain(value) for name, value in kept.items()}


def changed(method: Method) -> list[str]:
    """Return the names of the settings that are not the method's defaults.

    Examples
    --------
    >>> from withhold.methods.controls import Noise
    >>> changed(Noise(scale=2.0))
    ['scale']
    """
    usual = {name: one.default for name, one in signature(type(method)).parameters.items()}
    return [name for name, value in settings(method).items() if value != plain(usual[name])]


def seal(method: Method) -> str:
    """Return the digest of what was learned; the release noise hangs on it."""
    header = {"method": type(method).__name__, "encoding": method.encoding_.header()}
    return content_digest(header, method._state())


def read_sanitizer(method: Method, header: dict[str, Any], tensors: dict[str, np.ndarray]) -> Any:
    """Fill the unfitted `method` from an artifact's header and arrays, and try it."""
    try:
        method.check()
        _check_finite(tensors)
        form = header["form"]
        seen = {name.removeprefix(SEEN): array for name, array in tensors.items() if name.startswith(SEEN)}
        method._use(Encoding.from_header(header["encoding"], type(method).__name__, seen), int(form["seed"]))
        measured = Measured.model_validate({name: header[name] for name in Measured.model_fields})
        method._tell(measured.diagnostics, measured.curves, measured.findings)
        state = {name.removeprefix(METHOD): array for name, array in tensors.items() if name.startswith(METHOD)}
        method._restore(state, header)
        parts = {name.removeprefix(DECODER): array for name, array in tensors.items() if name.startswith(DECODER)}
        decoder = None if header["decoder"] is None else _decoder(method, header["decoder"], parts)
        digest, width, names = seal(method), int(form["width"]), tuple(form["table_names"])
        if digest != header["state_digest"]:
            raise ValueError("a state that differs from its digest")
        method._settle_on(FittedRelease(method.encoding_, digest, measured.training_data, width, names, decoder))
        _check_promise(method, header["guarantee"])
        try_out(method)
    except ArtifactError:
        raise  # it says already what is missing, such as the module of an encoder
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
        got = (
            f"no {error}" if isinstance(error, KeyError) else str(error).splitlines()[0] if str(error) else repr(error)
        )
        raise _unreadable(type(method).__name__, f"{got:.300}") from error
    return method


LAST_POOLED = "0.1.0 of commit d24fc09"


def _decoder(method: Method, stated: Mapping[str, Any], state: dict[str, np.ndarray]) -> CrossFittedDecoder:
    if "salt" not in stated:  # new rows went through all decoders, rows of the fit through one: that told them apart
        raise ArtifactError(
            f"The saved {type(method).__name__} decodes tables as earlier versions did. Read it with withhold "
            f"{LAST_POOLED}, or fit it again."
        )
    agree("decode", method.decode, stated["kind"])
    if method.codec_ is None:
        raise ValueError("a decoder of tables, and no table")
    return CrossFittedDecoder.restore(stated, state, method.codec_)


class Measured(BaseModel):
    """What the header of an artifact says of the fit."""

    model_config = ConfigDict(strict=True)

    diagnostics: dict[str, float]
    curves: dict[str, list[float]]
    findings: list[Finding]
    training_data: dict[str, Any]


# Leaves of trees have no limit, an outcome that never occurred no probability, and some figures may be unknown.
UNBOUNDED = ("threshold", "log_prior", "numbers")


def _check_finite(tensors: Mapping[str, np.ndarray]) -> None:
    for name, array in tensors.items():
        if array.dtype.kind != "f" or name.startswith(SEEN) or name.rpartition(".")[2] in UNBOUNDED:
            continue
        if not np.isfinite(array).all():
            raise ValueError(f"an array {name!r} with values that are no numbers")


def _check_promise(method: Method, stated: Mapping[str, Any]) -> None:
    """Refuse a promise in the header that the restored method does not give."""
    given = method.guarantee().model_dump(mode="json")
    for name in ("holds", "maturity", "privacy"):
        agree(f"{name} in its guarantee as", _figures(stated.get(name)), _figures(given[name]))


def _figures(value: Any) -> Any:
    """Return what of a promise is no wording, which differs between versions."""
    kept = ("notion", "epsilon", "delta", "unit", "adjacency", "float_safe")
    return {name: value.get(name) for name in kept} if isinstance(value, Mapping) else value


def _unreadable(name: str, got: str) -> ArtifactError:
    return ArtifactError(
        f"The saved {name} is damaged or of another version: {got.rstrip('.')}. Fit it again, or install the version "
        "of withhold that wrote it."
    )
