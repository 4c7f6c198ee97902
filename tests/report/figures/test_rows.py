import re

from withhold.report.figures.rows import Mark, Reference, Row, RowChart, span, ticks


def chart(*marks: Mark, top: float | None = None, references: tuple[Reference, ...] = ()) -> RowChart:
    return RowChart("Title", "Text", [Row("row", marks, "0.1")], "nat", references, top=top)


def test_the_axis_begins_at_zero_whatever_lies_below() -> None:
    drawn = chart(Mark(-0.002, low=-0.005, high=0.001)).draw()
    assert re.search(r'class="bar m-release" x1="0\.00%" x2="97', drawn)
    assert "-" not in "".join(re.findall(r">([^<]*)<", drawn))


def test_the_axis_has_its_unit_and_holds_the_references() -> None:
    assert "<b>nat</b>" in chart(Mark(0.01)).draw()
    assert span(chart(Mark(0.01), references=(Reference(0.3, "budget"),))) >= 0.3


def test_an_axis_of_nothing_but_zeros_is_drawn() -> None:
    assert span(chart(Mark(0.0))) > 0
    assert "<svg" in chart(Mark(0.0)).draw()


def test_ticks_are_round_and_end_within_the_axis() -> None:
    for high in (0.0007, 0.031, 0.37, 1.0, 2.7, 13.0):
        marks = ticks(high)
        assert marks[0] == 0
        assert marks[-1] <= high * (1 + 1e-9)
        assert 3 <= len(marks) <= 6


def test_points_stand_where_they_belong() -> None:
    drawn = chart(Mark(0.0), Mark(0.5), Mark(1.0), top=1.0).draw()
    assert re.findall(r'cx="([\d.]+)%"', drawn) == ["0.00", "50.00", "100.00"]


def test_the_original_shows_around_a_release_that_tells_as_much() -> None:
    drawn = chart(Mark(0.3, "release"), Mark(0.3, "raw")).draw()
    raw, release = re.findall(r'<circle class="m-(\w+)" cx="([\d.]+)%" cy="50%" r="([\d.]+)"', drawn)
    assert (raw[0], release[0]) == ("raw", "release")  # in the order in which they are drawn
    assert raw[1] == release[1]
    assert float(raw[2]) >= float(release[2]) + 2


def test_value_beyond_the_axis_is_an_arrow_not_a_point_at_its_end() -> None:
    assert "beyond" in chart(Mark(9.0), top=1.0).draw()
    assert "beyond" not in chart(Mark(1.0), top=1.0).draw()


def test_names_are_whole_and_text() -> None:
    name = "measurement_of_the_" + "very_" * 20 + "kind <script>"
    drawn = RowChart("T", "D", [Row(name, (Mark(0.1),), "0.1")], "nat").draw()
    assert name.replace("<script>", "&lt;script&gt;") in drawn
    assert "<script" not in drawn
