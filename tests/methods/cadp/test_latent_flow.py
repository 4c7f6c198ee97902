import numpy as np
import pytest
import torch

from withhold.methods.cadp.cadp import CADP
from withhold.methods.cadp.latent_flow import LIMIT, LatentFlow


@pytest.fixture(scope="module")
def trained():
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(120, 3)) * [1.0, 1e3, 0.0] + [5.0, 0.0, 2.0]).astype(np.float32)
    return X, CADP(rounds=10, hidden=8, random_state=0).fit(X).flow_


def test_records_come_back_in_their_own_scale(trained):
    X, flow = trained
    codes = np.zeros(len(X), np.int64)
    z = flow.encode(X, codes)
    assert np.abs(z).max() < 20
    back = flow.decode(z, codes)
    assert np.abs(back - X)[:, 0].max() < 1e-3
    assert np.abs(back - X)[:, 1].max() < 1
    assert flow.diagnostics["round_trip"] <= 1e-5


def test_what_overflows_is_cut_and_no_row_is_lost(trained):
    _, flow = trained
    z = np.full((5, 3), 1e30)
    z[3] = np.nan
    out = flow.decode(z, np.zeros(5, np.int64))
    assert out.shape == (5, 3)
    assert np.isfinite(out).all()
    assert (np.abs(out - flow.centre) <= LIMIT * flow.spread + 1e-3).all()


def test_directions_are_orthonormal_and_all_of_the_space_needs_none(trained):
    _, flow = trained
    basis = flow.basis(2)
    assert np.allclose(basis.T @ basis, np.eye(2), atol=1e-5)
    assert np.array_equal(flow.basis(None), np.eye(3))
    assert np.array_equal(flow.basis(99), np.eye(3))


def test_state_in_either_precision(trained):
    X, flow = trained
    codes = np.zeros(len(X), np.int64)
    for module in (flow.flow, LatentFlow.restore(flow.state()).flow.double()):
        one = LatentFlow(module, flow.centre, flow.spread, flow.directions, flow.activity, {}, {})
        again = LatentFlow.restore(one.state())
        assert next(again.flow.parameters()).dtype == next(module.parameters()).dtype
        assert np.array_equal(again.encode(X, codes), one.encode(X, codes))
    assert again.encode(X, codes).dtype == np.float64


def test_training_leaves_no_checkpoint_and_no_trace_on_global_generators(tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 2)).astype(np.float32)
    before, path = torch.get_rng_state(), tmp_path / "flow.checkpoint"
    CADP(rounds=4, hidden=4, random_state=0, checkpoint=path).fit(X)
    assert not path.exists()
    assert torch.equal(before, torch.get_rng_state())
