import re

from withhold.report.figures.rows import NARROW, WIDE, Mark, Reference, Row, RowChart, span


def chart(*marks: Mark, top: float | None = None, references: tuple[Reference, ...] = ()) -> RowChart:
    return RowChart("c", "Title", "Text", [Row("row", marks, "0.1")], "nat", references, top=top)


def test_axis_starts_at_zero_unless_something_lies_below() -> None:
    low, high = span(chart(Mark(0.4, low=0.3, high=0.5)))
    assert low == 0
    assert high >= 0.5
    assert span(chart(Mark(-0.002, low=-0.005, high=0.001)))[0] < -0.005


def test_axis_holds_the_references() -> None:
    assert span(chart(Mark(0.01), references=(Reference(0.3, "budget"),)))[1] >= 0.3


def test_axis_of_nothing_but_zeros_is_drawn() -> None:
    assert span(chart(Mark(0.0)))[1] > 0
    assert "<svg" in chart(Mark(0.0)).draw()


def test_both_widths_are_drawn() -> None:
    drawn = chart(Mark(0.1)).draw()
    assert re.findall(r'viewBox="0 0 (\d+)', drawn) == [f"{WIDE:.0f}", f"{NARROW:.0f}"]
    assert re.findall(r'svg class="(\w+)"', drawn) == ["wide", "narrow"]


def test_points_stand_where_they_belong() -> None:
    """The middle of the axis is half way between its ends, in both drawings."""
    one = RowChart("c", "T", "D", [Row("r", (Mark(0.0), Mark(0.5), Mark(1.0)), "")], "nat", top=1.0).draw()
    for svg in one.split("</svg>")[:2]:
        xs = [float(x) for x in re.findall(r'<use href="#[^"]+" x="([\d.]+)"', svg)]
        assert abs(xs[1] - (xs[0] + xs[2]) / 2) < 0.01


def test_value_beyond_the_axis_is_an_arrow_not_a_point_at_its_end() -> None:
    inside, beyond = chart(Mark(1.0), top=1.0).draw(), chart(Mark(9.0), top=1.0).draw()
    assert inside != beyond


def test_reference_names_never_lie_on_one_line() -> None:
    two = (Reference(0.030, "budget 0.030"), Reference(0.0301, "detection limit 0.030", "limit", True))
    drawn = chart(Mark(0.02), references=two).draw()
    ys = re.findall(r'y="([\d.]+)">(?:budget|detection)', drawn.split("</svg>")[0])
    assert len(set(ys)) == 2


def test_long_names_that_would_look_alike_are_told_apart() -> None:
    names = ["measurement_of_the_" + "very_" * 20 + f"{kind}_kind_of_the_thing_in_the_end" for kind in ("a", "b")]
    drawn = RowChart("c", "T", "D", [Row(name, (Mark(0.1),), "0.1") for name in names], "nat").draw()
    for svg in drawn.split("</svg>")[:2]:
        labels = re.findall(r">([^<]*measurement[^<]*)</text>", svg)
        assert len(set(labels)) == 2, labels
