"""Words have the bits asked for, all of them uniform, and nothing is kept between calls."""

import numpy as np
import pytest
from scipy.stats import chi2

from withhold.privacy.exact_sampling import random_bytes, random_words


@pytest.mark.parametrize("bits", [1, 3, 8, 9, 16, 31, 53, 64])
def test_every_bit_is_a_fair_coin(bits: int) -> None:
    words = random_words(20_000, bits)
    assert bits == 64 or int(words.max()) < 1 << bits
    ones = np.array([((words >> np.uint64(j)) & np.uint64(1)).sum() for j in range(bits)], dtype=float)
    assert chi2.sf(((ones - 10_000) ** 2 / 5_000).sum(), bits) > 1e-9


def test_each_call_asks_for_what_it_needs_and_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr("os.urandom", lambda size: asked.append(size) or bytes(size))
    random_bytes(5), random_words(3), random_words(3, 9)
    assert asked == [5, 24, 6]
