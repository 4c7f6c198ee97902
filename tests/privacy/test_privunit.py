"""As many codewords are near for every record, whatever its numbers; the expected cosine is reached and not beaten."""

import numpy as np
import pytest

from withhold.contracts.errors import InvalidParameterError
from withhold.privacy.discrete_laplace import DiscreteLaplace
from withhold.privacy.privunit import PrivUnit


def normals(n: int, d: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, d))


def cosine(z: np.ndarray, released: np.ndarray) -> np.ndarray:
    return (z / np.linalg.norm(z, axis=1, keepdims=True) * released).sum(axis=1)


@pytest.mark.parametrize(("d", "epsilon"), [(8, 0.5), (16, 4), (16, 10), (100, 10)])
def test_expected_cosine(d: int, epsilon: float) -> None:
    mechanism = PrivUnit(epsilon, d, words=2048)
    z = normals(3_000, d)
    found = cosine(z, mechanism.randomise(z))
    # Six standard errors, and what a codebook of 2,048 differs from caps by.
    assert abs(found.mean() - mechanism.expected_cosine) < 6 * found.std() / np.sqrt(len(z)) + 0.02


def test_the_number_of_near_words_is_the_best() -> None:
    best = PrivUnit(4, 16, words=4096)
    for closest in (best.closest // 3, best.closest * 3):
        assert PrivUnit(4, 16, words=4096, closest=closest).expected_cosine < best.expected_cosine


def test_far_more_is_left_than_of_laplace_noise() -> None:
    z = normals(1_000, 100)
    noisy = DiscreteLaplace(10, 100).randomise(z)
    laplace = cosine(z, noisy / np.linalg.norm(noisy, axis=1, keepdims=True)).mean()
    assert cosine(z, PrivUnit(10, 100, words=1024).randomise(z)).mean() > 4 * laplace


def test_words_are_public_unit_vectors() -> None:
    book = PrivUnit(1, 5, words=500).codebook
    np.testing.assert_allclose(np.linalg.norm(book, axis=1), 1, atol=1e-6)
    np.testing.assert_array_equal(book, PrivUnit(3, 5, words=500).codebook)
    assert not np.array_equal(book, PrivUnit(1, 5, words=500, seed=1).codebook)
    assert len(np.unique(book, axis=0)) == 500
    assert np.abs(book.mean(axis=0)).max() < 6 * np.sqrt(1 / 5 / 500)


def test_odd_records_have_a_set_of_their_own() -> None:
    mechanism = PrivUnit(1, 3, words=64, closest=10)
    odd = np.array([[np.nan, 1, 1], [np.inf, 0, 0], [0, 0, 0], [-np.inf, np.nan, 0]], dtype=float)
    order = mechanism.near_first(odd)
    assert [sorted(row[:10]) for row in order] == [list(range(10))] * 4
    tiny, huge = normals(20, 3) * 1e-320, normals(20, 3) * 1e307
    for z in (tiny, huge):
        assert (np.sort(mechanism.near_first(z), axis=1) == np.arange(64)).all()


def test_only_the_direction_counts() -> None:
    mechanism = PrivUnit(1, 4, words=128, closest=9)
    z = normals(50, 4)
    for factor in (2.0**-60, 2.0**60):
        np.testing.assert_array_equal(mechanism.near_first(z), mechanism.near_first(z * factor))


def test_ties_go_to_the_lower_number() -> None:
    mechanism = PrivUnit(1, 2, words=6, closest=2)
    mechanism.__dict__["codebook"] = np.array([[0, 1], [1, 0], [0, 1], [0, 1], [1, 0], [0, 1]], np.float32)
    assert sorted(mechanism.near_first(np.array([[0.0, 3.0]]))[0, :2]) == [0, 2]
    assert sorted(mechanism.near_first(np.array([[1.0, 0.0]]))[0, :2]) == [1, 4]


@pytest.mark.parametrize("settings", [{"dimensions": 1}, {"words": 1}, {"words": 8, "closest": 8}, {"closest": 0}])
def test_what_cannot_be_used_is_refused(settings: dict) -> None:
    with pytest.raises(InvalidParameterError):
        PrivUnit(**{"epsilon": 1, "dimensions": 4} | settings)


def test_large_and_small_epsilon() -> None:
    z = normals(200, 6)
    certain = PrivUnit(60, 6, words=256, closest=1)
    np.testing.assert_array_equal(certain.choose(z), certain.near_first(z)[:, 0])
    assert abs(cosine(z, PrivUnit(0.001, 6, words=1024).randomise(z)).mean()) < 0.2
