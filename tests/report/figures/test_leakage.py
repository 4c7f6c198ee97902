from report import records
from withhold.report.figures import leakage


def test_overview_shows_before_and_after_with_the_budget() -> None:
    drawn = leakage.overview(records.audit())
    assert "0.021 [0.015,\N{NO-BREAK SPACE}0.027]" in drawn
    assert "original data" in drawn
    assert "budget 0.030 nat" in drawn


def test_overview_without_raw_data_or_budget() -> None:
    drawn = leakage.overview(records.minimal())
    assert "original" not in drawn
    assert "budget" not in drawn


def test_readings_name_every_control_also_unknown_ones() -> None:
    result = records.sensitive()
    result.controls["earlier_release"] = result.controls["raw"]
    drawn = leakage.readings("sex", result, 0.03, True)
    for words in (
        "original data (ceiling)",
        "weak reading",
        "shuffled (floor)",
        "utility attribute alone",
        "earlier release",
    ):
        assert words in drawn


def test_a_single_part_is_no_reading_of_its_own() -> None:
    result = records.sensitive()
    assert "rows it never saw" in leakage.readings("sex", result, 0.03, True)
    alone = result.model_copy(update={"parts": {"audit": result.parts["audit"]}})
    assert "rows it never saw" not in leakage.readings("sex", alone, 0.03, True)


def test_raw_data_do_not_squeeze_the_rest() -> None:
    far = leakage.readings("sex", records.sensitive(raw=0.9), 0.03, True)
    near = leakage.readings("sex", records.sensitive(raw=0.05), 0.03, True)
    assert ">0.900 [" in far
    assert 'class="beyond' in far  # the axis ends long before
    assert 'class="beyond' not in near


def test_plants_are_found_or_missed_in_order_of_size() -> None:
    drawn = leakage.plants("sex", records.sensitive())
    assert drawn.count(" missed</b>") == 3
    assert drawn.count(" found</b>") == 6
    assert drawn.index(">own column, 0.010<") < drawn.index(">interaction, 0.010<") < drawn.index(">own column, 0.030<")


def test_strongest_attacker_comes_first() -> None:
    drawn = leakage.attackers("sex", records.sensitive(), None)
    assert drawn.index(">mlp<") < drawn.index(">logistic<")
