import numpy as np
import pytest
import torch

from withhold.methods.iidm.centroids import Centroids
from withhold.methods.iidm.game import (
    InvarianceGame,
    InvarianceRecipe,
    LabelledRecords,
    cross_entropy,
    gradient_square,
)
from withhold.nets.encoders import encoder_for
from withhold.training.session import make_fabric


def records(n=200, k=3, seed=0):
    rng = np.random.default_rng(seed)
    s, y = rng.integers(k, size=n), rng.integers(2, size=n)
    H = np.c_[s + 0.2 * rng.normal(size=n), y + 0.2 * rng.normal(size=n)].astype("float32")
    rows = torch.arange(n)
    return LabelledRecords(torch.from_numpy(H), torch.from_numpy(s), torch.from_numpy(y), k, 2, rows[30:], rows[:30])


def game(deceive, centroids=None, **settings):
    torch.manual_seed(0)
    sizes = {"rounds": 20, "batch": 32, "warm_up": 10, "head": (8,), "discriminator": (8,)} | settings
    encoder = encoder_for((2,), 3, hidden=(8,), standardise=True)
    return InvarianceGame(records(), InvarianceRecipe(**sizes), make_fabric("cpu"), encoder, deceive, centroids)


def test_centroids_start_after_the_warm_up_from_all_rows_and_move():
    centroids, seen = Centroids(3), []

    def deceive(log_q, secrets, labels):
        seen.append(centroids.values.clone())
        return log_q.mean() * 0

    played = game(deceive, centroids, warm_up=300)
    played.encoder.settle(played.records.H)
    played.begin(0)
    started = centroids.values.clone()
    assert centroids.present.all()
    # The warm-up taught the discriminator something: a centroid says more of its own attribute than the others do.
    assert (started[0].diagonal() > started[0].mean(dim=0)).all()
    played.play(0)
    assert len(seen) == 20
    assert not torch.equal(seen[0], started)


def test_the_reading_is_of_held_out_rows_and_positive_where_nothing_is_hidden():
    got = game(None, rounds=300, kappa=8, discriminator_rate=1e-2).play(0)
    assert got["maximum_leakage"] == pytest.approx(records().maximum_leakage())
    assert 0.05 < got["game_leakage"] < np.log(3)
    assert got["held_out_accuracy"] > 0.9


def test_curves_are_thinned_and_leakage_is_the_entropy_less_the_cross_entropy():
    played = game(lambda log_q, a, y: log_q.mean() * 0, rounds=30)
    played.play(0)
    assert len(played.curves["task"]) == len(played.curves["leakage"]) == 30
    total = np.array(played.curves["leakage"]) + np.array(played.curves["discriminator"])
    assert np.allclose(total, played.entropy)


def test_cross_entropy_masks_the_unknown():
    logits = torch.randn(3, 2, generator=torch.Generator().manual_seed(0))
    assert torch.equal(cross_entropy(logits, torch.tensor([0, -1, -1])), cross_entropy(logits[:1], torch.tensor([0])))
    assert float(cross_entropy(logits, torch.tensor([-1, -1, -1]))) == 0.0


def test_gradient_square_of_a_known_function():
    Z = torch.tensor([[1.0, 2.0], [0.0, 3.0]], requires_grad=True)
    assert gradient_square(Z.square().sum(), Z).item() == pytest.approx(0.5 * (4 * 5 + 4 * 9) / 2)


def test_the_penalty_makes_the_discriminator_flatter():
    def slope(weight):
        played = game(lambda log_q, a, y: log_q.mean() * 0, gradient_penalty=weight, rounds=60)
        played.play(0)
        with torch.enable_grad():
            Z = played.release(played.records.learned).detach().requires_grad_(True)
            loss = cross_entropy(played.discriminator(Z), played.records.secrets[played.records.learned])
            return gradient_square(loss * len(Z), Z).item()

    assert slope(10.0) < 0.5 * slope(0.0)
