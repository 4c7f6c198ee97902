"""Lemma 2.2 below and Lemma 2.3 above, on a joint of three variables with the release of the proof."""

import numpy as np
import pytest

from withhold.contracts.errors import InvalidParameterError
from withhold.information.bounds.lemmas import erasure_upper_bound, linear_lower_bound
from withhold.information.measures.shannon import conditional_mutual_information, mutual_information

JOINT = np.random.default_rng(0).dirichlet(np.ones(2 * 3 * 4)).reshape(2, 3, 4)  # u, s, x
U_X, S_X = mutual_information(JOINT.sum(axis=1)), mutual_information(JOINT.sum(axis=0))


def test_erasure_reaches_what_lemma_2_3_says() -> None:
    budget = 0.4 * S_X
    kept = budget / S_X
    release = np.concatenate([np.eye(4) * kept, np.full((4, 1), 1.0 - kept)], axis=1)
    assert mutual_information(JOINT.sum(axis=0) @ release) == pytest.approx(budget)
    loss = U_X - mutual_information(JOINT.sum(axis=1) @ release)
    assert loss == pytest.approx(float(erasure_upper_bound(budget, U_X, S_X)))


def test_lemma_2_2_holds_for_random_releases() -> None:
    rng = np.random.default_rng(1)
    u_s, given = mutual_information(JOINT.sum(axis=2)), conditional_mutual_information(JOINT)
    for sharpness in (0.1, 1.0):
        release = rng.dirichlet(np.full(5, sharpness), size=4)
        leak = mutual_information(JOINT.sum(axis=0) @ release)
        loss = U_X - mutual_information(JOINT.sum(axis=1) @ release)
        assert loss >= float(linear_lower_bound(leak, u_s, u_s_given_x=given)) - 1e-9


def test_the_smaller_substitute_is_used() -> None:
    assert float(linear_lower_bound(0.0, 0.5, u_given_x=0.3, s_given_x=0.1)) == pytest.approx(0.4)
    with pytest.raises(InvalidParameterError, match="given"):
        linear_lower_bound(0.0, 0.5)


def test_nothing_to_hide_loses_nothing() -> None:
    assert erasure_upper_bound([0.0], 0.5, 0.0).tolist() == [0.0]
