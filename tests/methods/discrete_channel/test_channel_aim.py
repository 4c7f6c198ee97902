"""The aim of a search: lowered where counts are few, and right on new rows."""

import numpy as np

from withhold.methods.discrete_channel.channel_aim import AIMS, channel_aim, merge_rare
from withhold.methods.discrete_channel.channels import optimise_channel, release

SHAPE = (40, 2, 2)
SEARCH = {"symbols": 8, "steps": 400, "seed": 0}


def population():
    """Forty cells whose posteriors of U and S are known."""
    rng = np.random.default_rng(5)
    u, s = rng.uniform(0.05, 0.95, size=(2, 40))
    given = np.stack([1 - u, u], axis=1)[:, :, None] * np.stack([1 - s, s], axis=1)[:, None, :]
    return given / 40


def drawn(n, seed):
    p = population()
    return np.random.default_rng(seed).choice(p.size, size=n, p=p.ravel())


def test_few_rows_lower_the_aim_and_new_rows_keep_the_budget():
    truth, budget, aims, plain, careful = population(), 0.01, [], [], []
    for seed in range(4):
        triples = drawn(1_500, seed)
        joint = np.bincount(triples, minlength=truth.size).reshape(SHAPE) / len(triples)
        aim = channel_aim(triples, SHAPE, budget, None, SEARCH, np.random.default_rng(seed))
        aims.append(aim.budget)
        plain.append(release(optimise_channel(joint, budget, restarts=2, **SEARCH).channel, truth).leakage)
        careful.append(release(optimise_channel(joint, aim.budget, restarts=2, **SEARCH).channel, truth).leakage)
    assert min(aims) < budget
    assert np.mean(plain) > 1.15 * budget  # what the search exploits where nothing holds it back
    assert np.mean(careful) < 1.05 * budget


def test_many_rows_leave_it_alone():
    aim = channel_aim(drawn(200_000, 0), SHAPE, 0.02, None, SEARCH, np.random.default_rng(0))
    assert aim.budget >= 0.7 * 0.02
    assert aim.held_out is not None
    assert abs(aim.held_out - aim.budget) < 0.002


def test_where_halves_say_nothing():
    assert channel_aim(drawn(50, 0), SHAPE, 0.02, None, SEARCH, np.random.default_rng(0)).held_out is None
    one = channel_aim(drawn(500, 0), SHAPE, 0.02, np.zeros(500), SEARCH, np.random.default_rng(0))
    assert one.held_out is None  # one subject cannot be halved
    # Silence on counts is none on new rows, and that is said.
    none = channel_aim(drawn(1_000, 0), SHAPE, 0.0, None, SEARCH, np.random.default_rng(0))
    assert none.budget == 0.0
    assert none.held_out is not None
    assert none.held_out > 0.001
    least = channel_aim(drawn(300, 0), SHAPE, 1e-4, None, SEARCH, np.random.default_rng(0))
    assert least.budget >= AIMS[-1] * 1e-4


def test_rare_symbols_are_merged_where_least_is_lost():
    joint = population()
    channel = np.zeros((3, 40))
    channel[0, :20], channel[1, 20:] = 1.0, 0.99
    channel[2, 20:] = 0.01
    merged = merge_rare(channel, np.full(40, 10), joint)  # two records are expected to get the third symbol
    assert merged.shape == (2, 40)
    assert np.allclose(merged.sum(axis=0), 1.0)
    assert np.allclose(merged[1, 20:], 1.0)
    assert len(merge_rare(channel, np.full(40, 1_000), joint)) == 3
    assert len(merge_rare(channel, np.zeros(40), joint)) == 1
