import math

import numpy as np
import pytest
import torch

from withhold.contracts.errors import InvalidParameterError
from withhold.information.estimators.contrast import donsker_varadhan, log_mean_exp
from withhold.information.estimators.critics import CriticTraining
from withhold.information.estimators.mine import MINE, RunningAverage


def test_running_average_has_the_bound_s_value_and_its_own_gradient():
    objective = RunningAverage(0.25)
    first = torch.randn(6, 6, dtype=torch.float64)
    objective(first)
    T = torch.randn(6, 6, dtype=torch.float64).requires_grad_()
    value = objective(T)
    assert torch.allclose(value, donsker_varadhan(T))
    expected = 0.75 * log_mean_exp(first).exp() + 0.25 * log_mean_exp(T).exp()
    assert torch.allclose(objective.log_average.exp(), expected.detach())
    (gradient,) = torch.autograd.grad(value, T)
    (plain,) = torch.autograd.grad(donsker_varadhan(T), T)
    ratio = float((log_mean_exp(T).exp() / expected).detach())
    assert math.isclose(float(gradient[0, 1] / plain[0, 1]), ratio, rel_tol=1e-9)


def test_what_papers_print_is_above_the_truth_where_the_value_is_not():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(200, 10)), rng.normal(size=(200, 10))  # independent
    method = MINE(training=CriticTraining(steps=200, batch=32), random_state=0).fit(a, b)
    assert method.batch_value_ > 0.5
    assert method.estimate().value < 0.05


def test_the_average_is_an_option():
    rng = np.random.default_rng(0)
    a = rng.normal(size=400)
    found = MINE(average=0.1, training=CriticTraining(steps=100), random_state=0).fit(a, a + rng.normal(size=400))
    assert 0.15 < found.estimate().value < 0.5
    with pytest.raises(InvalidParameterError, match="average"):
        MINE(average=0.0).fit(a, a)
