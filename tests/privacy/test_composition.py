"""Losses add exactly; DP-SGD's figure is that of another accountant; replacing costs what the theorem says."""

import builtins
import math
from fractions import Fraction

import pytest

from withhold.contracts.errors import InvalidParameterError, MissingExtraError
from withhold.privacy.composition import PrivacyLoss, dp_sgd_loss, dp_sgd_terms, together
from withhold.privacy.discrete_laplace import DiscreteLaplace
from withhold.privacy.randomised_response import RandomisedResponse


def test_ten_tenths_are_one() -> None:
    """In floats, .1 ten times is less than 1 and .1 + .2 more than .3."""
    tenth = PrivacyLoss.of(RandomisedResponse(0.1, categories=2))
    assert sum([tenth] * 10, PrivacyLoss(Fraction(0))) == tenth * 10 == PrivacyLoss(Fraction(1))
    assert (tenth * 10).within(PrivacyLoss(Fraction(1)))
    assert not (tenth * 11).within(PrivacyLoss(Fraction(1)))
    assert not PrivacyLoss(Fraction(1), Fraction(1, 9)).within(PrivacyLoss(Fraction(1), Fraction(1, 10)))


@pytest.mark.parametrize("epsilon", ["1/3", "2", "40"])
def test_replacing_one(epsilon: str) -> None:
    loss = PrivacyLoss(Fraction(epsilon), Fraction(1, 10**9)).replace_one()
    assert loss.epsilon == 2 * Fraction(epsilon)
    wanted = (1 + math.exp(Fraction(epsilon))) * 1e-9
    assert float(loss.delta) == pytest.approx(wanted, rel=1e-12)
    assert PrivacyLoss(Fraction(1)).replace_one() == PrivacyLoss(Fraction(2))


def test_replacing_one_on_a_law_where_both_are_known() -> None:
    """A count released by two-sided geometric noise: leaving one out moves it by 1, replacing by 2."""
    one = [abs(x) - abs(x - 1) for x in range(-9, 9)]
    two = [abs(x - 1) - abs(x + 1) for x in range(-9, 9)]
    assert max(map(abs, two)) == PrivacyLoss(Fraction(max(map(abs, one)))).replace_one().epsilon


def test_parts_of_a_record_together() -> None:
    terms = together([DiscreteLaplace(3, dimensions=8), RandomisedResponse("1/2", categories=10)])
    assert (terms.epsilon, terms.delta, terms.notion, terms.float_safe) == (3.5, 0.0, "pure", True)
    assert any("8 values" in line for line in terms.covers)
    assert any("10 categories" in line for line in terms.covers)


def test_a_record_that_was_trained_on_and_is_released() -> None:
    parts = [RandomisedResponse(3, categories=10)]
    model = PrivacyLoss(Fraction(1), Fraction(1, 10**6))
    terms = together(parts, trained=model)
    assert terms.epsilon == 3 + 2
    assert terms.delta == pytest.approx((1 + math.e) * 1e-6)
    assert terms.notion == "approximate"
    assert not terms.float_safe
    assert any("trained on it" in line for line in terms.covers)
    assert not any("fitted" in line for line in terms.excludes)
    assert any("fitted" in line for line in together(parts).excludes)


def gaussian_delta(epsilon: float, sigma: float) -> float:
    """Of one Gaussian release of sensitivity 1 (Balle and Wang, 2018, theorem 8)."""
    phi = lambda x: 0.5 * math.erfc(-x / math.sqrt(2))  # noqa: E731
    return phi(0.5 / sigma - epsilon * sigma) - math.exp(epsilon) * phi(-0.5 / sigma - epsilon * sigma)


def test_dp_sgd_without_sampling_is_one_gaussian_release() -> None:
    """T full batches at noise s are one release at noise s / sqrt(T), whose delta has a closed form."""
    pytest.importorskip("dp_accounting")
    loss = dp_sgd_loss(noise_multiplier=6.0, sample_rate=1.0, steps=9, delta=1e-5)
    assert loss.delta == Fraction(1, 10**5)
    assert gaussian_delta(float(loss.epsilon), 2.0) <= 1e-5
    assert gaussian_delta(float(loss.epsilon) * 0.99, 2.0) > 1e-5


def test_sampling_and_noise_help() -> None:
    pytest.importorskip("dp_accounting")
    given = {"noise_multiplier": 4.0, "sample_rate": 0.1, "steps": 20, "delta": 1e-5}
    epsilon = dp_sgd_loss(**given).epsilon
    assert dp_sgd_loss(**given | {"sample_rate": 0.01}).epsilon < epsilon
    assert dp_sgd_loss(**given | {"noise_multiplier": 8.0}).epsilon < epsilon
    assert dp_sgd_loss(**given | {"steps": 40}).epsilon > epsilon


def test_dp_sgd_says_that_it_is_not_float_safe() -> None:
    terms = dp_sgd_terms(PrivacyLoss(Fraction(1), Fraction(1, 10**6)))
    assert not terms.float_safe
    assert (terms.unit, terms.adjacency, terms.notion) == ("training set", "add or remove one record", "approximate")
    assert "not float-safe" in terms.sentence()


@pytest.mark.parametrize(
    "bad",
    [{"noise_multiplier": 0.0}, {"sample_rate": 0.0}, {"sample_rate": 1.5}, {"steps": 0}, {"delta": 0}, {"delta": 1}],
)
def test_what_cannot_be_accounted_for_is_refused(bad: dict) -> None:
    given = {"noise_multiplier": 1.0, "sample_rate": 0.1, "steps": 20, "delta": 1e-5}
    with pytest.raises(InvalidParameterError, match=next(iter(bad))):
        dp_sgd_loss(**given | bad)


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def absent(name: str, *args: object, **kwargs: object) -> object:
        if name.startswith("dp_accounting"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(MissingExtraError, match=r"withhold\[dp\]"):
        dp_sgd_loss(1.0, 0.1, 20, 1e-5)
