import numpy as np
import pytest
from known_worlds.noise import NOISE

from exact_information import sample


@pytest.mark.parametrize("world", NOISE, ids=lambda w: w.name)
def test_numbers_do_not_go_with_s(world):
    drawn = sample(world.name, n=20_000)
    s = drawn.sensitive["s"]
    for name in drawn.release.column_names:
        values = drawn.release.column(name).to_numpy(zero_copy_only=False)
        if values.dtype.kind == "f" and values.std() > 0:
            assert abs(np.corrcoef(values, s)[0, 1]) < 0.035


def test_the_release_tells_u_where_there_is_one():
    drawn = sample("noise_with_utility", n=2000)
    assert np.corrcoef(drawn.release.column("z0").to_numpy(), drawn.utility)[0, 1] > 0.3


def test_identifiers_are_unique():
    drawn = sample("identifiers", n=2000)
    assert len(set(drawn.release.column("id").to_pylist())) == 2000
