from dataclasses import replace

import numpy as np
import pytest

from methods.squeeze import Squeeze
from withhold.methods.estimator.artifact import try_out


@pytest.fixture
def method():
    rng = np.random.default_rng(0)
    return Squeeze(width=3, noise=0.5, noise_seed=0).fit(
        rng.normal(size=(60, 4)), sensitive_features=rng.choice(["a", "b"], 60)
    )


def test_a_method_that_fits_together(method):
    try_out(method)


def test_releases_of_another_width(method):
    method.release_ = replace(method.release_, width=4)
    with pytest.raises(ValueError, match="shape"):
        try_out(method)


@pytest.mark.parametrize("noise", [np.inf, -1.0, np.ones(2)])
def test_a_noise_of_no_size(method, noise):
    method._noise_scale = lambda: noise
    with pytest.raises(ValueError, match="noise"):
        try_out(method)


def test_values_that_are_no_numbers(method):
    method._encode = lambda H: np.full((len(H), 3), np.nan)
    with pytest.raises(ValueError, match="no numbers"):
        try_out(method)


def test_records_too_wide_to_try_cost_nothing(method):
    method.release_ = replace(method.release_, width=10**9)
    with pytest.raises(ValueError, match="releases of 1000000000"):
        try_out(method)
