"""The latent directions that change a record most, and how well a flow undoes itself in single precision."""

import torch
from torch import Tensor

from withhold.contracts.errors import NumericalError
from withhold.methods.cadp.flow import ConditionalFlow

SAMPLED = 512


def active_directions(flow: ConditionalFlow, k: int, samples: int, seed: int) -> tuple[Tensor, Tensor]:
    """Return the `k` most active directions of the latent space.

    For u ~ N(0, I) in the space of records, J^T u u^T J has mean J^T J, so one backward pass a sample is enough.

    Parameters
    ----------
    samples : int
        Latents drawn from the prior, with classes in turn.

    Returns
    -------
    directions : Tensor of shape (d, k)
        Orthonormal columns, the most active first.
    activity : Tensor of shape (d,)
        Eigenvalues of the estimate over their sum: the share of all change along each direction.

    Examples
    --------
    >>> from withhold.methods.cadp.flow import FlowPlan
    >>> flow = ConditionalFlow(FlowPlan((3,), hidden=8))
    >>> _ = flow.last.log_spread.weight.data.copy_(torch.tensor([[0.0, 2.0, -1.0]]))
    >>> directions, activity = active_directions(flow, 1, samples=500, seed=0)
    >>> int(directions.abs().argmax())
    1
    """
    first = next(flow.parameters())
    d, classes = flow.plan.dimensions, flow.plan.classes
    generator = torch.Generator().manual_seed(seed)
    gradients = []
    for start in range(0, samples, SAMPLED):
        n = min(SAMPLED, samples - start)
        z = torch.randn(n, d, generator=generator).to(first).requires_grad_()
        u = torch.randn(n, d, generator=generator).to(first)
        labels = (torch.arange(start, start + n) % classes).to(first.device) if classes else None
        with torch.enable_grad():
            (change,) = torch.autograd.grad((flow.inverse(z, labels) * u).sum(), z)
        gradients.append(change.double())
    G = torch.cat(gradients)
    values, vectors = torch.linalg.eigh(G.T @ G)
    order = torch.argsort(values, descending=True)
    # Eigenvectors come with either sign; the largest entry is made positive, so that a seed gives one answer.
    chosen = vectors[:, order[:k]]
    signs = torch.sign(chosen.gather(0, chosen.abs().argmax(dim=0, keepdim=True)))
    return chosen * signs, values[order].clamp_min(0) / values.clamp_min(0).sum()


TOLERANCE = 1e-5  # of a record whose numbers are about one
CHUNK = 1_024


@torch.no_grad()
def round_trip(flow: ConditionalFlow, x: Tensor, labels: Tensor | None = None) -> float:
    """Return the largest |x - f^-1(f(x))| over the records `x`; infinity where it is not a number.

    Examples
    --------
    >>> from withhold.methods.cadp.flow import FlowPlan
    >>> round_trip(ConditionalFlow(FlowPlan((4,), hidden=8)), torch.ones(3, 4))
    0.0
    """
    worst = 0.0
    for start in range(0, len(x), CHUNK):
        part, of = x[start : start + CHUNK], None if labels is None else labels[start : start + CHUNK]
        gap = (flow.inverse(flow(part, of)[0], of) - part).abs().max()
        worst = max(worst, float(torch.nan_to_num(gap, nan=torch.inf)))
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
    >>> from withhold.methods.cadp.flow import FlowPlan
    >>> settle(ConditionalFlow(FlowPlan((4,), hidden=8)), torch.ones(3, 4))
    (torch.float32, 0.0)
    """
    error = round_trip(flow.float(), x.float(), labels)
    if error <= tolerance:
        return torch.float32, error
    error = round_trip(flow.double(), x.double(), labels)
    if error > tolerance:
        raise NumericalError(
            f"The flow returns records with an error of {error:g} (at most {tolerance:g} allowed). Train it longer or "
            "with a lower rate, with fewer couplings, or on rows without extreme values."
        )
    return torch.float64, error
