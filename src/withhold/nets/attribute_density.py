"""Densities of attributes of any kind: what a network's outputs say about class codes and standardised numbers.

Targets are one float tensor of shape (..., n_attributes): class codes, or numbers standardised to about N(0, 1), and
NaN where a value is missing.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

LOG_VARIANCE_BOUND = 6.0
"""|log variance| stays below this. It is smooth, so a bound reached still has a gradient; standardised targets need at
most log variance 0, and e^-6 is a tenth of the finest resolution any attacker of a noisy representation has shown. A
plain tanh, as in the published code of CLUB, allows variances in [1/e, e] only and saturates there."""


@dataclass(frozen=True)
class AttributeLayout:
    """Which outputs of a network describe which attribute.

    Parameters
    ----------
    classes : tuple of int
        Number of classes of each attribute, 0 for a continuous one.

    Examples
    --------
    >>> layout = AttributeLayout((3, 0))
    >>> layout.width
    5
    >>> layout.log_density(torch.zeros(1, 5), torch.tensor([[2.0, 0.0]])).tolist()
    [[-1.098612..., -0.918938...]]
    """

    classes: tuple[int, ...]

    @property
    def width(self) -> int:
        """Number of outputs: a logit a class; mean and log variance of a number."""
        return sum(k or 2 for k in self.classes)

    def blocks(self, outputs: Tensor) -> tuple[Tensor, ...]:
        """Cut outputs (..., width) into one block an attribute."""
        return tuple(torch.split(outputs, [k or 2 for k in self.classes], dim=-1))

    def log_density(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return log q(b | z) of each attribute, shape (..., n_attributes); 0 where the target is missing."""
        terms = []
        for block, target, k in zip(self.blocks(outputs), targets.unbind(-1), self.classes, strict=True):
            known = ~target.isnan()
            filled = torch.where(known, target, torch.zeros_like(target))
            density = categorical_log_density(block, filled.long()) if k else gaussian_log_density(block, filled)
            terms.append(torch.where(known, density, torch.zeros_like(density)))
        return torch.stack(terms, dim=-1)

    def divergence(self, p: Tensor, q: Tensor) -> Tensor:
        """Return KL(p || q) of each attribute, shape (..., n_attributes), for outputs `p` and `q` of this layout.

        Examples
        --------
        >>> p, q = torch.tensor([[0.0, 0.0, 0.0]]), torch.tensor([[0.0, 1.0, 0.0]])
        >>> AttributeLayout((3,)).divergence(p, q).tolist()
        [[0.11949...]]
        """
        terms = []
        for own, other, k in zip(self.blocks(p), self.blocks(q), self.classes, strict=True):
            if k:
                log_p, log_q = functional.log_softmax(own, dim=-1), functional.log_softmax(other, dim=-1)
                terms.append((log_p.exp() * (log_p - log_q)).sum(dim=-1))
            else:
                (mean, scale), (other_mean, other_scale) = gaussian_moments(own), gaussian_moments(other)
                squares = scale.exp() + (mean - other_mean).square()
                terms.append(0.5 * (other_scale - scale + squares * (-other_scale).exp() - 1.0))
        return torch.stack(terms, dim=-1)


def categorical_log_density(logits: Tensor, codes: Tensor) -> Tensor:
    """Return log softmax(`logits`) at `codes`."""
    return functional.log_softmax(logits, dim=-1).gather(-1, codes.unsqueeze(-1)).squeeze(-1)


def gaussian_moments(block: Tensor) -> tuple[Tensor, Tensor]:
    """Return mean and bounded log variance from two outputs (..., 2)."""
    return block[..., 0], LOG_VARIANCE_BOUND * torch.tanh(block[..., 1] / LOG_VARIANCE_BOUND)


def gaussian_log_density(block: Tensor, values: Tensor) -> Tensor:
    """Return log N(`values`; mean, variance), the log variance included: dropped, it would never be learned."""
    mean, log_variance = gaussian_moments(block)
    return -0.5 * (math.log(2 * math.pi) + log_variance + (values - mean).square() * (-log_variance).exp())
