"""What a person reads in the terminal: the verdict first, then numbers that say unit, kind and against whom."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from rich.console import Console
from rich.markup import escape
from rich.segment import Segment
from rich.table import Table

from withhold.cli.ending import Step, show_audit_ending, show_ending
from withhold.contracts.audit_record import AuditRecord, SensitiveResult, TransferResult
from withhold.contracts.bounds_record import BoundsRecord
from withhold.contracts.choice_record import ChoiceRecord
from withhold.contracts.disclosure_record import DisclosureRecord
from withhold.contracts.fidelity_record import FidelityResult
from withhold.contracts.finding import Finding
from withhold.contracts.quantity import Quantity
from withhold.contracts.run_record import RunRecord
from withhold.contracts.wording import printable
from withhold.report.formats import called

COLOURS = {"pass": "green", "fail": "red", "inconclusive": "yellow"}
MARKS = {"critical": "!!", "warning": "! ", "info": "  "}
MOST_FINDINGS, MOST_TRIALS = 12, 6
# A pipe has no width; lines of text then stay whole.
PLAIN_WIDTH = 160


def show_run(record: RunRecord, out: Path, stream: IO[str], next_steps: Sequence[Step] = ()) -> None:
    """Print a run: verdict, numbers, findings, where the files are, and last if they may be shared."""
    console = _console(stream)
    made = record.method.sanitizers
    # No sanitiser stands for a cross-fitted release: what is said is about the one file.
    _verdict(record.audit, console, "" if made == 1 else Path(record.files.get("release", "")).name)
    _numbers(record.audit, console)
    _findings([*record.audit.findings, *record.method.findings], console)
    several = "" if made == 1 else f", {made} sanitisers, none for later rows: each row is from one that never saw it"
    console.print(f"method    {record.method.name}{several}; noise: {record.noise}", markup=False)
    if record.choice is not None:
        for title, text in choice_lines(record.choice):
            console.print(printable(f"{title:9} {text}"), markup=False)
    for role in ("release", "report", "audit", "sanitizer", "key", "ledger", "ledger_key", "samples"):
        if role in record.files:
            console.print(f"{role.replace('_', ' '):9} {out / record.files[role]}", markup=False, soft_wrap=True)
    show_ending(record, out, next_steps, stream)


def choice_lines(choice: ChoiceRecord) -> Iterable[tuple[str, str]]:
    """Return a choice in a few lines: why this method, what the others came to, what would help.

    Returns
    -------
    iterable of (str, str)
        What stands before each line, and the line.
    """
    yield "chosen", choice.reason
    for title, one in zip(("tried", *[""] * MOST_TRIALS), choice.trials[:MOST_TRIALS], strict=False):
        told = one.failed or f"at most {one.most:.3f} nat learned, {one.kept:.3f} kept, {one.seconds:.0f} s"
        yield title, f"{one}: {told}"
    if len(choice.trials) > MOST_TRIALS:
        yield "", f"and {len(choice.trials) - MOST_TRIALS} more in the report"
    for title, text in zip(("helps", *[""] * len(choice.helps)), choice.helps, strict=False):
        yield title, text


def show_audit(record: AuditRecord, release: Path, stream: IO[str]) -> None:
    """Print an audit: verdict, numbers and findings."""
    console = _console(stream)
    _verdict(record, console)
    _numbers(record, console)
    _findings(record.findings, console)
    show_audit_ending(record, release, stream)


def show_doctor(found: Mapping[str, Any], stream: IO[str]) -> None:
    """Print versions, devices and optional parts."""
    console = _console(stream)
    console.print(f"withhold {found['version']} on Python {found['python']}, {found['platform']}", markup=False)
    devices = ", ".join(name for name, present in found["devices"].items() if present)
    console.print(
        f"devices   {devices}; {found['threads']['torch']} of {found['threads']['cores']} cores", markup=False
    )
    console.print(f"methods   {', '.join(found['methods'])}", markup=False)
    table = Table(box=None, pad_edge=False)
    for title in ("package", "version", "needed for"):
        table.add_column(title)
    for name, version in found["packages"].items():
        table.add_row(name, version or "MISSING", "withhold")
    for name, part in found["optional"].items():
        how = f"pip install 'withhold[{part['extra']}]'" if part["extra"] else f"pip install {name}"
        state = part["version"] or f"missing ({how})"
        table.add_row(name, escape(state), part["purpose"])
    console.print(table)


def show_disclosure(record: DisclosureRecord, stream: IO[str]) -> None:
    """Print what a file tells of the people it was made from, beside what it tells of others."""
    console = _console(stream)
    word = "no budget" if record.verdict is None else record.verdict.upper()
    colour = COLOURS.get(record.verdict or "", "bold")
    budget = _budgets(record.budget, {name: one.budget for name, one in record.sensitive.items()})
    people = f"{record.n_original:,} people of the original, {record.n_control:,} others"
    console.print(f"[{colour}]{word}[/{colour}]{budget}  effort {record.effort}, {people}, seed {record.seed}")
    console.print(printable(record.statement), markup=False)
    table = Table(box=None, pad_edge=False)
    for title in ("", "original", "others", "more about the original"):
        table.add_column(title)
    for name, one in record.sensitive.items():
        more = (
            f"{one.excess.value:.3f} nat [{one.excess.low or 0:.3f}, {one.excess.high or 0:.3f}], {one.excess.attacker}"
        )
        told = (f"{one.original.value:.3f}", f"{one.control.value:.3f}", more)
        table.add_row(escape(f"{name}, nat"), *map(escape, told))
        right = (f"{100 * one.right_original:.0f} of 100", f"{100 * one.right_control:.0f} of 100")
        table.add_row(escape(f"{name} named right"), *right, f"the commonest class: {100 * one.chance:.0f} of 100")
    held = (f"{100 * record.copied_original:.1f} of 100", f"{100 * record.copied_control:.1f} of 100")
    table.add_row("an equal row in the file", *held, "")
    console.print(table)
    for found in record.findings:
        console.print(printable(f"{MARKS[found.severity]} {found.text} ({found.code})"), markup=False)


def _console(stream: IO[str]) -> Console:
    width = None if stream.isatty() else PLAIN_WIDTH
    return _Terminal(file=stream, highlight=False, width=width, soft_wrap=True)


class _Terminal(Console):
    """A console that acts on nothing but its own colours."""

    def render(self, renderable: Any, options: Any = None) -> Iterable[Segment]:
        """Yield the parts of a text with what a terminal would act on spelled out."""
        for part in super().render(renderable, options):
            yield part if part.control else Segment(printable(part.text, lines=True), part.style)


def _verdict(record: AuditRecord, console: Console, file: str = "") -> None:
    nothing = "MEASURED, NOT JUDGED" if record.budget is None else "nothing to judge"  # no attribute was named
    word = nothing if record.verdict is None else record.verdict.upper()
    colour = COLOURS.get(record.verdict or "", "bold")
    budget = _budgets(record.budget, {name: one.budget for name, one in record.sensitive.items()})
    rows = f"{record.n:,} rows" if record.judged == record.n else f"{record.judged:,} of {record.n:,} rows judged"
    about = f"  {escape(file)}" if file else ""
    console.print(f"[{colour}]{word}[/{colour}]{about}{budget}  effort {record.effort}, {rows}, seed {record.seed}")
    console.print(printable(record.statement), markup=False)


def _budgets(least: float | None, own: Mapping[str, float | None]) -> str:
    """Return the limit that a verdict compares with, or those of all attributes where they differ."""
    if least is None:
        return ""
    if len({*own.values()}) < 2:
        return f"  budget {least:.3g} nat"
    names = list(own)
    each = ", ".join(f"{called(name, names)} {budget:.3g}" for name, budget in own.items() if budget is not None)
    return escape(f"  budgets {each} nat")


def _numbers(record: AuditRecord, console: Console) -> None:
    table = Table(box=None, pad_edge=False)
    for title in ("", "raw", "release", "what it is"):
        table.add_column(title)
    for name, result in record.sensitive.items():
        for row in _sensitive_rows(called(name, list(record.sensitive)), result, len(record.panel)):
            table.add_row(*(escape(cell) for cell in row))
    for row in _threat_rows(record):
        table.add_row(*(escape(cell) for cell in row))
    for name, utility in record.utility.items():
        meaning = f"{utility.metric} of the best prediction; without the data {utility.chance:.3f}"
        raw = "" if utility.score.raw is None else f"{utility.score.raw:.3f}"
        table.add_row(escape(f"{name} kept"), raw, f"{utility.score.release:.3f}", meaning)
        if utility.transfer is not None:
            for row in _transfer_rows(name, utility.transfer):
                table.add_row(*(escape(cell) for cell in row))
    for title, value, words in (
        ("retention", record.mean_retention, "mean share of each other column that the whole release tells"),
        ("own column", record.mean_own_information, "mean share of each other column that its own released one tells"),
    ):
        if value is not None:
            table.add_row(title, "1", f"{value:.3f}", words)
    if record.fidelity is not None:
        table.add_row(*(escape(cell) for cell in _fidelity_row(record.fidelity)))
    console.print(table)


def _sensitive_rows(name: str, result: SensitiveResult, panel: int) -> Iterable[tuple[str, str, str, str]]:
    total = result.leakage_total
    raw = result.controls.get("raw")
    attacker = f"; best of {panel} attackers: {total.attacker}" if total.attacker else ""
    level = "" if total.level is None else f", {100 * total.level:g} %"
    kind = total.kind.replace("_", " ")
    meaning = f"{total.unit}, {kind}{level}; there are {result.entropy:.3f} to learn{attacker}"
    yield f"{name} leakage", _short(raw.leakage if raw else None), _short(total), meaning
    if result.balanced_accuracy is not None:
        before = "" if raw is None or raw.balanced_accuracy is None else f"{raw.balanced_accuracy:.3f}"
        chance = "" if result.chance is None else f"; by chance {result.chance:.3f}"
        yield (
            f"{name} attack",
            before,
            f"{result.balanced_accuracy:.3f}",
            f"right guesses, each class counting alike{chance}",
        )
    for label, found in result.surfaces.items():
        yield f"{name}, {label}", "", _short(found), "nat; counts for the verdict"
    for label, found in result.hypothetical.items():
        yield f"{name}, {label}", "", _short(found), "nat; for information only"
    whole = result.subject_level
    if whole is not None:
        each = f"nat per subject, from {whole.rows_per_subject:.1f} records together; may not exceed the budget"
        yield f"{name}, all of a subject", "", _short(whole.leakage), each
    limit = result.detection_limit
    if limit is not None:
        yield f"{name} limit", "", f"{limit:.3g}", "nat: the smallest test leak that the attackers found"
    elif result.plants:
        yield f"{name} limit", "", "none", "even the largest test leak went unnoticed"


def _threat_rows(record: AuditRecord) -> Iterable[tuple[str, str, str, str]]:
    for place, one in (record.linkage or {}).items():
        meaning = f"of released records can be matched to their original; by chance 1 in {1 / one.chance:,.0f}"
        yield f"linked ({place})", "" if one.raw is None else f"{one.raw:.3f}", _short(one.found), meaning
    member = record.membership
    if member is not None and member.balanced_accuracy is not None:
        control = member.control_balanced_accuracy
        meaning = "right guesses of which records the sanitiser was fitted on; by chance 0.5"
        yield "membership", "" if control is None else f"{control:.3f}", f"{member.balanced_accuracy:.3f}", meaning


def _fidelity_row(found: FidelityResult) -> tuple[str, str, str, str]:
    measured = {"column shapes": found.column_shapes, "pair trends": found.pair_trends}
    scores = ", ".join(f"{name} {value:.3f}" for name, value in measured.items() if value is not None)
    words = "columns usable as they are" + (f"; {scores} (as in sdmetrics)" if scores else "")
    if found.prediction_loss is not None:
        words += f"; models trained on the release lose {found.prediction_loss:.3f} of balanced accuracy (median)"
    return "usable", str(found.compared), str(found.usable), words


def _transfer_rows(name: str, found: TransferResult) -> Iterable[tuple[str, str, str, str]]:
    words = "tested on originals, trained on originals or on the release"
    yield f"{name} of originals", f"{found.original:.3f}", f"{found.release:.3f}", words
    if found.no_record is not None:
        words = "the same, trained on what the generator makes without any record"
        yield f"{name}, no record", "", f"{found.no_record:.3f}", words


def _short(quantity: Quantity | None) -> str:
    if quantity is None:
        return ""
    if quantity.low is None or quantity.high is None:
        return f"{quantity.value:.3f}"
    return f"{quantity.value:.3f} [{quantity.low:.3f}, {quantity.high:.3f}]"


def _findings(findings: list[Finding], console: Console) -> None:
    order = ("critical", "warning", "info")
    unique = {(finding.code, finding.text): finding for finding in findings}
    shown = sorted(unique.values(), key=lambda finding: order.index(finding.severity))
    for finding in shown[:MOST_FINDINGS]:
        console.print(f"{MARKS[finding.severity]} {printable(finding.text)} ({finding.code})", markup=False)
    if len(shown) > MOST_FINDINGS:
        console.print(f"   and {len(shown) - MOST_FINDINGS} more in the report", markup=False)


def show_bounds(record: BoundsRecord, stream: IO[str]) -> None:
    """Print the bounds: one line a budget, then what must be known to read them."""
    console = Console(file=stream, highlight=False)
    if not console.is_terminal:
        console = Console(file=stream, highlight=False, width=PLAIN_WIDTH)
    hidden, useful = ", ".join(record.sensitive), ", ".join(record.utility)
    told = record.mutual_information
    console.print(f"hide {hidden}, keep {useful}; {record.n} rows", markup=False)
    console.print(
        f"I(U;S) = {told['u_s']:.4f} (about {record.plug_in_bias:.2g} of it is bias), I(U;X) = {told['u_x']:.4f}, "
        f"H(U) = {record.entropy['u']:.4f}, H(S) = {record.entropy['s']:.4f} nat",
        markup=False,
    )
    table = Table(box=None, pad_edge=False)
    level = f"{100 * record.level:g} %"
    for title in (
        "budget",
        "maximum attacker accuracy",
        "loss of U at least",
        f"{level} lower bound",
        "Lemma 2.2",
        "achievable",
        "gap",
    ):
        table.add_column(title, justify="right")
    for i, k in enumerate(record.budgets):
        table.add_row(
            f"{k:g}",
            f"{record.attacker_accuracy[i][1]:.3f}" if record.attacker_accuracy else "",
            f"{record.lower_bound[i]:.4f}",
            f"{record.lower_bound_interval[i][0]:.4f}",
            f"{record.linear_bound[i]:.4f}",
            f"{record.achievable_bound[i]:.4f}",
            f"{record.certificate_gap[i]:.4f}",
        )
    console.print(table)
    console.print("nats of I(U;X|Z); the attacker's balanced accuracy for these class shares", markup=False)
    for note in record.notes:
        console.print(f"note      {note}", markup=False, soft_wrap=True)
