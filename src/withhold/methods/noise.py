"""Noise: add independent Gaussian noise to every column. A control, not a method.

It hides everything a little, and the sensitive attribute no more than the rest: what a learned method must beat at the
same utility. The noise is one draw a record under the key, so it does not average out over repeated releases, but it is
not differential privacy: ranges are not bounded and floating-point noise is not exact.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from withhold.contracts.guarantee import Guarantee
from withhold.contracts.seeds import RandomState
from withhold.data.columns.numeric import Scaling
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.estimator.sanitizer import Sanitizer
from withhold.methods.estimator.settings import agree, check_number
from withhold.privacy.noise_key import NoiseKey


class Noise(Sanitizer):
    """Add Gaussian noise to every column, in units of the column's own spread.

    Parameters
    ----------
    scale : float >= 0, default=1.0
        Standard deviation of the noise in units of the column's standard deviation over the training rows (of its
        encoding, for a table: one-hot for categories, so a noisy category becomes the nearest one).
    output : {"auto", "table", "representation"}, default="auto"
        Form of the release; "auto" gives the form of the input.
    noise_key : NoiseKey, optional
        Keep it to draw the same noise for the same record in every release.
    noise_seed : int, optional
        For tests; the release is then not for sharing.
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

    def __init__(
        self,
        *,
        scale: float = 1.0,
        output: str = "auto",
        noise_key: NoiseKey | None = None,
        noise_seed: int | None = None,
        keep: Sequence[str] = (),
        sensitive_kinds: Mapping[str, str] | None = None,
        categorical: Sequence[str] = (),
        continuous: Sequence[str] = (),
        device: str = "auto",
        random_state: RandomState = None,
    ) -> None:
        super().__init__(
            output=output,
            noise_key=noise_key,
            noise_seed=noise_seed,
            keep=keep,
            sensitive_kinds=sensitive_kinds,
            categorical=categorical,
            continuous=continuous,
            device=device,
            random_state=random_state,
        )
        self.scale = scale

    def _fit_encoded(self, data: FitData) -> None:
        check_number(
            self, "scale", 0.0, why="It is a standard deviation in units of the column's.", remedy="Pass e.g. 1.0."
        )
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
            assumptions=("One draw a record: the key is kept, or no other release of the record exists.",),
        )
