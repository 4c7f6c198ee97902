"""What attackers learn about a hidden attribute: before and after, reading by reading, attacker by attacker."""

from markupsafe import Markup

from withhold.contracts.audit_record import AuditRecord, PlantForm, SensitiveResult
from withhold.contracts.quantity import Quantity
from withhold.report.figures.rows import Mark, Reference, Row, RowChart, Style
from withhold.report.formats import called, nat, plural, quantity

CONTROLS = {
    "raw": "original data (ceiling)",
    "utility_only": "utility attribute alone",
    "utility_prediction": "hard utility prediction",
    "shuffled": "shuffled (floor)",
}
KEY: tuple[tuple[Style, str], ...] = (
    ("release", "release"),
    ("raw", "original data"),
    ("limit", "smallest test leak found"),
    ("budget", "its budget"),
)
# Attackers of many surfaces would fill pages; the table has them all.
MOST_DRAWN = 16
PARTS = {"fit": "rows the sanitiser saw", "audit": "rows it never saw"}
FORMS: dict[PlantForm, str] = {
    "column": "own column",
    "dense": "spread over columns",
    "interaction": "interaction",
    "word": "word or element",
    "twin": "copies of rows",
    "period": "period of a time",
    "spread": "spread of a subject",
    "pixels": "pixel statistic",
}


def overview(audit: AuditRecord) -> Markup:
    """Draw one row per hidden attribute: original data, release, smallest test leak found."""
    rows = []
    own = audit.own_budgets
    shared = None if own else audit.budget
    for name, result in audit.sensitive.items():
        raw = result.controls.get("raw")
        marks = [_mark(result.leakage_total, "release")]
        if raw is not None:
            marks.insert(0, Mark(raw.leakage.value, "raw"))
        if result.detection_limit is not None:
            marks.append(Mark(result.detection_limit, "limit"))
        if name in own:
            marks.append(Mark(own[name], "budget"))
        label = called(name, list(audit.sensitive))
        rows.append(Row(label, tuple(marks), quantity(result.leakage_total)))
        whole = result.subject_level
        if whole is not None and whole.leakage.value > result.leakage_total.value:
            label = f"{label}, from all records of a person"
            rows.append(Row(label, (_mark(whole.leakage, "release"),), quantity(whole.leakage)))
    return RowChart(
        "Information learned, for each hidden attribute",
        "; ".join(f"{row.label}: {row.text} nat" for row in rows) + _budget_words(shared) + _own_words(audit),
        rows,
        "nat",
        _budget(shared),
        key=[(style, words) for style, words in KEY if any(m.style == style for row in rows for m in row.marks)],
    ).draw()


def readings(name: str, result: SensitiveResult, budget: float | None, utility_in_release: bool) -> Markup:
    """Draw the release beside every control, and what other assumptions about the recipient give."""
    rows: list[Row] = []

    def add(label: str, item: Quantity | None, style: Style, bold: bool = False) -> None:
        if item is not None:
            rows.append(Row(label, (_mark(item, style),), quantity(item), bold=bold))

    add("all that is shared", result.leakage_total, "release", bold=True)
    for control, label in CONTROLS.items():
        if control in result.controls:
            add(label, result.controls[control].leakage, "raw" if control == "raw" else "control")
    for control, other in result.controls.items():
        if control not in CONTROLS:
            add(control.replace("_", " "), other.leakage, "control")
    if utility_in_release and result.leakage != result.leakage_total:
        add("without the utility column", result.leakage, "minor")
    add("beyond the utility column", result.leakage_given_utility, "minor")
    add("weak reading", result.leakage_weak, "minor")
    # One part alone is all that is shared, and who saw it may not be known.
    for part, item in result.parts.items() if len(result.parts) > 1 else ():
        add(PARTS.get(part, part), item, "minor")
    references = _budget(budget) + _limit(result)
    return RowChart(
        f"Leakage about {name} beside controls and other assumptions",
        "; ".join(f"{row.label}: {row.text} nat" for row in rows) + _budget_words(budget),
        rows,
        "nat",
        references,
        top=_top(rows, references),
    ).draw()


def attackers(name: str, result: SensitiveResult, budget: float | None) -> Markup:
    """Draw each attacker's leakage on an axis of its own, where small values can be told apart."""
    best = result.leakage_total.attacker
    rows = [
        Row(attacker, (_mark(item.leakage, "release" if attacker == best else "minor"),), quantity(item.leakage))
        for attacker, item in sorted(result.attackers.items(), key=lambda pair: -pair[1].leakage.value)[:MOST_DRAWN]
    ]
    return RowChart(
        f"Leakage about {name} found by {plural(len(rows), 'attacker')}",
        "; ".join(f"{row.label}: {row.text} nat" for row in rows) + _budget_words(budget),
        rows,
        "nat",
        _budget(budget) + _limit(result),
    ).draw()


def plants(name: str, result: SensitiveResult) -> Markup:
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
        f"Test leaks planted to try the attackers on {name}",
        "; ".join(f"{row.label} nat planted, {row.text}" for row in rows),
        rows,
        "nat",
        key=[("planted", "planted"), ("release", "found"), ("minor", "missed")],
    ).draw()


def _top(rows: list[Row], references: tuple[Reference, ...]) -> float | None:
    """Return where the axis ends if the original data would squeeze everything else into its first third, else None."""
    marks = [mark for row in rows for mark in row.marks]
    rest = [m.value if m.high is None else m.high for m in marks if m.style != "raw"] + [r.value for r in references]
    raw = [mark.value for mark in marks if mark.style == "raw"]
    return 1.2 * max(rest) if raw and max(rest) > 0 and max(raw) > 3 * max(rest) else None


def _mark(item: Quantity, style: Style) -> Mark:
    return Mark(item.value, style, item.low, item.high)


def _budget(budget: float | None) -> tuple[Reference, ...]:
    return () if budget is None else (Reference(budget, f"budget {nat(budget)} nat", "budget"),)


def _limit(result: SensitiveResult) -> tuple[Reference, ...]:
    limit = result.detection_limit
    text = "smallest test leak found"
    return () if limit is None else (Reference(limit, f"{text} {nat(limit)} nat", "limit", dashed=True),)


def _own_words(audit: AuditRecord) -> str:
    every = list(audit.sensitive)
    return "".join(
        f"; budget of {called(name, every)}: {nat(budget)} nat" for name, budget in audit.own_budgets.items()
    )


def _budget_words(budget: float | None) -> str:
    return "" if budget is None else f"; budget: {nat(budget)} nat"
