"""Which key draws, and what is said of it."""

import numpy as np

from withhold.methods.estimator.release import FRESH, KEPT, SEEDED, Draws, add_noise, canonical_rows, key_and_note
from withhold.privacy.keyed_noise import keyed_normal
from withhold.privacy.noise_key import NoiseKey

ROWS = np.arange(800, dtype=np.int64)[:, None].view(np.uint8)


def test_notes():
    key, fresh = NoiseKey.generate(), NoiseKey.generate()
    assert key_and_note(key, None, fresh) == (key, KEPT)
    assert key_and_note(None, None, fresh) == (fresh, FRESH)
    assert key_and_note(None, 3, fresh) == (NoiseKey.from_seed(3), SEEDED)
    assert key_and_note(NoiseKey.from_seed(3), None, fresh)[1] == SEEDED


def test_noise_by_column_and_context():
    Z, key = np.zeros((800, 3), dtype="float32"), NoiseKey.from_seed(0)
    scale = np.array([0.0, 1.0, 10.0])
    noisy = add_noise(Z, scale, Draws(key, b"a", ROWS))
    assert noisy.dtype == np.float32
    assert np.allclose(noisy.std(axis=0), [0, 1, 10], rtol=0.1)
    assert not np.array_equal(noisy, add_noise(Z, scale, Draws(key, b"b", ROWS)))


def test_draws_hang_on_key_context_record_and_label():
    key = NoiseKey.from_seed(0)
    draws = Draws(key, b"a", ROWS)
    plane = draws.normal("plane", 50)
    assert np.array_equal(plane, Draws(key, b"a", ROWS).normal("plane", 50))
    assert np.array_equal(plane[::-1], Draws(key, b"a", ROWS[::-1]).normal("plane", 50))
    for other in (draws.normal("other", 50), Draws(key, b"b", ROWS).normal("plane", 50), draws.normal("release", 50)):
        assert abs(np.corrcoef(plane.ravel(), other.ravel())[0, 1]) < 0.03


def test_release_noise_is_that_of_artifacts_made_before_there_were_labels():
    key = NoiseKey.from_seed(0)
    assert np.array_equal(Draws(key, b"a", ROWS).normal("release", 4), keyed_normal(key, b"a", ROWS, 4))


def test_uniform_draws_are_uniform_and_inside():
    u = Draws(NoiseKey.from_seed(0), b"a", ROWS).uniform("cells", 100)
    assert u.dtype == np.float32
    assert u.min() > 0
    assert u.max() < 1
    assert np.allclose(np.histogram(u, 10, (0, 1))[0] / u.size, 0.1, atol=0.005)


def test_canonical_rows_tell_records_apart_by_value():
    rows = canonical_rows(np.array([[1.0, 0.0], [1.0, -0.0], [1.0, 5e-324]]))
    assert rows.shape == (3, 16)
    assert (rows[0] == rows[1]).all()
    assert (rows[0] != rows[2]).any()


def test_copies_are_told_apart_by_their_order_and_only_they():
    key = NoiseKey.from_seed(0)
    rows = np.repeat(ROWS[:20], 50, axis=0)[np.random.default_rng(0).permutation(1_000)]
    apart = Draws(key, b"a", rows).apart().uniform("symbol", 1)[:, 0]
    assert len(np.unique(apart)) > 990  # with one draw a record there are twenty
    assert np.array_equal(apart, Draws(key, b"a", rows).apart().uniform("symbol", 1)[:, 0])
    alone = Draws(key, b"a", ROWS).apart().uniform("symbol", 1)
    assert np.array_equal(alone[::-1], Draws(key, b"a", ROWS[::-1]).apart().uniform("symbol", 1))
    assert len(Draws(key, b"a", ROWS[:0]).apart()) == 0
