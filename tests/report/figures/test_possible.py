from withhold.contracts.bounds_record import BoundsRecord
from withhold.contracts.run_record import Landing
from withhold.report.figures.curves import possible

BOUNDS = BoundsRecord(
    sensitive=["sex"],
    utility=["income"],
    mutual_information={"u_s": 0.2, "u_x": 0.5},
    entropy={"u": 0.6, "s": 0.69},
    n=1000,
    level=0.95,
    budgets=[0.0, 0.1, 0.5],
    lower_bound=[0.2, 0.1, 0.0],
    lower_bound_interval=[(0.1, 0.3), (0.0, 0.2), (0.0, 0.1)],
    certificate_gap=[0.0, 0.0, 0.0],
    linear_bound=[0.1, 0.0, 0.0],
    achievable_bound=[0.5, 0.4, 0.1],
    attacker_accuracy=[(0.5, 0.5), (0.57, 0.72), (0.86, 0.95)],
)


def test_says_in_words_what_is_drawn() -> None:
    drawn = possible(BOUNDS, 0.05, Landing(leaked=0.08, lost=0.3))
    assert "leaking 0.100 nat, a release loses at least 0.100 and need not lose more than 0.400 nat" in drawn
    assert "this release leaks 0.080 and loses 0.300 nat" in drawn
    assert "l-budget" in drawn


def test_budget_and_point_are_optional_and_zero_is_drawn() -> None:
    bare = possible(BOUNDS, None, None)
    assert "l-budget" not in bare
    assert "this release" not in bare
    flat = BOUNDS.model_copy(update={"budgets": [0.0], "lower_bound": [0.0], "achievable_bound": [0.0]})
    assert "<svg" in possible(flat, None, None)
