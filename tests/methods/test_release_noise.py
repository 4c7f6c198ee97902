"""Which key draws, and what is said of it."""

import numpy as np

from withhold.methods.release_noise import FRESH, KEPT, SEEDED, add_noise, key_and_note
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
    noisy = add_noise(Z, np.array([0.0, 1.0, 10.0]), key, b"a", ROWS)
    assert noisy.dtype == np.float32
    assert np.allclose(noisy.std(axis=0), [0, 1, 10], rtol=0.1)
    assert not np.array_equal(noisy, add_noise(Z, np.array([0.0, 1.0, 10.0]), key, b"b", ROWS))
