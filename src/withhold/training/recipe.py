"""What a game of hiding is played with: sizes and rates, and the training rows as tensors."""

from dataclasses import dataclass

import numpy as np
from torch import Tensor

from withhold.nets.attribute_density import AttributeLayout


@dataclass(frozen=True)
class Recipe:
    """Sizes and rates of a game; see `DeepMinMax` for where the values come from."""

    dimensions: int
    encoder: tuple[int, ...]
    decoder: tuple[int, ...]
    noise: float
    rounds: int
    batch: int = 512
    rate: float = 1e-3
    steps: int = 8
    adversary: int = 192
    adversary_batch: int = 128
    adversary_rate: float = 2e-3
    folds: int = 4
    dropout: float = 0.3
    decay: float = 0.1
    standardise: bool = True
    side_weight: float = 1.0
    utility_weight: float = 1.0
    retention_weight: float = 1.0
    decays: bool = True
    alone: int = 0  # rounds that the side plays first without adversaries: what is not there cannot be kept
    judged: int | None = None  # rows a judgement or a reading takes at most, where a release is dear
    closing: float = 0.15  # share of rounds that adversaries go on alone: a reading by nets that lag behind flatters


@dataclass
class Records:
    """The training rows as tensors on the device.

    Attributes
    ----------
    H : Tensor (n, p)
        Standardised features.
    secrets : Tensor (n, n_attributes)
        As in `AttributeLayout`; NaN where missing.
    marginal : Tensor (n, n_attributes)
        log p(b) of each row under the marginal, 0 where missing.
    given : Tensor (n, c)
        The attributes as the retaining net m is given them.
    kept : Tensor
        What m recovers.
    outputs : int
        Outputs m needs for that.
    folds : ndarray of int
        -1: held out from the game.
    utility, utility_layout, utility_unit
        The utility attributes, where there are any, and the nats their loss is measured in.
    posterior : Tensor (n, utility_layout.width) or None
        p(u|x) of each row, as outputs of the layout: logits; mean and log variance.
    recovered : Tensor (n, c) or None
        What adversaries also learn to recover from a release; the features by default.
    """

    H: Tensor
    secrets: Tensor
    layout: AttributeLayout
    marginal: Tensor
    given: Tensor
    kept: Tensor
    outputs: int
    folds: np.ndarray
    utility: Tensor | None = None
    utility_layout: AttributeLayout | None = None
    utility_unit: float = 1.0
    posterior: Tensor | None = None
    recovered: Tensor | None = None
