"""The base of every method: scikit-learn's estimator, plus a sensitive attribute at fit and a release at transform."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from withhold.methods.estimator.artifact import write_sanitizer
from withhold.methods.estimator.contract import Method
from withhold.methods.estimator.diagnosis import few_records
from withhold.methods.estimator.drift import new_tally, release_counting, warn_of_drift
from withhold.methods.estimator.dropped import warn_of_dropped
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.estimator.fitting import Fitted, finish, start
from withhold.methods.estimator.inputs import Features
from withhold.methods.estimator.release import NONE
from withhold.privacy.noise_key import NoiseKey
from withhold.training.session import one_thread


@dataclass(kw_only=True, eq=False, repr=False)
class Sanitizer(Method):
    """What a user calls of every method; see `DeepMinMax` or `LEACE` for the parameters.

    Attributes
    ----------
    feature_names_in_ : ndarray of str
        Columns that are features, for tables: not the sensitive, utility or group columns.
    diagnostics_ : dict of str to float
        ``effective_rank``, ``noise_to_spread`` and what the method adds.
    curves_ : dict of str to list of float
        Training curves, where there is training.
    digest_ : str
        SHA-256 of the fitted state. It is part of the noise: another fit draws other noise.
    """

    def fit(
        self, X: Any, y: Any = None, *, sensitive_features: Any = None, groups: Any = None, **unsupported: Any
    ) -> Self:
        """Learn the transform.

        Parameters
        ----------
        X : DataFrame (pandas, polars, pyarrow), ndarray or tensor
            One record a row. For methods that accept images also arrays or tensors of three or four dimensions, and a
            table whose only feature is a column of images.
        y : str, list of str, array or DataFrame, optional
            The utility attribute, a column name or values; never a feature of the release.
        sensitive_features : str, list of str, array or DataFrame
            What must be hidden; by default what the constructor was given. Columns named here are dropped; they are
            not needed at transform.
        groups : str or array, optional
            Subject of each record; subjects stay together in every split.
        **unsupported
            `sample_weight` is refused with a reason.

        Warns
        -----
        DroppedColumnsWarning
            Columns look like identifiers or free text and are left out; `keep` and `drop` decide it.
        """
        self._fit(X, y, sensitive_features, groups, unsupported)
        warn_of_dropped(self, above=2)
        return self

    def transform(self, X: Any) -> Any:
        """Return the release of `X`, in the container `X` came in. The sensitive attribute is not needed.

        Parameters
        ----------
        X : as in `fit`
            Columns that are not features are ignored.

        Returns
        -------
        table or array
            As the parameter `output` says.

        Warns
        -----
        DriftWarning
            The rows are unlike those of the fit: see `withhold.methods.estimator.drift.drift_of`.
        """
        check_is_fitted(self)
        tally = new_tally(self)
        released = release_counting(self, X, tally)
        warn_of_drift(self, tally)
        return released

    def fit_transform(
        self, X: Any, y: Any = None, *, sensitive_features: Any = None, groups: Any = None, **unsupported: Any
    ) -> Any:
        """Fit and return the release of the same rows.

        Where a table is decoded by a trained decoder, each row meets one that was fitted without it and its copies, so
        that the table cannot hold what a decoder memorised. ``fit(X).transform(X)`` gives the same, but for subjects:
        with `groups` each row here meets a decoder that was fitted without any row of its subject, which `transform`,
        where subjects are not known, cannot promise.

        Parameters
        ----------
        X, y, sensitive_features, groups, **unsupported
            As in `fit`.
        """
        features, H, rows, folds = self._fit(X, y, sensitive_features, groups, unsupported)
        warn_of_dropped(self, above=2)
        return self._deliver(features, self._release(H, rows), rows, folds)

    def represent(self, X: Any) -> np.ndarray:
        """Return the released representation Z of `X` as an array, whatever `output` says."""
        check_is_fitted(self)
        _, H, rows = self._read(X)
        return self._release(H, rows)

    def save(self, path: str | Path) -> None:
        """Write the fitted sanitiser to one file that holds no secret and runs no code when it is loaded.

        The noise key is not in it: keep it apart (``noise_key_.save``) and give it again to `withhold.load`. What it
        holds of single records is said under "What a sanitiser's file holds" in ``docs/reading-the-numbers.md``.
        """
        check_is_fitted(self)
        write_sanitizer(self, path)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the columns of the output."""
        check_is_fitted(self)
        form, width = self._form(), self.release_.width
        if form == "table":
            names: Any = self.release_.table_names
        elif form == "images" and self.encoding_.image is not None:
            names = [self.encoding_.image.name]
        elif self.codec_space and self.codec_ is None:
            names = [f"x{j}" for j in range(width)] if input_features is None else input_features
        else:
            names = [f"{type(self).__name__.lower()}{j}" for j in range(width)]
        return np.asarray(names, dtype=object)

    @property
    def output_(self) -> str:
        """What the parameter `output` came to: "table", "images" or "representation"."""
        check_is_fitted(self)
        return self._form()

    @property
    def noise_key_(self) -> NoiseKey:
        """The secret that draws the noise: given, made at fit, or of `noise_seed`. Save it for later releases."""
        check_is_fitted(self)
        return self._key()[0]

    @property
    def noise_note_(self) -> str:
        """What a reader must be told about the noise of this release."""
        check_is_fitted(self)
        return self._key()[1] if self._draws() else NONE

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "release_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.accepts_sparse
        # A network computes in single precision whatever comes in.
        tags.transformer_tags.preserves_dtype = ["float64", "float32"] if self.codec_space else []
        return tags

    # How it is fitted

    def _fit(self, X: Any, y: Any, sensitive_features: Any, groups: Any, unsupported: Mapping[str, Any]) -> Fitted:
        data, features = self._start(X, y, sensitive_features, groups, unsupported, first=True)
        self._tell({}, {}, few_records(data.n, data.sensitive))
        with one_thread(data.H.shape[1]):
            self._fit_encoded(data)
            try:
                return self._finish(data, features)
            except BaseException:  # interrupted while decoders learn: nothing half settled releases
                self.__dict__.pop("release_", None)
                raise

    def _start(
        self, X: Any, y: Any, sensitive_features: Any, groups: Any, unsupported: Mapping[str, Any], first: bool
    ) -> tuple[FitData, Features]:
        return start(self, X, y, sensitive_features, groups, unsupported, first)

    def _finish(self, data: FitData, features: Features) -> Fitted:
        return finish(self, data, features)
