"""What every fit does before a method learns, and after: reading and encoding the rows, sealing and diagnosing."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from withhold.contracts.errors import InvalidParameterError
from withhold.contracts.seeds import root, stream
from withhold.methods.estimator.artifact import seal
from withhold.methods.estimator.contract import Method
from withhold.methods.estimator.decoder import CrossFittedDecoder
from withhold.methods.estimator.diagnosis import diagnose, lost_in_table, repeated_records
from withhold.methods.estimator.encoding import Encoding
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.estimator.fitted_release import FittedRelease
from withhold.methods.estimator.folds import fold_salt, folds_of_fit
from withhold.methods.estimator.inputs import Features, is_frame, read_fit_inputs
from withhold.methods.estimator.settings import refuse_unsupported

DIAGNOSED_ROWS = 5_000  # enough for the spectrum of some hundred columns; keeps diagnosis under a second
DIAGNOSED_WIDE = 1_000  # rows of records with more numbers than that, such as images: the spectrum costs their cube

Fitted = tuple[Features, Any, np.ndarray | None, np.ndarray | None]
"""Features, encoded features, canonical bytes where something hangs on them, folds of the decoders."""


def start(
    method: Method, X: Any, y: Any, sensitive_features: Any, groups: Any, unsupported: Mapping[str, Any], first: bool
) -> tuple[FitData, Features]:
    """Read and encode the training rows; `first` says whether the encoding is learned from them."""
    name = type(method).__name__
    refuse_unsupported(name, unsupported)
    method.check()
    inputs = read_fit_inputs(
        X,
        y,
        method.sensitive_features if sensitive_features is None else sensitive_features,
        groups,
        method=name,
        kinds=method.sensitive_kinds,
        drop=method.drop,
        coded=is_frame(X) or method.output == "table",
        accept_sparse=method.accepts_sparse,
        images=method.accepts_images,
        needs=(method.needs_sensitive, method.needs_y),
        several_y=method.several_y,
    )
    # Until it is sealed again this is not fitted: an interrupted fit must not release with half of an earlier one.
    method.__dict__.pop("release_", None)
    if first:
        asked = {"keep": method.keep, "categorical": method.categorical, "continuous": method.continuous}
        # A list may name the sensitive column too; it is no feature, so the codec does not know it.
        kinds = {role: [column for column in names if column not in inputs.removed] for role, names in asked.items()}
        encoding = Encoding.learn(inputs.features, method=name, numeric=method.numeric, kinds=kinds)
        method._use(encoding, root(method.random_state))
    encoding = method.encoding_
    _refuse_table_of_images(method)
    # Learned from these rows or not: images are brought to their one form.
    features = inputs.features if first and encoding.image is None else encoding.check(inputs.features)
    data = FitData(
        H=encoding.encode(features, encoding.seen),
        sensitive=inputs.sensitive,
        utilities=inputs.utilities,
        groups=inputs.groups,
        codec=encoding.codec,
        table=features.table if encoding.image is None else None,
        shape=None if encoding.image is None else encoding.image.shape,
        bounded=encoding.image is not None and encoding.image.bounded,
        rng_seed=method.seed_,
        device=method.device,
        precision=getattr(method, "precision", "32-true"),
    )
    return data, features


def finish(method: Method, data: FitData, features: Features) -> Fitted:
    """Settle what later releases hang on: digest, diagnosis, decoders."""
    most = DIAGNOSED_ROWS if data.H.shape[1] <= DIAGNOSED_WIDE else DIAGNOSED_WIDE
    sample = np.sort(stream(method.seed_, "diagnosis").permutation(data.n)[:most])
    H = data.H[sample]
    Z = method._encode(H)
    # No digest of the rows: an artifact may be handed over, and who knows all rows but one could try that one out.
    settled = FittedRelease(method.encoding_, seal(method), {"rows": data.n}, int(Z.shape[1]))
    method._settle_on(settled)
    rows, folds = method._rows(features), None
    pixels = method._form() == "images"
    measured, findings = diagnose(H.toarray() if sp.issparse(H) else H, Z, method._noise_scale(), pixels)
    method.diagnostics_.update(measured)
    method.findings_ += [*([] if method.codec_ is None else method.codec_.findings), *findings]
    if rows is not None and method._random() and not method.copies_apart:
        measured, findings = repeated_records(rows)
        method.diagnostics_.update(measured)
        method.findings_ += findings
    if method._form() == "table":
        if not (method.codec_space or method.own_table):
            rows = method.encoding_.rows(features)  # which decoder a record meets hangs on them, whatever else does
            rng = stream(method.seed_, "decoder folds")
            salt = fold_salt(rows, rng)
            folds = folds_of_fit(rows, salt, data.groups, rng)
            released = method._release(data.H, rows)
            rng = stream(method.seed_, "decoder")
            settled = replace(settled, decoder=CrossFittedDecoder.fit(released, data, folds, salt, rng, method.decode))
            method._settle_on(settled)
        part = None if rows is None else rows[sample]
        plain = method._decode(Z, rows=part)
        method._settle_on(replace(settled, table_names=tuple(plain.column_names)))
        if part is not None and np.any(np.asarray(method._noise_scale()) > 0):  # what is added can be lost
            method.findings_ += lost_in_table(plain, method._decode(method._release(H, part), rows=part))
    return features, data.H, rows, folds


def _refuse_table_of_images(method: Method) -> None:
    if method.encoding_.image is None or method.codec_space or method.output != "table":
        return
    shape = method.encoding_.image.shape
    raise InvalidParameterError(
        f"{type(method).__name__} cannot release records of shape {shape} as a table. Leave output out, or pass "
        "'representation'."
    )
