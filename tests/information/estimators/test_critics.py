import numpy as np
import pytest
import torch

from withhold.contracts.errors import InvalidParameterError
from withhold.information.estimators.contrast import donsker_varadhan
from withhold.information.estimators.critics import CriticTraining, held_out_scores
from withhold.information.estimators.inputs import read_pair

QUICK = CriticTraining(steps=50, hidden=(8,))


def noise(n=120):
    rng = np.random.default_rng(0)
    return read_pair(rng.normal(size=(n, 30)), rng.normal(size=(n, 30)))


def test_training_shows_what_held_out_rows_do_not():
    """30 columns and 120 rows of noise: the critic memorises, and only unseen rows tell."""
    folds = list(held_out_scores(noise(), donsker_varadhan, CriticTraining(steps=150), 0))
    held = np.mean([float(donsker_varadhan(torch.from_numpy(f.blocks[0]))) for f in folds])
    assert np.mean([f.batch_value for f in folds]) > 1.0
    assert held < 0.1


def test_every_row_is_scored_once():
    folds = list(held_out_scores(noise(), donsker_varadhan, QUICK, 0))
    assert sum(len(block) for f in folds for block in f.blocks) == 120
    assert len(folds) == 3


def test_the_surrounding_randomness_is_left_alone():
    before = torch.get_rng_state()
    list(held_out_scores(noise(), donsker_varadhan, QUICK, 0))
    assert bool((torch.get_rng_state() == before).all())


@pytest.mark.parametrize(
    "bad", [{"steps": 0}, {"batch": 1}, {"folds": 1}, {"critic": "x"}, {"hidden": ()}, {"rate": 0.0}, {"aside": 1.0}]
)
def test_bad_settings(bad):
    with pytest.raises(InvalidParameterError, match=next(iter(bad))):
        list(held_out_scores(noise(), donsker_varadhan, CriticTraining(**bad), 0))


def test_joint_critic_trains():
    settings = CriticTraining(critic="joint", steps=200, batch=64, hidden=(16,))
    rng = np.random.default_rng(1)
    a = rng.normal(size=300)
    folds = list(held_out_scores(read_pair(a, a + 0.1 * rng.normal(size=300)), donsker_varadhan, settings, 0))
    assert np.mean([float(donsker_varadhan(torch.from_numpy(f.blocks[0]))) for f in folds]) > 0.3
