"""What attackers learn about a hidden attribute: before and after, reading by reading, attacker by attacker."""

from markupsafe import Markup

from withhold.contracts.audit_record import AuditRecord, PlantForm, SensitiveResult
from withhold.contracts.quantity import Quantity
from withhold.report.figures.rows import Mark, Reference, Row, RowChart, Style
from withhold.report.formats import nat, plural, quantity

CONTROLS = {
    "utility_only": "utility attribute alone",
    "utility_prediction": "hard utility prediction",
    "shuffled": "shuffled (floor)",
}
# Attackers of many surfaces would fill pages; the table has them all.
MOST_DRAWN = 16
PARTS = {"fit": "rows the sanitiser saw", "audit": "rows it never saw"}
FORMS: dict[PlantForm, str] = {
    "column": "own column",
    "dense": "spread over columns",
    "interaction": "interaction",
    "word": "word",
}


def overview(audit: AuditRecord) -> Markup:
    """Draw one row per hidden attribute: raw data, release, detection limit."""
    rows = []
    for name, result in audit.sensitive.items():
        raw = result.controls.get("raw")
        marks = [_mark(result.leakage_total, "release")]
        text = nat(result.leakage_total.value)
        if raw is not None:
            marks.insert(0, _mark(raw.leakage, "raw"))
            text = f"{nat(raw.leakage.value)} → {text}"
        if result.detection_limit is not None:
            marks.append(Mark(result.detection_limit, "limit"))
        rows.append(Row(name, tuple(marks), f"{text} nat", bold=len(audit.sensitive) == 1))
    return RowChart(
        "overview",
        "Leakage before and after, for each hidden attribute",
        "; ".join(f"{row.label}: {row.text}" for row in rows) + _budget_words(audit.budget),
        rows,
        "nat",
        _budget(audit.budget),
    ).draw()


def readings(name: str, result: SensitiveResult, key: str, budget: float | None, utility_in_release: bool) -> Markup:
    """Draw every reading of the release and every control of one attribute on one axis."""
    rows: list[Row] = []

    def add(label: str, item: Quantity | None, style: Style, bold: bool = False) -> None:
        if item is not None:
            rows.append(Row(label, (_mark(item, style),), quantity(item), bold=bold))

    raw = result.controls.get("raw")
    add("raw data (ceiling)", raw.leakage if raw else None, "raw")
    add("all that is shared", result.leakage_total, "release", bold=True)
    if utility_in_release and result.leakage != result.leakage_total:
        add("without utility column", result.leakage, "minor")
    add("beyond utility column", result.leakage_given_utility, "minor")
    add("weak reading", result.leakage_weak, "minor")
    # One part alone is all that is shared, and who saw it may not be known.
    for part, item in result.parts.items() if len(result.parts) > 1 else ():
        add(PARTS.get(part, part), item, "minor")
    for control, label in CONTROLS.items():
        if control in result.controls:
            add(label, result.controls[control].leakage, "control")
    for control, other in result.controls.items():
        if control not in CONTROLS and control != "raw":
            add(control.replace("_", " "), other.leakage, "control")
    references = _budget(budget) + _limit(result)
    return RowChart(
        f"readings-{key}",
        f"Leakage about {name} under every reading and control",
        "; ".join(f"{row.label}: {row.text} nat" for row in rows) + _budget_words(budget),
        rows,
        "nat",
        references,
        top=_top(rows, references),
    ).draw()


def attackers(name: str, result: SensitiveResult, key: str, budget: float | None) -> Markup:
    """Draw each attacker's leakage on an axis of its own, where small values can be told apart."""
    best = result.leakage_total.attacker
    rows = [
        Row(attacker, (_mark(item.leakage, "release" if attacker == best else "minor"),), quantity(item.leakage))
        for attacker, item in sorted(result.attackers.items(), key=lambda pair: -pair[1].leakage.value)[:MOST_DRAWN]
    ]
    return RowChart(
        f"attackers-{key}",
        f"Leakage about {name} found by {plural(len(rows), 'attacker')}",
        "; ".join(f"{row.label}: {row.text} nat" for row in rows) + _budget_words(budget),
        rows,
        "nat",
        _budget(budget) + _limit(result),
    ).draw()


def plants(name: str, result: SensitiveResult, key: str) -> Markup:
    """Draw what was planted and what the panel found of it."""
    rows = [
        Row(
            f"{FORMS[plant.form]}, {nat(plant.size)}",
            (Mark(plant.size, "planted"), _mark(plant.found, "release" if plant.detected else "minor")),
            f"{nat(plant.found.value)} {'found' if plant.detected else 'missed'}",
        )
        for plant in sorted(result.plants, key=lambda plant: (plant.size, list(FORMS).index(plant.form)))
    ]
    return RowChart(
        f"plants-{key}",
        f"Known leaks planted to test the panel on {name}",
        "; ".join(f"{row.label} nat planted, {row.text}" for row in rows),
        rows,
        "nat",
    ).draw()


def groups(name: str, result: SensitiveResult, key: str, budget: float | None) -> Markup:
    """Draw the leakage of each group of records."""
    rows = [Row(group, (_mark(item, "release"),), quantity(item)) for group, item in result.groups.items()]
    return RowChart(
        f"groups-{key}",
        f"Leakage about {name} by group",
        "; ".join(f"{row.label}: {row.text} nat" for row in rows),
        rows,
        "nat",
        _budget(budget),
    ).draw()


def _top(rows: list[Row], references: tuple[Reference, ...]) -> float | None:
    """Return where the axis ends if raw data would squeeze everything else into its first third, else None."""
    marks = [mark for row in rows for mark in row.marks]
    rest = [m.value if m.high is None else m.high for m in marks if m.style != "raw"] + [r.value for r in references]
    raw = [mark.value for mark in marks if mark.style == "raw"]
    return 1.2 * max(rest) if raw and max(rest) > 0 and max(raw) > 3 * max(rest) else None


def _mark(item: Quantity, style: Style) -> Mark:
    return Mark(item.value, style, item.low, item.high)


def _budget(budget: float | None) -> tuple[Reference, ...]:
    return () if budget is None else (Reference(budget, f"budget {nat(budget)}", "budget"),)


def _limit(result: SensitiveResult) -> tuple[Reference, ...]:
    limit = result.detection_limit
    return () if limit is None else (Reference(limit, f"detection limit {nat(limit)}", "limit", dashed=True),)


def _budget_words(budget: float | None) -> str:
    return "" if budget is None else f"; budget: {nat(budget)} nat"
