"""DP-SGD for a flow: each record's gradient clipped, Gaussian noise on their sum, and how much the promise needs."""

import math
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from withhold.contracts.errors import MissingExtraError
from withhold.methods.cadp.flow import ConditionalFlow, check_weights
from withhold.methods.cadp.training import FlowCurves, FlowRecipe, warm_cosine
from withhold.training.session import Progress

if TYPE_CHECKING:
    from lightning_fabric import Fabric
from withhold.contracts.errors import InvalidParameterError
from withhold.methods.estimator.fit_data import FitData
from withhold.privacy.composition import PrivacyLoss, dp_sgd_loss

MOST_AT_ONCE = 32  # records whose gradients are held at a time: each is as large as the flow


@dataclass(frozen=True)
class PrivateSteps:
    """What the account is about.

    Attributes
    ----------
    noise_multiplier : float
        Standard deviation of the noise over `clip`.
    sample_rate : float
        Probability of each record to be in a batch.
    clip : float
        Largest norm of a record's gradient.
    """

    noise_multiplier: float
    sample_rate: float
    clip: float = 1.0


def train_private_flow(
    flow: ConditionalFlow,
    H: Tensor,
    labels: Tensor | None,
    recipe: FlowRecipe,
    private: PrivateSteps,
    fabric: "Fabric",
    *,
    grain: Tensor | None = None,
    progress: Progress | None = None,
) -> FlowCurves:
    """Train `flow` in place on all rows of `H` by DP-SGD.

    Parameters
    ----------
    flow, H, labels, recipe, fabric, grain, progress
        As for `train_flow`; of the recipe the number of steps, the rate and the input noise are used.
    private : PrivateSteps

    Returns
    -------
    FlowCurves
        Without values: a loss of the records would be one more release.

    Raises
    ------
    MissingExtraError
        Opacus is not installed.
    """
    sampler, hooks = _wrapped(flow.to(fabric.device).train())
    optimiser = torch.optim.Adam(flow.parameters(), lr=recipe.rate, eps=1e-6)
    generator = torch.Generator(device=fabric.device)
    generator.manual_seed(int.from_bytes(os.urandom(8)) >> 1)  # a seed of the user's would let the noise be taken off
    H, labels = H.to(fabric.device), None if labels is None else labels.to(fabric.device)
    expected = private.sample_rate * len(H)
    with progress or Progress("Training the flow by DP-SGD", total=recipe.steps) as bar:
        for step in range(recipe.steps):
            rows = torch.nonzero(_uniform(len(H), generator) < private.sample_rate).flatten()
            sums = [torch.zeros_like(weight) for weight in flow.parameters()]
            for part in torch.split(rows, MOST_AT_ONCE):
                x = H[part] + recipe.noise * torch.randn(H[part].shape, generator=generator, device=H.device)
                if grain is not None:
                    x = x + (_uniform(x.shape, generator) - 0.5) * grain.to(x.device)
                _add_clipped(sampler, flow, x, None if labels is None else labels[part], private.clip, sums)
            for weight, total in zip(flow.parameters(), sums, strict=True):
                noise = torch.randn(total.shape, generator=generator, device=total.device)
                weight.grad = (total + private.noise_multiplier * private.clip * noise) / expected
            for group in optimiser.param_groups:
                group["lr"] = recipe.rate * warm_cosine(step / recipe.steps)
            optimiser.step()
            bar.advance()
    sampler.remove_hooks()
    for hook in hooks:
        hook.remove()
    for weight in flow.parameters():
        weight.grad = None
        weight.requires_grad_(False)
    check_weights(flow)
    flow.to("cpu").eval()
    return FlowCurves([], [], math.nan)


def _wrapped(flow: ConditionalFlow) -> tuple[Any, list[Any]]:
    """Return the flow as Opacus watches it, and what is to be removed afterwards."""
    try:
        from opacus.grad_sample import GradSampleModule
    except ImportError as error:
        raise MissingExtraError("DP-SGD training needs Opacus: pip install 'withhold[dp]'.") from error
    # Opacus takes the input of a convolution for rows first, whatever its strides.
    layers = [layer for layer in flow.modules() if isinstance(layer, nn.Conv2d)]
    hooks = [layer.register_forward_pre_hook(_rows_first) for layer in layers]
    return GradSampleModule(flow, loss_reduction="sum"), hooks


def _rows_first(layer: nn.Module, given: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return tuple(one.contiguous() for one in given)


def _add_clipped(
    sampler: Any, flow: ConditionalFlow, x: Tensor, labels: Tensor | None, clip: float, sums: list[Tensor]
) -> None:
    """Add the clipped gradient of each record of `x` to `sums`."""
    z, logdet = sampler(x, labels)
    ((0.5 * z.square().sum() - logdet.sum()) / flow.plan.dimensions).backward()
    samples = [weight.grad_sample for weight in flow.parameters()]  # type: ignore[attr-defined]
    norms = torch.stack([sample.flatten(1).norm(dim=1) for sample in samples]).norm(dim=0)
    # A gradient that is not finite counts as none: to leave its record out of the sum is within the clip.
    factors = torch.where(torch.isfinite(norms), (clip / norms.clamp_min(1e-12)).clamp_max(1.0), 0.0)
    for total, sample in zip(sums, samples, strict=True):
        total += torch.einsum("n,n...->...", factors, torch.nan_to_num(sample, posinf=0.0, neginf=0.0))
    sampler.zero_grad()


def _uniform(shape: Any, generator: torch.Generator) -> Tensor:
    return torch.rand(shape, generator=generator, device=generator.device)


HALVINGS = 8  # of the noise multiplier, on a scale of factors: within 2 % of the least that is enough
LEAST_NOISE, MOST_NOISE = 0.3, 64.0


def private_steps(method: Any, data: FitData, recipe: FlowRecipe) -> tuple[PrivateSteps, PrivacyLoss]:
    """Return noise and sampling rate for the promise that the parameters of CADP ask for, and what was reached.

    Parameters
    ----------
    method : CADP
        Its `flow_epsilon` and `flow_delta`.
    data : FitData
        Images of whole pixels: the coding of a table, and the scale of other numbers, are learned without privacy.
    recipe : FlowRecipe
    """
    if not data.bounded:
        got = "a table" if data.codec is not None else "numbers without bounds"
        raise InvalidParameterError(
            f"{type(method).__name__} with flow_training='dp-sgd' needs images of whole pixels or of values in [0, 1] "
            f"(got {got}). For other data, train the flow on rows that you do not release (flow_training='public')."
        )
    rate = min(1.0, recipe.batch / data.n)
    multiplier = least_noise(float(method.flow_epsilon), rate, recipe.steps, method.flow_delta)
    return PrivateSteps(multiplier, rate), dp_sgd_loss(multiplier, rate, recipe.steps, method.flow_delta)


def least_noise(epsilon: float, rate: float, steps: int, delta: float) -> float:
    """Return about the least noise multiplier with which DP-SGD keeps `epsilon`."""
    low, high = LEAST_NOISE, MOST_NOISE
    if dp_sgd_loss(high, rate, steps, delta).epsilon > epsilon:
        raise InvalidParameterError(
            f"flow_epsilon={epsilon:g} cannot be kept, even with the most noise. Take fewer rounds, more records or a "
            "larger flow_epsilon."
        )
    for _ in range(HALVINGS):
        middle = (low * high) ** 0.5
        low, high = (low, middle) if dp_sgd_loss(middle, rate, steps, delta).epsilon <= epsilon else (middle, high)
    return high
