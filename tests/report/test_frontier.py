"""The picture and the page of a frontier: the same for the same record, and names are names."""

from contracts.test_frontier_record import cell, record
from withhold.contracts.frontier_record import PossiblePoint
from withhold.report.frontier import FrontierDisplay, cells, meanings, pictures
from withhold.report.frontier_page import render_frontier

FOUND = record(cell("deepminmax", 0.02, 0.3), cell("noise", 0.05, 0.2, rival=True), cell("leace", 0, 0, failed="no"))


def test_every_release_is_drawn_and_a_failed_one_is_named() -> None:
    drawn = FrontierDisplay.from_record(FOUND).plot()
    labels = drawn.ax_.get_legend_handles_labels()[1]
    assert {"deepminmax", "noise", "budgets"} <= set(labels)
    assert "leace" not in labels
    page = render_frontier(FOUND)
    assert "leace" in page
    assert "deepminmax" in page
    assert list(cells(FOUND)["failed"]) == ["", "", "no"]


def test_the_same_record_gives_the_same_picture() -> None:
    assert pictures(FOUND) == pictures(FOUND)


def test_names_are_no_formulas_and_no_markup() -> None:
    odd = FOUND.model_copy(update={"sensitive": ["$x$ <script>"], "utility": ["a_b$"]})
    vector, _ = pictures(odd)
    assert "$x$ &lt;script&gt;" in vector
    assert "<script" not in render_frontier(odd, vector)


def test_what_is_possible_is_drawn_as_what_can_be_kept() -> None:
    possible = [PossiblePoint(leakage=k, most=0.2 + k, reached=0.1) for k in (0.0, 0.1)]
    drawn = FrontierDisplay.from_record(FOUND.model_copy(update={"possible": possible})).plot()
    most = next(line for line in drawn.ax_.get_lines() if line.get_label() == "no release keeps more")
    assert [round(y, 9) for y in most.get_ydata()] == [0.2, 0.3]


def test_a_curve_that_cannot_be_seen_is_explained() -> None:
    def seen(most: float, reached: float):
        possible = [PossiblePoint(leakage=k, most=most + k / 10, reached=reached) for k in (0.0, 0.3)]
        return FOUND.model_copy(update={"possible": possible, "measure": "nat", "utility": ["u"]})

    hidden = seen(0.655, 0.0)
    labels = FrontierDisplay.from_record(hidden).plot().ax_.get_legend_handles_labels()[1]
    assert {"no release keeps more (above the picture)", "a known release keeps this (zero)"} <= set(labels)
    above, zero = meanings(hidden)
    assert above.startswith("No release keeps more than 0.655 to 0.685 nat of 'u'. That is above the picture")
    assert zero.startswith("The dashed line is zero: these rows do not show for certain that the columns tell anything")
    page = render_frontier(hidden, pictures(hidden)[0])
    assert "The dashed line is zero" in page
    assert meanings(seen(0.1, 0.05)) == []
    assert meanings(FOUND) == []
    nothing = FOUND.model_copy(update={"possible": [PossiblePoint(leakage=0.0, most=0.0, reached=0.0)]})
    assert meanings(nothing)[0].startswith("The solid line is zero: no release that leaks so little keeps anything")
    assert meanings(seen(9.0, 8.0))[1].startswith("A known release keeps 8.000 nat of 'u' or more.")


def test_one_that_tells_all_does_not_squeeze_the_others() -> None:
    drawn = FrontierDisplay.from_record(record(*FOUND.cells, cell("the file as it is", 0.9, 0.4, rival=True))).plot()
    assert drawn.ax_.get_xlim()[1] < 0.1
    assert "the file as it is (0.900 nat, beyond the picture)" in drawn.ax_.get_legend_handles_labels()[1]
