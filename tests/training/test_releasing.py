import math

import torch

from withhold.nets.attribute_density import AttributeLayout
from withhold.training.recipe import Recipe, Records
from withhold.training.releasing import NoisyEncoder


def records(**changes):
    H = torch.randn(40, 4, generator=torch.Generator().manual_seed(0))
    fields = {
        "H": H,
        "secrets": torch.zeros(40, 1),
        "layout": AttributeLayout((2,)),
        "marginal": torch.full((40, 1), -math.log(2)),
        "given": torch.zeros(40, 0),
        "kept": H,
        "outputs": 4,
        "folds": torch.zeros(40).numpy(),
    }
    return Records(**(fields | changes))


def recipe(**changes):
    return Recipe(**({"dimensions": 2, "encoder": (8,), "decoder": (8,), "noise": 0.5, "rounds": 1} | changes))


def squares(outputs, kept):
    return (outputs - kept).square().mean()


def test_noise_is_fresh_and_can_be_left_out():
    torch.manual_seed(0)
    rows = torch.arange(40)
    noisy, plain = NoisyEncoder(records(), recipe(), squares), NoisyEncoder(records(), recipe(noise=0.0), squares)
    assert not torch.equal(noisy.eval().release(rows), noisy.release(rows))
    assert torch.equal(plain.eval().release(rows), plain.release(rows))
    spread = (noisy.release(rows) - noisy.encoder(noisy.records.H)).detach().std()
    assert 0.3 < float(spread) < 0.7


def test_weights_say_what_counts_as_lost():
    torch.manual_seed(0)
    rows = torch.arange(40)
    side = NoisyEncoder(records(), recipe(noise=0.0), squares).eval()
    heavy = NoisyEncoder(records(), recipe(noise=0.0, retention_weight=3.0), squares).eval()
    heavy.load_state_dict(side.state_dict())
    assert torch.allclose(heavy.move(rows)[1], 3 * side.move(rows)[1])
    bare = NoisyEncoder(records(), recipe(retention_weight=0.0), squares)
    assert bare.retainer is None
    assert float(bare.move(rows)[1]) == 0.0


def test_a_utility_joins_what_is_lost():
    torch.manual_seed(0)
    known = records(utility=(torch.arange(40) % 2)[:, None].float(), utility_layout=AttributeLayout((2,)))
    side = NoisyEncoder(known, recipe(noise=0.0, retention_weight=0.0), squares).eval()
    rows = torch.arange(40)
    Z, lost = side.move(rows)
    assert torch.equal(lost, side.utility(Z, rows))
    lost.backward()
    assert any(float(p.grad.abs().sum()) > 0 for p in side.encoder.parameters())


def test_settling_gives_exact_moments():
    torch.manual_seed(0)
    side = NoisyEncoder(records(), recipe(noise=0.0), squares)
    side.settle()
    Z = side.eval().release(torch.arange(40))
    assert torch.allclose(Z.mean(dim=0), torch.zeros(2), atol=1e-5)
    assert torch.allclose(Z.var(dim=0, correction=0), torch.ones(2), atol=1e-3)
