"""The directions of the latent space that change a record most: eigenvectors of the decoder's mean J^T J.

They are found from the flow alone, at latents drawn from the prior, so no record has a part in them.
"""

import torch
from torch import Tensor

from withhold.nets.flow.conditional import ConditionalFlow

CHUNK = 512


def active_directions(flow: ConditionalFlow, k: int, samples: int, seed: int) -> tuple[Tensor, Tensor]:
    """Return the `k` most active directions of the latent space.

    For u ~ N(0, I) in the space of records, J^T u u^T J has mean J^T J, so one backward pass a sample is enough.

    Parameters
    ----------
    flow : ConditionalFlow
    k : int
    samples : int
        Latents drawn from the prior, with classes in turn.
    seed : int

    Returns
    -------
    directions : Tensor of shape (d, k)
        Orthonormal columns, the most active first.
    activity : Tensor of shape (d,)
        Eigenvalues of the estimate over their sum: the share of all change along each direction.

    Examples
    --------
    >>> from withhold.nets.flow.conditional import FlowPlan
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
    for start in range(0, samples, CHUNK):
        n = min(CHUNK, samples - start)
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
