"""Gradients of two objectives, one kept from drowning the other."""

from collections.abc import Sequence

import torch
from torch import Tensor

TINY = 1e-12  # a gradient of zero stays zero instead of becoming 0/0


def gradients_of(objective: Tensor, parameters: Sequence[Tensor], *, retain: bool = False) -> list[Tensor | None]:
    """Return the gradient of each parameter, None where the objective does not depend on it."""
    if not objective.requires_grad:
        return [None] * len(parameters)
    return list(torch.autograd.grad(objective, parameters, retain_graph=retain, allow_unused=True))


def adaptively_clipped(
    gradients: Sequence[Tensor | None], bounds: Sequence[Tensor | None], by: str | None
) -> list[Tensor | None]:
    """Return `gradients`, none longer than the one of `bounds`: min(|b|, |g|) g / |g| (belghazi2018mine).

    Parameters
    ----------
    gradients, bounds : sequence of Tensor or None
        Of the same parameters.
    by : {"tensor", "global", None}
        Compare each tensor with its own bound, all as one vector, or nothing.

    Examples
    --------
    >>> long, short = torch.tensor([3.0, 4.0]), torch.tensor([0.0, 1.0])
    >>> adaptively_clipped([long], [short], "tensor")[0].tolist()
    [0.6000..., 0.8000...]
    """
    if by is None:
        return list(gradients)
    if by == "global":
        factor = min(1.0, norm(bounds) / (norm(gradients) + TINY))
        return [None if gradient is None else gradient * factor for gradient in gradients]
    return [
        gradient
        if gradient is None or bound is None
        else gradient * (bound.norm() / (gradient.norm() + TINY)).clamp(max=1.0)
        for gradient, bound in zip(gradients, bounds, strict=True)
    ]


def norm(gradients: Sequence[Tensor | None]) -> float:
    """Return the norm of all gradients as one vector.

    Examples
    --------
    >>> norm([torch.tensor([3.0]), None, torch.tensor([4.0])])
    5.0
    """
    squares = [gradient.square().sum() for gradient in gradients if gradient is not None]
    return float(torch.stack(squares).sum().sqrt()) if squares else 0.0
