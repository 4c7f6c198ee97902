import dit
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from withhold.contracts.errors import InvalidParameterError, NumericalError
from withhold.information.measures.shannon import (
    conditional_entropy,
    conditional_mutual_information,
    entropy,
    mutual_information,
)

NATS = np.log(2)  # dit answers in bits


def joint(seed, shape=(3, 2, 4), zeros=0.3):
    """A random joint with some empty cells."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(int(np.prod(shape)), 0.7)).reshape(shape) * (rng.random(shape) > zeros)
    return p / p.sum()


def as_dit(p):
    outcomes = ["".join(map(str, index)) for index in np.ndindex(p.shape)]
    keep = p.ravel() > 0
    return dit.Distribution([o for o, k in zip(outcomes, keep, strict=True) if k], p.ravel()[keep])


@pytest.mark.parametrize("seed", range(6))
def test_dit_agrees(seed):
    p = joint(seed)
    oracle = as_dit(p)
    assert entropy(p) == pytest.approx(dit.shannon.entropy(oracle) * NATS, abs=1e-12)
    assert mutual_information(p, 0, 2) == pytest.approx(
        dit.shannon.mutual_information(oracle, [0], [2]) * NATS, abs=1e-12
    )
    assert mutual_information(p) == pytest.approx(dit.shannon.mutual_information(oracle, [0], [1, 2]) * NATS, abs=1e-12)
    assert conditional_entropy(p, 1, 0) == pytest.approx(
        dit.shannon.conditional_entropy(oracle, [1], [0]) * NATS, abs=1e-12
    )
    assert conditional_mutual_information(p, 2, 0, 1) == pytest.approx(
        dit.multivariate.coinformation(oracle, [[2], [0]], [1]) * NATS, abs=1e-12
    )


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_identities(seed):
    p = joint(seed)
    assert mutual_information(p) == pytest.approx(
        mutual_information(p, 0, 2) + conditional_mutual_information(p, 0, 1, 2), abs=1e-12
    )
    assert mutual_information(p, 0, 1) == pytest.approx(mutual_information(p, 1, 0), abs=1e-13)
    assert mutual_information(p, 0, 1) == pytest.approx(
        entropy(p.sum((1, 2))) - conditional_entropy(p, 0, 1), abs=1e-12
    )
    assert conditional_mutual_information(p, 0, 1) >= 0.0
    assert mutual_information(p[::-1, :, ::-1]) == pytest.approx(mutual_information(p), abs=1e-13)


def test_names_choose_axes():
    p = joint(3)
    assert mutual_information(p, "Z", "S", names=("S", "U", "Z")) == mutual_information(p, 2, 0)
    assert conditional_mutual_information(p, "S", "U", "Z", names="SUZ") == conditional_mutual_information(p)


def test_entropy_along_an_axis_and_of_all():
    rows = np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]])
    assert entropy(rows, axis=1).tolist() == pytest.approx([np.log(2), 0.0])
    assert entropy(rows / 2) == pytest.approx(1.5 * np.log(2))
    with pytest.raises(InvalidParameterError, match="along 'axis'"):
        entropy(rows, axis=0)
    with pytest.raises(NumericalError):
        entropy([np.inf, 0.0])


def test_masses_whose_product_underflows():
    """The product of the margins is below the smallest float, its logarithm is not."""
    tiny = 1e-200
    p = np.array([[tiny, 0.0], [0.0, 1.0]])
    assert mutual_information(p) == pytest.approx(tiny * np.log(1 / tiny) + tiny, rel=1e-6)


def test_independent_is_zero_to_rounding():
    p = np.outer(joint(1, (50,), 0), joint(2, (60,), 0))
    assert mutual_information(p) < 1e-14
    # Positive control: a tilt of one part in ten thousand shows.
    p[0, 0] *= 1.0001
    assert mutual_information(p / p.sum()) > 1e-14
