import numpy as np
import pyarrow as pa
import pytest

from withhold.audit.people.linkage import first_and_rank, link
from withhold.contracts.images import image_column

N = 600


def numbers(X, names="abcdefgh"):
    return pa.table({names[j]: X[:, j] for j in range(X.shape[1])})


@pytest.fixture(scope="module", name="X")
def matrix():
    return np.random.default_rng(0).normal(size=(N, 8))


def test_the_data_themselves_are_found(X):
    found = link(numbers(X), numbers(X))
    assert found.found.value == 1.0
    assert found.found.low > 0.97
    assert (found.identical, found.median_rank, found.candidates) == (1.0, 1.0, 300)


def test_noise_is_found_by_chance_only(X):
    found = link(numbers(X), numbers(np.random.default_rng(1).normal(size=X.shape)))
    assert found.found.low <= found.chance == 1 / 300
    assert all(rate.value <= 0.03 for rate in found.attacks.values())
    assert 100 < found.median_rank < 200
    assert found.identical == 0.0


def test_another_space_is_found_through_pairs_of_other_records(X):
    turn = np.linalg.qr(np.random.default_rng(2).normal(size=(8, 8)))[0]
    found = link(numbers(X), numbers(X @ turn))
    assert found.attacks["linear"].value > 0.99
    assert found.attacks["direct"].value < 0.05
    apart = link(numbers(X), numbers(X @ turn, "stuvwxyz"))
    assert set(apart.attacks) == {"linear", "nonlinear"}
    assert apart.found.value > 0.99
    assert apart.identical is None


def test_a_bent_space_needs_a_bent_map():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(4_000, 3))
    Z = np.cos(2 * X) + 0.05 * rng.normal(size=X.shape)
    found = link(numbers(X), numbers(Z, "xyz"), most_candidates=300)
    assert found.attacks["nonlinear"].value > 5 * max(found.attacks["linear"].value, found.chance)
    assert found.matcher == "nonlinear"


def test_one_trusted_column_among_noise_is_found_by_weights():
    rng = np.random.default_rng(4)
    before = {f"n{j}": rng.normal(size=N) for j in range(30)}
    after = {name: rng.normal(size=N) for name in before}
    keys = pa.array([f"key {i}" for i in range(N)])
    found = link(pa.table({**before, "key": keys}), pa.table({**after, "key": keys}))
    assert found.attacks["weighted"].value == 1.0
    assert found.attacks["direct"].value < 0.5


def test_categories_numbers_and_missing_values_of_other_types(X):
    text = pa.array(np.random.default_rng(5).choice(list("pqrs"), N))
    before = numbers(X).append_column("t", text)
    blank = np.random.default_rng(6).random(N) < 0.1
    after = pa.table({"t": text.dictionary_encode(), "a": pa.array(X[:, 0].astype(np.float32), mask=blank)})
    found = link(before, after)
    assert found.found.value > 0.7
    assert found.identical < 0.05  # single precision is not the value itself


def test_known_pairs_are_of_other_subjects(X):
    # The release is the number of the subject: with pairs of the same subjects it would be found in every other row.
    person = np.repeat(np.arange(N // 4), 4)
    code = np.random.default_rng(7).normal(size=(N // 4, 8))[person]
    found = link(numbers(code), numbers(np.random.default_rng(8).normal(size=(N // 4, 8))[person]), groups=person)
    assert found.found.value < 0.05


def test_ties_count_their_chance():
    hits, ranks = first_and_rank(np.zeros((4, 4)))
    assert hits.tolist() == [0.25] * 4
    assert ranks.tolist() == [2.5] * 4
    table = pa.table({"a": [1.0, 2.0] * 100})
    assert link(table, table).found.value == pytest.approx(1 / 50)


def test_originals_released_as_they_are_find_themselves_but_for_equal_rows(X):
    noise = numbers(np.random.default_rng(9).normal(size=X.shape))
    assert link(numbers(X), noise).raw == 1.0  # whatever the release does
    assert link(numbers(X), numbers(np.cos(X), "stuvwxyz")).raw == 1.0
    twice = pa.table({"a": [1.0, 2.0] * 100})
    assert link(twice, twice).raw == pytest.approx(1 / 50)
    missing = pa.table({"a": pa.array([1.0, None] * 100), "t": ["x", "x", "y", "y"] * 50})
    found = link(missing, missing)
    assert found.raw == pytest.approx(found.found.value) == pytest.approx(4 / 100)


def test_too_little_to_link(X):
    assert link(numbers(X[:20]), numbers(X[:20])) is None
    assert link(numbers(X), numbers(X).select([])) is None


def test_images_find_their_originals_until_little_is_left_of_them():
    rng = np.random.default_rng(0)
    images = rng.integers(0, 255, (300, 12, 12)).astype(np.uint8)
    original = pa.table({"scan": image_column(images)})
    noisy = pa.table({"scan": image_column((images + rng.normal(0, 60, images.shape)).astype(np.float32))})
    assert link(original, noisy).found.value > 0.9
    noise = pa.table({"scan": image_column(rng.integers(0, 255, images.shape).astype(np.uint8))})
    found = link(original, noise).found
    assert found.low <= 1 / 150 <= found.high
