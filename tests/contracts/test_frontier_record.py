"""Points over seeds, and what is best within a budget."""

from withhold.contracts.choice_record import TrialRecord
from withhold.contracts.frontier_record import FrontierCell, FrontierRecord
from withhold.contracts.quantity import Quantity


def cell(name: str, leak: float, kept: float, seed: int = 0, rival: bool = False, failed: str = "") -> FrontierCell:
    leakage = None if failed else Quantity(value=leak, low=leak - 0.01, high=leak + 0.01, kind="lower_bound")
    information = None if failed else Quantity(value=kept, low=kept - 0.1, high=kept + 0.1, kind="lower_bound")
    trial = TrialRecord(method=name, fitted=1, n=2, leakage=leakage, failed=failed)
    return FrontierCell(name=name, rival=rival, seed=seed, trial=trial, kept=information)


def record(*cells: FrontierCell) -> FrontierRecord:
    return FrontierRecord(
        sensitive=["s"], utility=["u"], n=2, entropy=0.7, measure="nat", seeds=[0, 1], budgets=[0.05], cells=list(cells)
    )


def test_a_point_is_the_mean_with_the_outermost_ends() -> None:
    (point,) = record(cell("a", 0.02, 0.4), cell("a", 0.04, 0.6, seed=1)).points
    assert (round(point.leakage or 0, 9), point.low, point.high) == (0.03, 0.01, 0.05)
    assert (point.kept, point.kept_low, point.kept_high) == (0.5, 0.30000000000000004, 0.7)


def test_the_best_holds_the_budget_in_every_seed_and_may_be_trivial() -> None:
    held, over = cell("a", 0.02, 0.3), cell("b", 0.02, 0.5)
    assert record(held, over).best(budget=0.05).name == "b"
    assert record(held, over, cell("b", 0.045, 0.5, seed=1)).best(budget=0.05).name == "a"
    assert record(held, cell("noise", 0.01, 0.4, rival=True)).best(budget=0.05).rival
    assert record(held).best(budget=0.02) is None


def test_a_seed_that_failed_speaks_for_its_setting() -> None:
    (point,) = record(cell("a", 0.02, 0.3), cell("a", 0, 0, seed=1, failed="no convergence")).points
    assert (point.failed, point.leakage, point.high) == ("no convergence", None, None)
    assert record(cell("a", 0.02, 0.3), cell("a", 0, 0, seed=1, failed="no")).best(budget=0.5) is None
