import hashlib

import numpy as np
from known_worlds import blind
from known_worlds.registry import WORLDS

from exact_information import agrees, log_ratio, sample


def test_who_counts_the_bits_knows():
    drawn = sample("parity12")
    odd = sum(drawn.release.column(f"bit{j}").to_numpy() for j in range(12)) % 2
    p = np.where(odd == 1, 0.9, 0.1)
    agrees("parity12", log_ratio(np.log(np.column_stack([1 - p, p])), drawn.sensitive["s"]))


def test_eleven_bits_tell_nothing():
    drawn = sample("parity12")
    eleven = sum(drawn.release.column(f"bit{j}").to_numpy() for j in range(11)) % 2
    assert abs(np.corrcoef(eleven, drawn.sensitive["s"])[0, 1]) < 0.01


def test_who_has_the_key_knows_and_the_flag_alone_tells_nothing():
    drawn = sample("keyed_hash", n=5000)
    names, flag = drawn.release.column("name").to_pylist(), drawn.release.column("flag").to_numpy()
    pad = [hashlib.blake2b(str(i).encode(), key=blind.KEY, digest_size=1).digest()[0] % 2 for i in names]
    assert (flag ^ np.array(pad) == drawn.sensitive["s"]).all()
    assert abs(np.corrcoef(flag, drawn.sensitive["s"])[0, 1]) < 0.05
    assert WORLDS["keyed_hash"].truth == np.log(2)
