"""The page of a frontier: the picture, a line for each setting, and what to take at each budget."""

from markupsafe import Markup

from withhold.contracts.frontier_record import FrontierPoint, FrontierRecord
from withhold.report.environment import environment
from withhold.report.formats import nat
from withhold.report.frontier import meanings

UNITS = {"nat": "nat of utility kept", "score": "accuracy or R²", "retention": "retention"}


def render_frontier(record: FrontierRecord, picture: str = "") -> str:
    """Return one offline HTML page.

    Parameters
    ----------
    picture : str
        SVG; "" where none could be drawn.

    Examples
    --------
    >>> record = FrontierRecord(
    ...     sensitive=["sex"], utility=[], n=1, entropy=0.7, measure="retention", seeds=[0], budgets=[0.1], cells=[]
    ... )
    >>> "Nothing stays within" in render_frontier(record)
    True
    """
    drawing = picture[picture.index("<svg") :] if "<svg" in picture else ""
    return (
        environment()
        .get_template("frontier.html.j2")
        .render(
            record=record,
            picture=Markup(drawing),
            meanings=meanings(record),
            unit=UNITS[record.measure],
            rows=[(point, _leak(point), _kept(point)) for point in record.points],
            best=[(budget, record.best(budget=budget)) for budget in record.budgets],
        )
    )


def _leak(point: FrontierPoint) -> str:
    low = nat(max(0.0, point.low or 0.0))
    return "" if point.leakage is None else f"{nat(point.leakage)} [{low}, {nat(point.high)}]"


def _kept(point: FrontierPoint) -> str:
    if point.kept is None:
        return ""
    same = point.kept_low == point.kept_high
    return f"{point.kept:.3f}" if same else f"{point.kept:.3f} [{nat(point.kept_low)}, {nat(point.kept_high)}]"
