"""A run stops before its fit where no verdict can come out, and goes on when told to."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from withhold.audit.planning.outlook import foretell
from withhold.contracts.errors import NoVerdictError, OverBudgetError
from withhold.workflow.binding import original_of
from withhold.workflow.early import stop_early
from withhold.workflow.job import prepare
from withhold.workflow.request import Request
from withhold.workflow.run import run

N = 1_500


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, N)
    path = tmp_path_factory.mktemp("early") / "t.parquet"
    pd.DataFrame(
        {"x": s + rng.normal(size=N), "y": rng.normal(size=N), "u": s, "t": rng.permutation(s), "s": s}
    ).to_parquet(path)
    return path


def check(data, **options):
    told = []
    stop_early(prepare(Request(data, ("s",), effort="quick", **options)), told.append)
    return told


def test_too_few_rows_stop(data):
    with pytest.raises(NoVerdictError, match=r"1,500 rows cannot show .* anyway=True") as found:
        check(data, budget=0.002)
    assert found.value.exit_code == 4


def test_enough_rows_go_on_without_a_word(data):
    assert check(data, budget=0.3) == ["checking whether these rows can decide the budget"]


def test_u_that_is_s_stops_unless_it_stays(data):
    with pytest.raises(OverBudgetError, match=r"'u' alone tells at least 0\.6") as found:
        check(data, utility=("u",), budget=0.3)
    assert (
        str(found.value).partition("Better: withhold run ")[2].endswith("--drop-utility --effort quick --out t-release")
    )
    assert found.value.exit_code == 1
    check(data, utility=("u",), budget=0.3, drop_utility=True)


def test_what_is_better_keeps_the_folder_and_says_where_it_judges_nothing(data):
    request = Request(data, ("s",), utility=("u",), effort="quick", budget=0.3)
    with pytest.raises(OverBudgetError, match=r"Better: .*--budget 0\.3 .*--out x1 --overwrite$"):
        stop_early(prepare(request), out=Path("x1"), overwrite=True)
    small = data.parent / "small.parquet"
    pd.read_parquet(data).head(60).to_parquet(small)
    with pytest.raises(
        NoVerdictError, match=r"Better, without a budget, .* judges nothing: withhold run [^$]*"
    ) as found:
        check(small, budget=0.02, drop=("u",))
    assert "--budget" not in str(found.value).partition("judges nothing")[2]


def test_a_budget_that_restricts_nothing_stops(data):
    with pytest.raises(NoVerdictError, match="restricts nothing"):
        check(data, budget=0.7)


def test_each_column_has_its_own_budget_and_the_hardest_decides(data):
    request = Request(data, ("s", "t"), budget=("s=0.3", "t=0.002"), effort="quick", drop=("u",))
    with pytest.raises(NoVerdictError, match=r"stays within 0\.002 nat for 't'"):
        stop_early(prepare(request))


def test_without_a_budget_nothing_is_checked(data):
    assert check(data) == []


def test_a_budget_near_what_rows_decide_is_only_pointed_out(data):
    request = Request(data, ("s",), effort="quick")
    found = foretell(original_of(prepare(request)), "quick", read_raw=False)
    near = [b for b in np.geomspace(0.02, 0.3, 60).tolist() if 0.1 < found.power.chance_decided(b, found.rows) < 0.7]
    (_, words) = check(data, budget=near[0])
    assert "1,500 rows" in words


def test_run_stops_before_it_writes_and_goes_on_anyway(data, tmp_path):
    asked = {"sensitive": ["s"], "drop": ["u"], "method": "leace", "effort": "quick", "attackers": ["logistic"]}
    with pytest.raises(NoVerdictError):
        run(data, out=tmp_path / "out", budget=0.002, **asked)
    assert not (tmp_path / "out").exists()
    record = run(data, out=tmp_path / "out", budget=0.002, anyway=True, **asked)
    assert record.audit.verdict != "pass"
    assert (tmp_path / "out" / "candidate" / "audit.json").exists()
