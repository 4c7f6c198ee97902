import math

import pytest
import torch

from withhold.information.estimators.gaussian import gaussian_information


def test_it_is_the_closed_form_of_the_correlation():
    torch.manual_seed(0)
    a = torch.randn(20_000, 1, dtype=torch.float64)
    b = 0.8 * a + 0.6 * torch.randn(20_000, 1, dtype=torch.float64)
    assert float(gaussian_information(a, b)) == pytest.approx(-0.5 * math.log(1 - 0.64), abs=0.02)
    assert float(gaussian_information(5 * a + 3, -b)) == pytest.approx(float(gaussian_information(a, b)), abs=1e-6)
    assert float(gaussian_information(a, torch.randn_like(b))) < 1e-3


def test_one_hot_columns_are_no_obstacle():
    torch.manual_seed(0)
    c = torch.randint(3, (4000,))
    code = torch.nn.functional.one_hot(c, 3).double()
    value = gaussian_information(code[:, :1] + 0.5 * torch.randn(4000, 1, dtype=torch.float64), code)
    assert 0.3 < float(value) < 0.6  # -log(1 - R^2) / 2 with R^2 = .222 / .472
    assert math.isfinite(float(gaussian_information(torch.ones(50, 2), code[:50].float())))
