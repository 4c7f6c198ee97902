import hashlib
import time

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

from withhold.contracts.errors import InvalidParameterError, InvalidTypeError
from withhold.privacy import keyed_noise as subject
from withhold.privacy.keyed_noise import MAX_DEVIATION, NoiseKey, keyed_normal, keyed_uniform

KEY = NoiseKey.from_seed(0)


def rows_of(n, m=16, seed=0):
    return np.random.default_rng(seed).integers(0, 256, (n, m), dtype=np.uint8)


@pytest.fixture(scope="module")
def normals():
    # neighbouring rows differ in few bits: the counter of the row is all there is in them
    rows = np.arange(40_000, dtype="<u4").view(np.uint8).reshape(-1, 4)
    return keyed_normal(KEY, b"test", rows, 8)


def by_hand(kind: bytes, context: bytes, row: bytes, d: int) -> np.ndarray:
    """The construction once more, from its description and not from the code."""
    message = b""
    for field in (b"withhold keyed noise 1", kind, KEY.reveal(), context):
        message += len(field).to_bytes(8, "little") + field
    stream = hashlib.shake_256(message + len(row).to_bytes(8, "little") + row).digest(4 * d)
    words = [int.from_bytes(stream[4 * i : 4 * i + 4], "little") for i in range(d)]
    return (np.array(words, float) + 0.5) / 2**32


def test_it_is_the_documented_construction():
    rows = rows_of(50)
    uniform = np.array([by_hand(b"uniform", b"test", row.tobytes(), 7) for row in rows])
    np.testing.assert_array_equal(keyed_uniform(KEY, b"test", rows, 7), uniform)
    normal = ndtri(np.array([by_hand(b"normal", b"test", row.tobytes(), 7) for row in rows]))
    # float32 output: half a unit in the last place of values up to 6.4 is 2.4e-7
    np.testing.assert_allclose(keyed_normal(KEY, b"test", rows, 7), normal, rtol=0, atol=3e-7)


def test_golden_values():
    # Provenance: computed for key = SHA-256("withhold noise seed 0"), context "golden", rows 00 01 02 and 03 04 05 with
    # CPython's hashlib (OpenSSL's SHAKE-256) and scipy.special.ndtri; they fix the function for all later versions.
    rows = np.arange(6, dtype=np.uint8).reshape(2, 3)
    np.testing.assert_allclose(keyed_normal(KEY, b"golden", rows, 3), GOLDEN_NORMAL, rtol=0, atol=3e-7)
    np.testing.assert_allclose(keyed_uniform(KEY, b"golden", rows, 2), GOLDEN_UNIFORM, rtol=0, atol=1e-12)


GOLDEN_NORMAL = [[1.410991, -1.120104, 1.0194654], [0.1771751, -1.2739021, 0.40245]]
GOLDEN_UNIFORM = [[0.9910083947470412, 0.6252482702257112], [0.23536044743377715, 0.41775297664571553]]


@pytest.mark.parametrize("draw", [keyed_normal, keyed_uniform])
def test_a_row_has_its_noise_wherever_it_stands(draw):
    rows = rows_of(700)
    whole = draw(KEY, b"test", rows, 5)
    order = np.random.default_rng(1).permutation(700)
    np.testing.assert_array_equal(draw(KEY, b"test", rows[order], 5), whole[order])
    for size in (1, 3, 255, 257, 699):
        parts = [draw(KEY, b"test", rows[start : start + size], 5) for start in range(0, 700, size)]
        np.testing.assert_array_equal(np.vstack(parts), whole)
    np.testing.assert_array_equal(draw(KEY, b"test", np.asfortranarray(rows), 5), whole)


def test_fewer_values_are_the_first_of_more():
    rows = rows_of(10)
    np.testing.assert_array_equal(keyed_normal(KEY, b"test", rows, 3), keyed_normal(KEY, b"test", rows, 9)[:, :3])


def test_equal_rows_have_equal_noise_and_one_bit_changes_all_of_it():
    rows = np.repeat(rows_of(1, 64), 65, axis=0)
    rows[np.arange(64), np.arange(64)] ^= 1  # the last row stays as it was
    noise = keyed_normal(KEY, b"test", np.vstack([rows, rows[-1:]]), 200)
    np.testing.assert_array_equal(noise[-1], noise[-2])
    correlation = np.corrcoef(noise[:-1])[np.triu_indices(65, 1)]
    # 2,080 correlations of 200 pairs: sd .071; the largest of that many is below 4.6 sd but once in 500
    assert np.abs(correlation).max() < 4.6 / np.sqrt(200)


def test_other_keys_contexts_widths_and_kinds_give_independent_noise():
    rows = rows_of(4000)
    reference = keyed_normal(KEY, b"test", rows, 4)
    uniform = keyed_uniform(KEY, b"test", rows, 4)
    others = {
        "key": keyed_normal(NoiseKey.from_seed(1), b"test", rows, 4),
        "context": keyed_normal(KEY, b"test2", rows, 4),
        "empty context": keyed_normal(KEY, b"", rows, 4),
        "width": keyed_normal(KEY, b"test", np.pad(rows, ((0, 0), (0, 1))), 4),
        "kind": ndtri(uniform),
    }
    for name, other in others.items():
        correlation = np.corrcoef(reference.ravel(), other.ravel())[0, 1]
        assert abs(correlation) < 4 / np.sqrt(16_000), name
    assert np.corrcoef(reference.ravel(), keyed_normal(KEY, b"test", rows, 4).ravel())[0, 1] > 0.999


def test_the_boundary_of_context_and_row_cannot_be_moved():
    a = keyed_normal(KEY, b"ab", np.array([[ord("c")]], np.uint8), 4)
    b = keyed_normal(KEY, b"a", np.array([[ord("b"), ord("c")]], np.uint8), 4)
    assert not np.any(a == b)


def test_normals_are_normal(normals):
    # the fixture is a fixed set of draws, so the thresholds are met or not for good
    assert stats.kstest(normals.ravel(), "norm").pvalue > 0.01
    assert all(stats.kstest(column, "norm").pvalue > 0.001 for column in normals.T)
    for moment, value, sd in ((1, 0, 1), (2, 1, np.sqrt(2)), (3, 0, np.sqrt(15)), (4, 3, np.sqrt(96))):
        assert abs((normals.astype(float) ** moment).mean() - value) < 4 * sd / np.sqrt(normals.size)
    expected = 2 * normals.size * stats.norm.sf(3.5)
    assert abs((np.abs(normals) > 3.5).sum() - expected) < 4 * np.sqrt(expected)


def test_normals_do_not_depend_on_each_other(normals):
    n = len(normals)
    for values in (normals, np.abs(normals), np.sign(normals)):
        between_dimensions = np.corrcoef(values.T)[np.triu_indices(8, 1)]
        assert np.abs(between_dimensions).max() < 4 / np.sqrt(n)
        for lag in (1, 2, 256):
            between_rows = [np.corrcoef(column[lag:], column[:-lag])[0, 1] for column in values.T]
            assert np.abs(between_rows).max() < 4 / np.sqrt(n)


def test_uniforms_are_uniform_and_inside_the_open_interval():
    values = keyed_uniform(KEY, b"test", rows_of(20_000), 4)
    assert stats.kstest(values.ravel(), "uniform").pvalue > 0.01
    assert values.min() > 0
    assert values.max() < 1


@pytest.mark.parametrize(("word", "expected"), [(0, -6.33796), (2**32 - 1, 6.33796), (2**31, 0), (2**31 - 1, 0)])
def test_the_tails_end_where_documented(monkeypatch, word, expected):
    monkeypatch.setattr(subject, "_words", lambda *_: iter([(0, np.array([[word]], np.uint32))]))
    value = float(keyed_normal(KEY, b"", np.zeros((1, 1), np.uint8), 1)[0, 0])
    assert value == pytest.approx(expected, abs=1e-5)
    assert abs(value) <= MAX_DEVIATION


def test_repeated_releases_cannot_be_averaged():
    rows = rows_of(500)
    releases = [keyed_normal(KEY, b"test", rows, 2) for _ in range(5)]
    assert np.mean(releases, axis=0).std() == pytest.approx(releases[0].std())
    fresh = [keyed_normal(NoiseKey.from_seed(s), b"test", rows, 2) for s in range(5)]  # positive control
    assert np.mean(fresh, axis=0).std() < 0.6


def test_no_rows_and_empty_rows():
    assert keyed_normal(KEY, b"", np.zeros((0, 3), np.uint8), 4).shape == (0, 4)
    assert keyed_normal(KEY, b"", np.zeros((2, 0), np.uint8), 4).shape == (2, 4)


@pytest.mark.parametrize("rows", [np.zeros((2, 2)), np.zeros(2, np.uint8), [[1]], np.zeros((2, 2), np.int8)])
def test_only_bytes_are_accepted(rows):
    with pytest.raises(InvalidTypeError, match="must be a 2-d array of uint8"):
        keyed_normal(KEY, b"", rows, 2)


def test_at_least_one_value_is_drawn():
    with pytest.raises(InvalidParameterError, match="d must be at least 1"):
        keyed_uniform(KEY, b"", np.zeros((1, 1), np.uint8), 0)


def test_speed():
    # promised: 100,000 rows of 1 KB a second at d = 128; a third of it is asked for, as test machines are shared
    rows = rows_of(4000, 1024)
    start = time.process_time()
    keyed_normal(KEY, b"test", rows, 128)
    assert 4000 / (time.process_time() - start) > 33_000
