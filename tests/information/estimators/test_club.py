import numpy as np
import pytest

from withhold.information.estimators.club import CLUB
from withhold.information.estimators.conditionals import ConditionalTraining


def test_a_good_q_is_above_and_a_poor_one_below():
    """Correlation .8: .511 nat; the exact q gives rho^2 / (1 - rho^2) = 1.78, an untrained one nothing."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=1500)
    b = 0.8 * a + 0.6 * rng.normal(size=1500)
    good = CLUB(random_state=0).fit(a, b)
    assert good.estimate().value == pytest.approx(1.78, abs=0.3)
    assert good.gain_ == pytest.approx(0.511, abs=0.08)
    poor = CLUB(training=ConditionalTraining(steps=0), random_state=0).fit(a, b)
    assert poor.estimate().value < 0.4
    assert poor.gain_ < 0.1
    assert "only if" in poor.estimate().condition


def test_the_sampled_form_agrees_within_its_wider_interval():
    rng = np.random.default_rng(0)
    s = rng.integers(3, size=900)
    a = s + rng.normal(size=900)
    full, sampled = (CLUB(sampled=x, random_state=0).fit(a, s).estimate() for x in (False, True))
    assert sampled.low < full.value < sampled.high
    assert sampled.high - sampled.low > full.high - full.low


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_interval_width_is_the_spread(kind):
    """Without training the model is one linear map a seed; the spread over 60 samples matches the interval."""
    values, widths = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        a = rng.normal(size=300)
        b = (a + rng.normal(size=300) > 0).astype(int) if kind == "classes" else a + rng.normal(size=300)
        found = CLUB(training=ConditionalTraining(steps=0, hidden=()), random_state=5).fit(a, b).estimate()
        values.append(found.value)
        widths.append((found.high - found.low) / 3.94)
    assert np.mean(widths) == pytest.approx(np.std(values), rel=0.35)
