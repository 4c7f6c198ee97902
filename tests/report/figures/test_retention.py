from report import records
from withhold.report.figures import columns as retention


def test_means_come_first_then_the_best_kept() -> None:
    drawn = retention.retention(records.audit()).split("</svg>")[0]
    positions = [drawn.index(f">{name}<") for name in ("mean of all columns", "age", "native-country")]
    assert positions == sorted(positions)
    assert ">64\N{NO-BREAK SPACE}% · 57\N{NO-BREAK SPACE}%<" in drawn


def test_columns_not_measured_are_not_drawn() -> None:
    drawn = retention.retention(records.crowded().audit)
    assert "never measured" not in drawn


def test_utility_goes_from_raw_to_release() -> None:
    assert "87.2\N{NO-BREAK SPACE}% → 83.4\N{NO-BREAK SPACE}%" in retention.utility(records.audit())


def test_destroyed_utility_is_visible_at_its_place() -> None:
    """R squared below zero is drawn below zero, not clipped to it."""
    assert "−0.020" in retention.utility(records.crowded().audit)
