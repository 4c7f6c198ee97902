"""Identity: release the records as they are. A control, not a method.

The audit of its release says what an unprotected release leaks through this library's own table codec (pooled rare
levels, clipped ranges, dropped identifiers), so every other method can be compared on the same road.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from withhold.contracts.guarantee import Guarantee
from withhold.contracts.seeds import RandomState
from withhold.data.columns.numeric import Scaling
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.estimator.sanitizer import Sanitizer
from withhold.privacy.noise_key import NoiseKey


class Identity(Sanitizer):
    """Release the records unchanged, apart from what the codec does to every table.

    Parameters
    ----------
    output : {"auto", "table", "representation"}, default="auto"
        Form of the release; "auto" gives the form of the input.
    noise_key, noise_seed
        Unused: nothing is drawn.
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
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 5.0]])
    >>> Identity().fit(X, sensitive_features=["a", "b", "a"]).transform(X).tolist()
    [[0.0, 1.0], [1.0, 0.0], [2.0, 5.0]]
    """

    accepts_images: ClassVar[bool] = True
    codec_space: ClassVar[bool] = True
    numeric: ClassVar[Scaling] = "affine"

    def __init__(
        self,
        *,
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
