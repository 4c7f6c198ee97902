"""The timetable of a command: the time left follows what is reported, and nothing is foretold that nobody knows."""

import pytest

from withhold.contracts.timetable import Timetable, begin, expect, report, watched, watching


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def table(clock):
    made = Timetable(clock)
    made.expect([("fitting", 10.0), ("attacking", 20.0), ("planting", 10.0)])
    return made


def test_everything_to_come_is_left_at_first(table, clock):
    table.begin("fitting")
    assert table.left() == 40.0
    clock.now = 5.0
    assert table.left() == 35.0
    assert table.share() == pytest.approx(5 / 40)


def test_a_machine_that_is_slower_needs_longer(table):
    table.machine = 3.0
    table.begin("fitting")
    assert table.left() == 120.0


def test_a_late_stage_makes_the_later_ones_longer(table, clock):
    table.begin("fitting")
    clock.now = 20.0
    assert table.left() == pytest.approx(0.1 * 20 + 2 * 30)
    table.begin("attacking")
    assert table.left() == 60.0


def test_what_is_reported_of_a_stage_counts_over_what_was_foretold(table, clock):
    table.begin("fitting")
    clock.now = 10.0
    table.report(0.25)
    assert table.left() == pytest.approx(30 + 4 * 30)


def test_a_second_piece_of_a_stage_is_counted_after_the_first(clock):
    table = Timetable(clock)
    table.begin("fitting")
    clock.now = 4.0
    table.report(1.0)
    clock.now = 5.0
    table.report(0.1)  # another game begins
    clock.now = 10.0
    table.report(0.5)
    assert table.left() == pytest.approx(5.0)


def test_nothing_is_foretold_of_a_stage_that_nobody_knows(clock):
    table = Timetable(clock)
    table.expect([("fitting", None), ("attacking", 20.0)])
    table.begin("fitting")
    clock.now = 6.0
    assert table.left() is None
    table.report(0.5)
    assert table.left() == pytest.approx(6 + 20)


def test_stages_that_are_skipped_take_no_time(table):
    table.begin("planting")
    assert table.left() == 10.0


def test_a_stage_that_comes_again_is_the_next_of_its_name(clock):
    table = Timetable(clock)
    table.expect([("attacking", 4.0), ("planting", 1.0), ("attacking", 4.0), ("planting", 1.0)])
    for name, when in (("attacking", 0.0), ("planting", 4.0), ("attacking", 5.0)):
        clock.now = when
        table.begin(name)
    assert table.left() == 5.0


def test_better_figures_take_the_place_of_earlier_ones(table):
    table.begin("fitting")
    table.expect([("attacking", 1.0), ("planting", 1.0)])
    assert table.left() == 12.0
    assert [stage.name for stage in table.stages] == ["fitting", "attacking", "planting"]


def test_the_bar_never_goes_back(table, clock):
    table.begin("fitting")
    clock.now = 9.0
    before = table.share()
    table.report(0.1)
    assert table.left() > 80
    assert table.share() == before


def test_whoever_works_reports_to_who_watches(clock):
    expect([("fitting", 10.0)])  # nobody watches
    begin("fitting")
    with watched(Timetable(clock)) as table:
        expect([("fitting", 10.0)])
        begin("fitting")
        clock.now = 1.0
        report(0.05)
        assert table.left() == pytest.approx(19.0)
    assert watching() is None
