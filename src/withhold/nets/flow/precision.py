"""How well a flow undoes itself in single precision, and double precision where that is not well enough."""

import torch
from torch import Tensor

from withhold.contracts.errors import NumericalError, sentence
from withhold.nets.flow.conditional import ConditionalFlow

TOLERANCE = 1e-5  # of a record whose numbers are about one
CHUNK = 1_024


@torch.no_grad()
def round_trip(flow: ConditionalFlow, x: Tensor, labels: Tensor | None = None) -> float:
    """Return the largest |x - f^-1(f(x))| over the records `x`; infinity where it is not a number.

    Examples
    --------
    >>> from withhold.nets.flow.conditional import FlowPlan
    >>> round_trip(ConditionalFlow(FlowPlan((4,), hidden=8)), torch.ones(3, 4))
    0.0
    """
    worst = 0.0
    for start in range(0, len(x), CHUNK):
        part, of = x[start : start + CHUNK], None if labels is None else labels[start : start + CHUNK]
        gap = (flow.inverse(flow(part, of)[0], of) - part).abs().max()
        worst = max(worst, float(torch.nan_to_num(gap, nan=torch.inf)))
    return worst


@torch.no_grad()
def latent_round_trip(flow: ConditionalFlow, z: Tensor, labels: Tensor | None = None) -> float:
    """Return the largest |z - f(f^-1(z))| / max(1, |z|) over latents, such as noised ones far from the prior."""
    worst = 0.0
    for start in range(0, len(z), CHUNK):
        part, of = z[start : start + CHUNK], None if labels is None else labels[start : start + CHUNK]
        gap = (flow(flow.inverse(part, of), of)[0] - part).abs() / part.abs().clamp_min(1)
        worst = max(worst, float(torch.nan_to_num(gap.max(), nan=torch.inf)))
    return worst


def settle(
    flow: ConditionalFlow, x: Tensor, labels: Tensor | None = None, tolerance: float = TOLERANCE
) -> tuple[torch.dtype, float]:
    """Make `flow` double where single precision loses more than `tolerance` on the records `x`.

    Parameters
    ----------
    flow : ConditionalFlow
        In single precision; changed in place.
    x, labels : Tensor
        Trial records.
    tolerance : float

    Returns
    -------
    dtype, error
        The precision the flow is left in, and its round trip.

    Raises
    ------
    NumericalError
        Double precision is not enough either.

    Examples
    --------
    >>> from withhold.nets.flow.conditional import FlowPlan
    >>> settle(ConditionalFlow(FlowPlan((4,), hidden=8)), torch.ones(3, 4))
    (torch.float32, 0.0)
    """
    error = round_trip(flow.float(), x.float(), labels)
    if error <= tolerance:
        return torch.float32, error
    error = round_trip(flow.double(), x.double(), labels)
    if error > tolerance:
        why = "A flow that cannot undo itself does not return the records it was given."
        remedy = "Train it longer or with a lower rate, with fewer couplings, or on rows without extreme values."
        raise NumericalError(sentence("The round trip of the flow", f"within {tolerance:g}", f"{error:g}", why, remedy))
    return torch.float64, error
