"""What every estimator of information obeys, for all members of the room, found by their names."""

from functools import cache

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import withhold.information.estimators as room
from withhold.contracts.errors import DataError, InvalidParameterError, InvalidTypeError
from withhold.information.estimators.conditionals import ConditionalTraining
from withhold.information.estimators.critics import CriticTraining

NAMES = sorted(room.__all__)
N = 600
TRUTH = 0.5


def build(name, **kwargs):
    """The estimator with a short training, so that all of them fit in seconds."""
    kind = getattr(room, name)
    known = kind().get_params()
    quick = (
        ConditionalTraining(steps=200, folds=2)
        if name in ("CLUB", "ClassifierBound")
        else CriticTraining(steps=100, batch=128, folds=2)
    )
    wanted = {"training": quick, "random_state": 0} | kwargs
    return kind(**{key: value for key, value in wanted.items() if key in known})


def pair(name, related=True, seed=0):
    """A pair that the estimator takes, with half a nat or none."""
    rng, kind = np.random.default_rng(seed), getattr(room, name).takes[0]
    if kind == "continuous":
        rho = np.sqrt(1 - np.exp(-2 * TRUTH)) * related
        a = rng.normal(size=N)
        return a, rho * a + np.sqrt(1 - rho**2) * rng.normal(size=N)
    s = rng.integers(2, size=N)
    if kind == "mixed":
        return related * 2.6 * s + rng.normal(size=N), s
    return np.where(rng.random(N) < 0.94, s, 1 - s) if related else rng.integers(2, size=N), s


@cache
def found_in(name):
    """What an estimator finds in its pair, once for all that only read it."""
    return build(name).fit(*pair(name)).estimate()


@pytest.mark.parametrize("name", NAMES)
def test_says_what_it_is(name):
    found = found_in(name)
    assert found.kind in ("lower_bound", "estimate")  # nothing learned is a certain upper bound
    assert found.unit == "nat"
    assert found.n == N
    assert found.level == 0.95
    assert found.low <= found.value <= found.high
    assert found.condition.endswith(".")


@pytest.mark.parametrize("name", NAMES)
def test_finds_what_is_there_and_nothing_elsewhere(name):
    """CLUB is allowed to be above: with an exact q it is e^2I - 1 = 1.72 here."""
    found = found_in(name)
    assert 0.3 < found.value < (2.6 if name == "CLUB" else 0.65)
    assert found.low > 0.1
    nothing = build(name).fit(*pair(name, related=False, seed=1)).estimate()
    assert abs(nothing.value) < 0.05
    assert nothing.low < 0.01
    assert nothing.high > -0.02


@pytest.mark.parametrize("name", NAMES)
def test_same_seed_same_value(name):
    a, b = pair(name)
    first, second = found_in(name), build(name).fit(a, b).estimate()
    assert first == second
    np.random.default_rng(0)
    other = build(name, random_state=1).fit(a, b).estimate()
    assert (other == first) == ("random_state" not in build(name).get_params())


@pytest.mark.parametrize("name", NAMES)
def test_a_column_is_a_vector(name):
    a, b = pair(name)
    assert build(name).fit(a[:, None], b[:, None]).estimate() == found_in(name)
    assert clone(build(name)).get_params().keys() == build(name).get_params().keys()


@pytest.mark.parametrize("name", NAMES)
def test_several_columns(name):
    a, b = pair(name)
    wide = np.stack([a, a[::-1]], axis=1)
    assert build(name).fit(wide, b).estimate().value > 0.25


@pytest.mark.parametrize("name", NAMES)
def test_bad_input_is_refused_in_words(name):
    a, b = pair(name)
    with pytest.raises(DataError, match="equally long"):
        build(name).fit(a[:-1], b)
    with pytest.raises(DataError, match="at least 40 rows"):
        build(name).fit(a[:10], b[:10])
    with pytest.raises(DataError, match="NaN"):
        build(name).fit(np.where(np.arange(N) == 3, np.nan, a), b)
    with pytest.raises(InvalidParameterError, match="level"):
        build(name, level=95.0).fit(a, b)
    with pytest.raises(NotFittedError):
        build(name).estimate()
    missing = {"continuous", "mixed", "discrete"} - set(getattr(room, name).takes)
    if "continuous" in missing:
        with pytest.raises(InvalidTypeError, match="must be"):
            build(name).fit(np.linspace(0, 1, N), np.linspace(0, 1, N))
    if "discrete" in missing:
        with pytest.raises(InvalidTypeError, match="must be continuous"):
            build(name).fit(np.arange(N) % 2, np.arange(N) % 3)


@pytest.mark.parametrize("name", NAMES)
def test_a_constant_tells_nothing(name):
    a, b = pair(name)
    found = build(name).fit(np.full_like(a, a[0]), b).estimate()
    assert abs(found.value) < 0.02


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="Nonsense"):
        _ = room.Nonsense
    assert set(NAMES) <= set(dir(room))
