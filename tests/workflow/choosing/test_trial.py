"""Trials of methods: what leaks is found, what is kept is kept, what fails is a record, and no other row matters."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from withhold.data.frames import to_frame
from withhold.workflow.choosing.trial import Candidate, attempt, fit_candidate, part_of
from withhold.workflow.job import Job, job_of
from withhold.workflow.request import Request
from withhold.workflow.source import Source

pytestmark = pytest.mark.usefixtures("one_reader", "brief_audit")
N = 900
FIT = np.arange(600) < 400


def table(seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    s, u = rng.integers(0, 2, (2, N))
    return pd.DataFrame(
        {
            "tells": s + 0.7 * rng.normal(size=N),
            "useful": u + 0.3 * rng.normal(size=N),
            "job": pd.Categorical(rng.choice(["a", "b", "c"], N)),
            "u": np.where(u, "yes", "no"),
            "s": np.where(s, "f", "m"),
        }
    )


def job_about(frame: pd.DataFrame, **options) -> Job:
    request = Request(Path("data.parquet"), ("s",), ("u",), drop_utility=True, effort="quick", **options)
    return job_of(request, Source(Path("data.parquet"), to_frame(frame, "data").table, "", ".parquet"))


@pytest.fixture(scope="module")
def part() -> Job:
    return part_of(job_about(table()), np.arange(600), FIT)


def test_a_release_that_changes_nothing_leaks_and_keeps_everything(part):
    found = attempt(part, Candidate("identity")).record
    assert found.failed == ""
    assert found.leakage.low > 0.05
    assert found.utility["u"] > 0.9
    assert found.retention > 0.9
    assert (found.fitted, found.n) == (400, 600)
    assert found.seconds >= found.fit_seconds > 0


def test_noise_that_drowns_everything_leaks_nothing_and_keeps_nothing(part):
    found = attempt(part, Candidate("noise", ("scale=100",))).record
    assert found.leakage.low <= 0
    assert found.utility["u"] < 0.65
    assert found.settings == ["scale=100"]


def test_a_method_that_cannot_be_fitted_is_a_failed_trial():
    without_u = replace(job_about(table()), request=Request(Path("data.parquet"), ("s",), effort="quick"))
    said = []
    found = attempt(part_of(without_u, np.arange(600), FIT), Candidate("discrete-channel"), said.append)
    assert found.fitted is None
    assert found.record.leakage is None
    assert found.record.failed
    assert said[-1] == f"discrete-channel failed: {found.record.failed}"


def test_a_trial_says_the_same_twice_whatever_the_other_rows_hold(part):
    first = attempt(part, Candidate("noise"))
    poisoned = table()
    others = np.arange(N) >= 600
    poisoned["job"] = poisoned["job"].astype(str)
    poisoned.loc[others, ["tells", "useful"]] = 1e6
    poisoned.loc[others, ["job", "s", "u"]] = "poison"
    poisoned["job"] = pd.Categorical(poisoned["job"])
    again = attempt(part_of(job_about(poisoned), np.arange(600), FIT), Candidate("noise"))
    timeless = {"seconds", "fit_seconds"}
    assert again.record.model_dump(exclude=timeless) == first.record.model_dump(exclude=timeless)
    assert again.fitted.sanitizer.digest_ == first.fitted.sanitizer.digest_
    assert again.fitted.features.to_pylist() == first.fitted.features.to_pylist()


def test_what_is_tried_is_not_for_sharing(part):
    assert "not for sharing" in fit_candidate(part, Candidate("noise")).sanitizer.noise_note_


def test_a_part_has_the_levels_of_its_own_rows(part):
    few = part_of(part, np.flatnonzero(np.array(part.table["job"].to_pylist()) != "c")[:100], np.arange(100) < 50)
    assert isinstance(few.table, pa.Table)
    assert sorted(few.table["job"].combine_chunks().dictionary.to_pylist()) == ["a", "b"]
