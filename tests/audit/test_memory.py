"""The memory that is foretold grows with rows and columns, and is bounded where it used to grow with their square."""

import subprocess
import sys
from dataclasses import replace

import pytest

from withhold.audit.duration import Sizes, estimate_seconds
from withhold.audit.effort import EFFORTS
from withhold.audit.memory import announced_bytes, free, in_words, peak_so_far, resident, shortage, working_bytes

QUICK = EFFORTS["quick"]
# Reading back 2,600 columns from as many: a full linear layer and its optimiser take 1.6 GB.
WIDE = """
import resource, sys
import numpy as np
from withhold.audit.kept.decoder import decode
rng, most = np.random.default_rng(0), lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
X, cells = rng.normal(size=(60, 2600)).astype(np.float32), rng.integers(0, 14, (60, 2600)).astype(np.int16)
before = most()
import withhold.audit.kept.decoder as decoder
decoder.LEAST_STEPS = 3
found = decode(X, cells, [14] * 2600, np.arange(45), np.arange(45, 60), 1, 0)
print(most() - before, np.isfinite(found).all())
"""


def test_more_rows_and_columns_take_more():
    plain = Sizes(20_000, 16, 16, attacks=1, original=16)
    for more in ({"rows": 200_000}, {"columns": 1_000, "codes": 1_000}, {"original": 5_000}):
        assert working_bytes(replace(plain, **more), QUICK) > 1.2 * working_bytes(plain, QUICK)
        assert estimate_seconds(replace(plain, **more), QUICK) > estimate_seconds(plain, QUICK)


@pytest.mark.parametrize(("rows", "columns"), [(300, 10_000), (2_000, 3_000), (500, 20_000), (60_000, 300)])
def test_wide_and_long_tables_fit_into_the_memory_of_a_small_machine(rows, columns):
    sizes = Sizes(rows, columns, columns, attacks=2, utility=1, original=columns)
    assert 1e8 < working_bytes(sizes, QUICK) < 4e9


def test_what_is_foretold_is_no_less_than_what_is_held():
    sizes = Sizes(100, 3, 3, attacks=1)
    assert announced_bytes(sizes, QUICK) >= max(resident(), peak_so_far())
    assert free() is None or free() > 0


def test_too_little_memory_is_said_with_a_remedy():
    assert shortage(2e9, 1e9, 3e9, QUICK) == "" == shortage(9e9, 1e9, None, QUICK)
    said = shortage(9e9, 1e9, 2e9, EFFORTS["standard"])
    assert said.startswith("This machine has 2.0 GB of memory left, and the audit needs about 8.0 GB more: ")
    assert "quick effort" in said
    assert in_words(1.0) == "50 MB"


@pytest.mark.skipif(sys.platform == "win32", reason="peaks are read from the system")
def test_reading_back_a_wide_table_takes_bounded_memory():
    done = subprocess.run([sys.executable, "-c", WIDE], capture_output=True, text=True, check=True)
    grown, finite = done.stdout.split()
    assert finite == "True"
    assert float(grown) < 700
