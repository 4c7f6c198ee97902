import numpy as np
import pyarrow as pa
import pytest
from scipy.integrate import quad
from scipy.sparse import csr_matrix
from scipy.stats import norm

from withhold.audit.leakage.canaries.codes import class_codes, code_information, row_codes, shift_for
from withhold.audit.leakage.canaries.form import PlantedInputs, Scene, released
from withhold.audit.leakage.canaries.registry import all_forms
from withhold.audit.view.copies import copy_columns, distances_of
from withhold.audit.view.image_values import statistics_of
from withhold.audit.view.view import AttackView
from withhold.contracts.errors import InvalidParameterError


def test_information_by_independent_quadrature():
    codes, shares = np.array([-1.0, 0.5, 2.0]), np.array([0.3, 0.5, 0.2])

    def integrand(x, a=0.7):
        parts = shares * norm.pdf(x - a * codes)
        total = parts.sum()
        return sum(p * np.log(p / (w * total)) for p, w in zip(parts, shares, strict=True) if p > 0)

    slow = quad(integrand, -12, 12, limit=200)[0]
    assert code_information(0.7, codes, shares) == pytest.approx(slow, abs=1e-7)


def test_continuous_code_has_the_gaussian_information():
    values = np.random.default_rng(0).normal(size=5000)
    _, atoms, shares = row_codes(values, categorical=False)
    assert code_information(0.5, atoms, shares) == pytest.approx(0.5 * np.log(1 + 0.25), rel=0.02)


@pytest.mark.parametrize("size", [0.001, 0.05, 0.5])
def test_shift_gives_the_size(size):
    shares = np.array([0.2, 0.3, 0.5])
    codes = class_codes(shares)
    assert code_information(shift_for(size, codes, shares), codes, shares) == pytest.approx(size, rel=1e-6)


def test_more_than_the_entropy_is_refused():
    with pytest.raises(InvalidParameterError, match="more than the attribute holds"):
        shift_for(0.8, np.array([-1.0, 1.0]), np.array([0.5, 0.5]))


def scene(n=40_000, shares=(0.5, 0.5), groups=None, dated=False, **more):
    """A release that tells nothing about S."""
    rng = np.random.default_rng(0)
    units = np.arange(n) if groups is None else groups
    s = rng.choice(len(shares), int(units.max()) + 1, p=shares)[units]
    codes, atoms, shares = row_codes(s.astype(float), categorical=True)
    X = more.pop("X", rng.normal(size=(n, 4)).astype(np.float32))
    inputs = PlantedInputs(X, X, X, distances=distances_of(list(X.T)), **more)
    return Scene(inputs, codes, atoms, shares, True, n, groups, len(np.unique(units)), dated)


def planted(name, size, one):
    return all_forms()[name].plant(one, size, np.random.default_rng(1))


def gaussian_information(column, codes):
    """Plug-in I(code; column) of two unit-variance classes from their distance in means."""
    d = column[codes > 0].mean() - column[codes < 0].mean()

    def integrand(x):
        a, b = norm.pdf(x - d / 2), norm.pdf(x + d / 2)
        return 0.5 * (a * np.log(2 * a / (a + b)) + b * np.log(2 * b / (a + b)))

    return quad(integrand, -8, 8)[0]


def flag_information(flag, codes):
    """Plug-in I(code; flag)."""
    joint = np.array([[np.mean((codes == c) & (flag == f)) for f in (False, True)] for c in np.unique(codes)])
    expected = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    return (joint * np.log(np.maximum(joint, 1e-300) / expected)).sum()


def test_column_plant_is_one_more_column():
    one = scene()
    got = planted("column", 0.1, one)
    assert got.dense.shape == (40_000, 5)
    assert gaussian_information(got.dense[:, -1], one.codes) == pytest.approx(0.1, abs=0.01)


def test_dense_plant_adds_no_column_and_spreads():
    one = scene()
    got = planted("dense", 0.1, one)
    assert got.dense.shape == (40_000, 4)
    moved = got.dense[one.codes > 0].mean(axis=0) - got.dense[one.codes < 0].mean(axis=0)
    along = got.dense @ (moved / np.linalg.norm(moved))
    assert gaussian_information(along, one.codes) == pytest.approx(0.1, abs=0.01)
    assert np.abs(moved).max() < 0.999 * np.linalg.norm(moved)


def test_interaction_plant_is_nothing_alone_and_all_together():
    one = scene()
    got = planted("interaction", 0.1, one)
    new = got.dense[:, -1]
    assert gaussian_information(new, one.codes) < 0.001
    signs = [np.where(got.dense[:, j] > np.median(got.dense[:, j]), 1, -1) for j in range(4)]
    assert max(gaussian_information(new * sign, one.codes) for sign in signs) == pytest.approx(0.1, abs=0.01)


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.1, 0.9), (0.2, 0.3, 0.5)])
def test_a_word_holds_what_it_is_said_to_hold(shares):
    one = scene(200_000, shares, words=csr_matrix((200_000, 2), dtype=np.float32))
    there = planted("word", 0.1, one).words.toarray()[:, 2] > 0
    assert flag_information(there, one.codes) == pytest.approx(0.1, abs=0.004)


@pytest.mark.parametrize("natural", [0.0, 0.3])
def test_copies_hold_what_they_are_said_to_hold_beside_those_there_are(natural):
    n = 20_000
    X = np.random.default_rng(2).normal(size=(n, 3)).astype(np.float32)
    X[: int(natural * n)] = np.repeat(X[: int(natural * n / 2)], 2, axis=0) if natural else X[:0]
    one = scene(n, X=X)
    assert one.natural_twins == pytest.approx(natural)
    got = planted("twin", 0.05, one)
    _, of, counts = np.unique(got.dense, axis=0, return_inverse=True, return_counts=True)
    assert flag_information(counts[of.ravel()] > 1, one.codes) == pytest.approx(0.05, abs=0.005)
    # The attacker is given what the view would calculate of the release with its copies.
    told = dict(copy_columns(list(got.dense.T)))["distance to row 1"]
    assert max(np.corrcoef(told, column)[0, 1] for column in got.relations.T) > 0.9


def test_rows_that_are_the_same_are_twins_wherever_they_stand():
    values = np.random.default_rng(2).normal(size=200)
    view = AttackView.fit(pa.table({"a": np.repeat(values, 2), "b": np.repeat(-values, 2)}))
    codes, atoms, shares = row_codes(np.tile([0.0, 1.0], 200), categorical=True)
    assert Scene(released(view), codes, atoms, shares).natural_twins == 1.0


def test_the_period_of_a_time_tells_within_its_turn_and_nowhere_else():
    one = scene(dated=True)
    time = planted("period", 0.1, one).dense[:, -1].astype(float)
    days = (time * 365 / 12**0.5) + 365 / 2
    place = np.clip(days % 1.0, 1e-6, 1 - 1e-6)
    assert gaussian_information(norm.ppf(place), one.codes) == pytest.approx(0.1, abs=0.015)
    assert flag_information(days > 365 / 2, one.codes) < 0.001


@pytest.mark.parametrize("alone", [0, 10_000])
def test_the_spread_of_subjects_holds_what_it_is_said_to_hold_on_average(alone):
    groups = np.r_[np.repeat(np.arange(10_000), 4), 10_000 + np.arange(alone)]
    one = scene(len(groups), groups=groups)
    column = planted("spread", 0.1, one).dense[:40_000, 0].reshape(-1, 4)
    told = gaussian_information(4 * np.log(column.std(axis=1)), one.codes[:40_000:4])
    assert told * 10_000 / (10_000 + alone) == pytest.approx(0.1, abs=0.015)
    assert gaussian_information(np.sign(column[:, 0]), one.codes[:40_000:4]) < 0.001


@pytest.mark.parametrize("kind", [np.uint8, np.float32])
def test_saturation_holds_what_it_is_said_to_hold(kind):
    images = np.random.default_rng(3).normal(120, 20, size=(8_000, 1, 12, 12)).clip(0, 255).astype(kind)
    one = scene(8_000, images=images)
    got = planted("pixels", 0.1, one)
    flat = got.images.reshape(8_000, -1)
    cut = (flat == flat.max(axis=1, keepdims=True)).sum(axis=1) >= 3
    assert flag_information(cut, one.codes) == pytest.approx(0.1, abs=0.02)
    assert got.relations.shape == (8_000, len(list(statistics_of(got.images))))
    assert np.array_equal(images, one.inputs.images)


@pytest.mark.parametrize("name", [name for name, form in all_forms().items() if not form.general])
def test_forms_of_some_releases_are_absent_elsewhere(name):
    X = np.zeros((50, 1), np.float32)
    assert not all_forms()[name].present(scene(50, X=X))
