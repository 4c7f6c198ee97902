"""What trials are measured by: every attribute together, with U where it is handed over, numbers too."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from withhold.data.frames import to_frame
from withhold.workflow.choosing.measure import measure
from withhold.workflow.job import job_of
from withhold.workflow.request import Request
from withhold.workflow.source import Source

pytestmark = pytest.mark.usefixtures("brief_audit")
N = 300


def measured(frame, sensitive, **options):
    request = Request(Path("data.parquet"), sensitive, effort="quick", **options)
    job = job_of(request, Source(Path("data.parquet"), to_frame(frame, "data").table, "", ".parquet"))
    return measure(job, job.table.select(list(job.roles.features)))


def frame():
    rng = np.random.default_rng(1)
    s, t = rng.integers(0, 2, (2, N))
    return pd.DataFrame({"x": s + 0.3 * rng.normal(size=N), "z": t + 0.3 * rng.normal(size=N), "s": s, "t": t})


def test_attributes_are_read_together():
    alone, both = measured(frame().drop(columns="t"), ("s",)), measured(frame(), ("s", "t"))
    assert both.leakage.low > alone.leakage.value


def test_u_that_is_handed_over_counts_and_what_is_dropped_does_not():
    given = frame().drop(columns=["x", "t"]).assign(u=lambda table: table.s)
    assert measured(given, ("s",), utility=("u",)).leakage.low > 0.4
    assert measured(given, ("s",), utility=("u",), drop_utility=True).leakage.low <= 0


def test_numbers_are_attacked_too():
    rng = np.random.default_rng(2)
    s = rng.normal(size=N)
    told = pd.DataFrame({"x": s + 0.3 * rng.normal(size=N), "s": s})
    assert measured(told, ("s",)).leakage.low > 0.2
    assert measured(told.assign(x=rng.normal(size=N)), ("s",)).leakage.low <= 0
