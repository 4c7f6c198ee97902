"""What `compare` makes of arrays: whole numbers are classes, rows must match, names must differ."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from withhold import LEACE, DeepMinMax, Noise, NoiseKey
from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.workflow.choosing.trial import Candidate
from withhold.workflow.frontier.cells import cells_for
from withhold.workflow.frontier.compare import compare
from withhold.workflow.given import with_columns
from withhold.workflow.job import job_of
from withhold.workflow.request import Request
from withhold.workflow.source import Source

pytestmark = pytest.mark.usefixtures("one_reader", "brief_audit")
N = 60
TABLE = pa.table({"x": np.random.default_rng(0).normal(size=N), "u": ["a", "b"] * (N // 2)})


def test_whole_numbers_are_classes_and_names_are_columns() -> None:
    table, names = with_columns(TABLE, np.arange(N) % 3, "sensitive_features")
    assert names == ("sensitive_features",)
    assert not pa.types.is_floating(table.schema.field("sensitive_features").type)
    assert with_columns(TABLE, "u", "y") == (TABLE, ("u",))
    assert with_columns(TABLE, None, "y") == (TABLE, ())
    assert with_columns(TABLE, np.arange(N), "groups")[1] == ("groups",)


def test_other_rows_and_names_that_are_taken_are_refused() -> None:
    with pytest.raises(DataError, match="58 rows"):
        with_columns(TABLE, np.arange(N - 2) % 3, "y")
    with pytest.raises(InvalidParameterError, match="no column 'w'"):
        with_columns(TABLE, "w", "y")
    with pytest.raises(InvalidParameterError, match="so does X"):
        with_columns(TABLE, pa.table({"u": np.arange(N) % 3}), "y")


def test_cells_are_methods_at_budgets_weights_or_once_and_what_is_trivial() -> None:
    source = Source(Path("t.parquet"), TABLE, "", ".parquet")
    job = job_of(Request(source.path, ("u",), method="identity"), source)
    methods = [Candidate("deepminmax"), Candidate("DeepMinMax"), Candidate("mi-backprop"), Candidate("leace")]
    cells = cells_for(methods, [0.01, 0.1], [0, 1], job)
    own = [" ".join((cell.name, *cell.settings)) for cell in cells if not cell.rival and cell.seed == 1]
    assert own == [
        "deepminmax budget=0.01", "deepminmax budget=0.1", "mi-backprop lam=10", "mi-backprop lam=3",
        "mi-backprop lam=1", "leace",
    ]  # fmt: skip
    trivial = [cell.name for cell in cells if cell.rival and cell.seed == 0]
    assert trivial == ["without the hidden columns", "noise", "noise", "noise"]
    assert len({cell.file for cell in cells}) == len(cells)


def test_settings_of_a_method_go_with_every_budget_unless_they_say_their_own() -> None:
    source = Source(Path("t.parquet"), TABLE, "", ".parquet")
    job = job_of(Request(source.path, ("u",), method="identity"), source)
    methods = [
        Candidate("deepminmax", ("rounds=3",)),
        Candidate("deepminmax", ("budget=0.5",)),
        Candidate("mi-backprop", ("lam=7",)),
    ]
    own = [cell for cell in cells_for(methods, [0.01, 0.1], [0], job) if not cell.rival]
    assert [cell.settings for cell in own] == [
        ("rounds=3", "budget=0.01"), ("rounds=3", "budget=0.1"), ("budget=0.5",), ("lam=7",)
    ]  # fmt: skip
    assert [cell.budget for cell in own] == [0.01, 0.1, 0.5, None]


def test_estimators_are_compared_with_the_parameters_they_have() -> None:
    g = np.random.default_rng(0)
    s = g.integers(0, 2, 240)
    X = np.column_stack([s + g.normal(size=240), g.normal(size=240)])
    found = compare([LEACE(), Noise(scale=0.5), Noise(scale=2.0)], X, sensitive_features=s, budgets=[0.3])
    own = [(cell.name, cell.trial.settings) for cell in found.cells if not cell.rival]
    assert own == [("leace", []), ("noise", ["scale=0.5"]), ("noise", ["scale=2.0"])]


@pytest.mark.parametrize(
    ("method", "words"),
    [
        (DeepMinMax(random_state=3), "'random_state' of DeepMinMax cannot be set here"),
        (LEACE(noise_key=NoiseKey.generate()), "'noise_key' of LEACE cannot be set here"),
        (object(), "names, classes and estimators"),
        (DeepMinMax(rounds=0), "rounds must be"),
    ],
)
def test_what_cannot_be_compared_is_refused(method: object, words: str) -> None:
    with pytest.raises(InvalidParameterError, match=words):
        compare([method], TABLE, sensitive_features="u")
