"""Controls, not methods: the records as they are, and the records with noise that knows nothing of the attribute.

`Identity` shows what the raw data give away. `Noise` hides everything a little, and the sensitive attribute no more
than the rest: what a learned method must beat at the same utility. Its noise is one draw per record under the key, so
it does not average out over repeated releases, but it is not differential privacy: ranges are not bounded and
floating-point noise is not exact.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from withhold.contracts.checks import Weight
from withhold.contracts.guarantee import Guarantee
from withhold.contracts.ranges import Range
from withhold.data.columns.numeric import Scaling
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.estimator.sanitizer import Sanitizer
from withhold.methods.estimator.settings import agree


@dataclass(kw_only=True, eq=False, repr=False)
class Identity(Sanitizer):
    """Release the records unchanged, apart from what the codec does to every table.

    Parameters
    ----------
    output : {"auto", "table", "representation"}, default="auto"
        Form of the release; "auto" gives the form of the input.
    decode, noise_key, noise_seed
        Unused: nothing is drawn.
    sensitive_features, drop, keep, sensitive_kinds, categorical, continuous, device, random_state
        As for every method; see `Noise`.

    Examples
    --------
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 5.0]])
    >>> Identity().fit(X, sensitive_features=["a", "b", "a"]).transform(X).tolist()
    [[0.0, 1.0], [1.0, 0.0], [2.0, 5.0]]
    """

    accepts_images: ClassVar[bool] = True
    codec_space: ClassVar[bool] = True
    numeric: ClassVar[Scaling] = "affine"

    def _fit_encoded(self, data: FitData) -> None:
        """Learn nothing."""

    def _encode(self, H: Any) -> np.ndarray:
        return np.array(H)

    def _noise_scale(self) -> float:
        return 0.0

    def _state(self) -> dict[str, np.ndarray]:
        return {}

    def _restore(self, state: dict[str, np.ndarray], header: Mapping[str, Any]) -> None:
        """Nothing was learned."""

    def guarantee(self) -> Guarantee:
        """Return the guarantee: none."""
        return Guarantee(
            claim="None: the records are released as they are.",
            against="nobody",
        )


@dataclass(kw_only=True, eq=False, repr=False)
class Noise(Sanitizer):
    """Add Gaussian noise to every column, in units of the column's own spread.

    Parameters
    ----------
    scale : float >= 0, default=1.0
        Standard deviation of the noise in units of the column's standard deviation over the training rows (of its
        encoding, for a table: one-hot for categories, so a noisy category becomes the nearest one).
    output : {"auto", "table", "representation"}, default="auto"
        Form of the release; "auto" gives the form of the input.
    decode : {"sample", "mode"}, default="sample"
        How a method whose Z is no table makes one of it. "sample" draws each column given Z and the columns before it,
        in its own resolution, so that shares and pairs are those of the fit; "mode" takes the most likely value of each
        column, which keeps more of the single record and makes common values commoner. Unused here.
    noise_key : NoiseKey, optional
        Keep it to draw the same noise for the same record in every release.
    noise_seed : int, optional
        For tests; the release is then not for sharing.
    sensitive_features : str or sequence of str, optional
        Columns of X to hide, for a `fit` that is not given them.
    drop : sequence of str
        Columns that are no features, whatever they look like.
    keep : sequence of str
        Columns to keep although they look like identifiers or free text.
    sensitive_kinds : mapping of str to {"categorical", "continuous"}, optional
        Kinds of attributes that cannot be told from their type.
    categorical, continuous : sequence of str
        Columns whose kind cannot be told from their type: numbers that are categories, or few values that are numbers.
    device : str, default="auto"
    random_state : int, optional

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> noise = Noise(scale=2.0, noise_seed=0).fit(X, sensitive_features=X[:, 0] > 0)
    >>> bool(1.8 < (noise.transform(X) - X).std() < 2.2), noise.noise_note_
    (True, 'not for sharing')
    """

    accepts_images: ClassVar[bool] = True
    codec_space: ClassVar[bool] = True
    numeric: ClassVar[Scaling] = "affine"

    scale: Annotated[Weight, Range(0.1, 10.0)] = 1.0

    def _fit_encoded(self, data: FitData) -> None:
        self.spread_ = np.asarray(data.H, dtype=np.float64).std(axis=0)
        self.scale_ = float(self.scale)

    def _encode(self, H: Any) -> np.ndarray:
        return np.array(H)

    def _noise_scale(self) -> np.ndarray:
        return np.asarray(self.scale_ * self.spread_)

    def _state(self) -> dict[str, np.ndarray]:
        return {"spread": self.spread_, "scale": np.array(self.scale_)}

    def _restore(self, state: dict[str, np.ndarray], header: Mapping[str, Any]) -> None:
        self.spread_, self.scale_ = state["spread"], float(state["scale"])
        agree("scale", float(self.scale), self.scale_)

    def guarantee(self) -> Guarantee:
        """Return the guarantee: none."""
        return Guarantee(
            claim="None: noise hides every column alike; what is left is for the audit to measure.",
            against="nobody",
            assumptions=("One draw per record: the key is kept, or no other release of the record exists.",),
        )
