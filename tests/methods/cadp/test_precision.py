import pytest
import torch

from withhold.contracts.errors import NumericalError
from withhold.methods.cadp.directions import round_trip, settle
from withhold.methods.cadp.flow import ConditionalFlow, FlowPlan


def steep(size):
    """A flow whose couplings stretch by up to exp(1.5) a step, as `size` of their last weights grows."""
    torch.manual_seed(0)
    flow = ConditionalFlow(FlowPlan((6,), dense_blocks=8, hidden=16, volume_preserving=False)).eval()
    for name, weight in flow.named_parameters():
        if name.endswith("last.weight"):
            weight.data.normal_(0, size)
    return flow


def test_single_precision_is_kept_where_it_is_enough():
    flow, x = steep(0.01), torch.randn(50, 6)
    dtype, error = settle(flow, x)
    assert dtype is torch.float32
    assert error == round_trip(flow, x) <= 1e-5
    with torch.no_grad():
        z = torch.randn(20, 6) * 5  # noised latents lie far from the prior
        assert float((flow(flow.inverse(z, None), None)[0] - z).abs().max()) < 5e-5


def test_double_precision_where_it_is_not():
    flow, x = steep(0.8), torch.randn(50, 6)
    assert round_trip(flow, x) > 1e-5  # positive control
    dtype, error = settle(flow, x)
    assert dtype is torch.float64
    assert error == round_trip(flow, x.double()) <= 1e-5


def test_what_cannot_be_undone_is_an_error():
    flow = steep(2.0)
    with pytest.raises(NumericalError, match=r"with an error of .* \(at most 0 allowed\)\. Train it longer"):
        settle(flow, torch.randn(50, 6), tolerance=0.0)
    flow.last.mean.weight.data.fill_(torch.nan)
    with pytest.raises(NumericalError, match="error of inf"):
        settle(flow, torch.randn(50, 6))
