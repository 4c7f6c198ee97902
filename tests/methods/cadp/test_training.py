import math

import numpy as np
import pytest
import torch

import withhold.methods.cadp.training as module
from withhold.contracts.errors import NumericalError
from withhold.methods.cadp.flow import ConditionalFlow, FlowPlan
from withhold.methods.cadp.training import FlowRecipe, train_flow
from withhold.training.checkpoint import Checkpoint
from withhold.training.session import make_fabric


def two_moons(n=1500, seed=0):
    """Two bent classes: no Gaussian fits them."""
    rng = np.random.default_rng(seed)
    label, angle = rng.integers(2, size=n), rng.uniform(0, np.pi, size=n)
    x = np.c_[np.cos(angle) * (1 - 2 * label) + label, np.sin(angle) * (1 - 2 * label) + 0.5 * label]
    x = x + 0.08 * rng.normal(size=x.shape)
    return torch.from_numpy(x.astype("float32")), torch.from_numpy(label)


def fitted(steps, H, labels, *, blocks=4, noise=0.02, seed=0, **settings):
    torch.manual_seed(seed)
    plan = FlowPlan((2,), classes=2, dense_blocks=blocks, hidden=32, volume_preserving=False)
    flow = ConditionalFlow(plan)
    held = torch.arange(len(H)) % 5 == 0
    recipe = FlowRecipe(steps, batch=128, rate=5e-3, noise=noise)
    return flow, train_flow(flow, H, labels, held, recipe, make_fabric("cpu"), seed, **settings)


def test_a_flow_learns_what_a_gaussian_cannot():
    H, labels = two_moons()
    flow, curves = fitted(120, H, labels)
    fresh, of = two_moons(seed=1)
    z, _ = flow(fresh, of)
    assert abs(float(z.mean())) < 0.25
    assert 0.8 < float(z.std()) < 1.2
    _, gaussian = fitted(1, H, labels, blocks=0)
    assert curves.best < gaussian.held_out[0] - 0.2
    assert curves.best == pytest.approx(min(curves.held_out))
    # The likelihood is a likelihood: on fresh rows within noise of what the held-out rows said.
    assert float(flow.nats_a_dimension(fresh, of).mean()) == pytest.approx(curves.best, abs=0.1)


def test_resumed_training_ends_where_the_uninterrupted_one_does(tmp_path, monkeypatch):
    H, labels = two_moons(300)
    whole, _ = fitted(24, H, labels)

    class StoppedError(Exception):
        pass

    class Interrupting(module.Game):
        def _play_round(self):
            if self.round == 15:
                raise StoppedError
            super()._play_round()

    path = tmp_path / "flow.checkpoint"
    with monkeypatch.context() as patch:
        patch.setattr(module, "Game", Interrupting)
        with pytest.raises(StoppedError):
            fitted(24, H, labels, checkpoint=Checkpoint(path, "moons"))
    assert path.exists()
    resumed, _ = fitted(24, H, labels, checkpoint=Checkpoint(path, "moons"))
    for name, weight in whole.state_dict().items():
        assert torch.equal(weight, resumed.state_dict()[name]), name


def test_no_global_generator_is_touched():
    H, labels = two_moons(200)
    torch.manual_seed(0)
    flow = ConditionalFlow(FlowPlan((2,), classes=2, hidden=8))
    before = torch.get_rng_state()
    train_flow(flow, H, labels, torch.arange(200) < 40, FlowRecipe(3), make_fabric("cpu"), 0)
    assert torch.equal(before, torch.get_rng_state())


def test_a_constant_column_has_a_finite_likelihood_with_noise_and_grain():
    H, labels = two_moons(400)
    H[:, 1] = 3.0
    _, curves = fitted(20, H, labels, grain=torch.full((2,), 0.1))
    assert math.isfinite(curves.best)


def test_not_a_number_stops_it():
    H, labels = two_moons(200)
    H[::2] = torch.inf
    with pytest.raises(NumericalError, match=r"player 'flow' became nan"):
        fitted(5, H, labels)
