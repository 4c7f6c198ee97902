"""Auditing a file without matching its rows to individuals, against people it was made from and others."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from withhold.audit.attackers.registry import all_score_attackers, choose_panel
from withhold.audit.effort import find_effort
from withhold.audit.findings.unknown import UNKNOWN
from withhold.audit.leakage.attack import Panel
from withhold.audit.people.disclosure import People, gathered
from withhold.audit.people.matching import NAME as NEAREST
from withhold.audit.planning.undecided import undecided_people
from withhold.contracts.audit_record import Verdict
from withhold.contracts.budgets import JOINT
from withhold.contracts.disclosure_record import DisclosureRecord, DisclosureResult
from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.contracts.finding import Finding
from withhold.contracts.seeds import root, stream
from withhold.contracts.timetable import begin
from withhold.contracts.wording import listed
from withhold.data.attribute import Attributes
from withhold.data.schema import pandas_index
from withhold.workflow.advantage import budget_in_nats
from withhold.workflow.request import AuditRequest
from withhold.workflow.roles import check_columns
from withhold.workflow.source import Source, check_declared, read_alike, read_source, sensitive_attributes

LEVEL = 0.95
# Fewer people on either side and nothing can be compared.
LEAST_PEOPLE = 50
# More people make intervals narrower and looking each of them up slower; the file itself is read whole.
MOST_PEOPLE = 10_000
# Who tells whether original and control are the same kind of people.
_COMPARING = ("logistic", "boosting")


def disclose_file(request: AuditRequest, log: Callable[[str], None] = lambda text: None) -> DisclosureRecord:
    """Audit a synthetic or shuffled file against a control.

    Parameters
    ----------
    request : AuditRequest
        With `original` and `control`.
    log : callable
        Called with one line per step.
    """
    if request.original is None or request.control is None:
        raise InvalidParameterError("--control compares the people of --original with others. Add --original FILE.")
    paths = (request.release, request.original, request.control)
    sources = read_alike([_read(path, request, log) for path in paths])
    columns = _columns(sources, request)
    knobs, seed = find_effort(request.effort), root(request.seed)
    most = (knobs.most_rows, MOST_PEOPLE, MOST_PEOPLE)
    limited = zip(sources, most, strict=True)
    tables = [_sampled(source.table, rows, seed, str(j)) for j, (source, rows) in enumerate(limited)]
    attributes = _attributes(tables, request)
    table, part = gathered([_alike(one, tables[0], columns) for one in tables])
    people = People(table, part, knobs, seed, LEVEL)
    panel = Panel(choose_panel(request.attackers), list(all_score_attackers().values()))
    budgets = budget_in_nats(request.budgets, request.budget_advantage, attributes)
    if JOINT in dict(budgets.named):
        raise InvalidParameterError(
            f"--control compares every column by itself, so {JOINT}=... is not judged. Leave it out."
        )
    begin("comparing people")
    log(f"comparing people of {sources[1].name} with those of {sources[2].name}")
    alike = people.alike(panel.only(*_COMPARING))
    results: dict[str, DisclosureResult] = {}
    for attribute in attributes:
        begin(f"learning {attribute.name}")
        log(f"learning {attribute.name} from {sources[0].name}")
        results[attribute.name] = people.disclosed(attribute, panel, budgets.of(attribute.name))
    copied, by_chance = people.copies()
    findings = list(_findings(alike, copied, by_chance, sources, columns, request.sensitive, part))
    findings += _unknown(attributes, sources, part)
    verdict = _verdict(results, [one.code for one in findings])
    return DisclosureRecord(
        verdict=verdict,
        statement=_statement(results, sources[0].name, verdict, int(np.bincount(part)[1:].min())),
        budget=budgets.least,
        n=tables[0].num_rows,
        n_original=tables[1].num_rows,
        n_control=tables[2].num_rows,
        level=LEVEL,
        panel=[*panel.names(), NEAREST],
        effort=request.effort,
        seed=request.seed,
        columns=columns,
        sensitive=results,
        copied_original=copied,
        copied_control=by_chance,
        findings=findings,
    )


def _read(path: Path, request: AuditRequest, log: Callable[[str], None]) -> Source:
    source = read_source(path, None, None, None, None, request.reading, log)
    check_columns(request.sensitive, source.table.column_names, source.name)
    if source.table.num_rows < LEAST_PEOPLE:
        raise DataError(f"{source.name} has {source.table.num_rows} rows; at least {LEAST_PEOPLE} can be compared.")
    return source


def _columns(sources: Sequence[Source], request: AuditRequest) -> list[str]:
    """Return what an attacker knows of a person: columns that all three files have."""
    aside = {*request.sensitive, *request.drop}
    aside |= {name for source in sources for name in pandas_index(source.table.schema)}
    release, *others = (source.table.column_names for source in sources)
    shared = [name for name in release if name not in aside and all(name in names for names in others)]
    if not shared:
        raise DataError("The three files share no column but the sensitive ones. Give all of them the same columns.")
    check_declared(request.reading, release, sources[0].name)
    return shared


def _sampled(table: pa.Table, most: int, seed: int, name: str) -> pa.Table:
    if table.num_rows <= most:
        return table
    rows = stream(seed, "audit", "disclosure", "rows", name).choice(table.num_rows, most, replace=False)
    return table.take(pa.array(np.sort(rows)))


def _attributes(tables: Sequence[pa.Table], request: AuditRequest) -> Attributes:
    names = list(request.sensitive)
    own = [_alike(table, tables[0], names) for table in tables]
    attributes = sensitive_attributes(gathered(own)[0], request.sensitive, request.kinds)
    numbers = [attribute.name for attribute in attributes if attribute.kind != "categorical"]
    if numbers:
        raise InvalidParameterError(
            f"{numbers[0]!r} is a number, and a control compares classes. Bin it first, or add --categorical if its "
            "values are classes."
        )
    return attributes


def _alike(table: pa.Table, model: pa.Table, names: Sequence[str]) -> pa.Table:
    """Return columns in the types that the first file has."""
    chosen, kinds = table.select(list(names)), model.select(list(names)).schema
    bare = pa.schema([pa.field(field.name, field.type) for field in kinds])
    try:
        return chosen.replace_schema_metadata(None).cast(bare)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError) as error:
        raise DataError(f"The files hold other types of columns ({error}). Write all of them in one format.") from error


def _findings(
    alike: bool,
    copied: float,
    by_chance: float,
    sources: Sequence[Source],
    columns: Sequence[str],
    sensitive: Sequence[str],
    part: np.ndarray,
) -> Sequence[Finding]:
    found = []
    counts = np.bincount(part)
    spread = np.sqrt(sum(share * (1 - share) / n for share, n in ((copied, counts[1]), (by_chance, counts[2]))))
    if copied > by_chance + 3 * spread and copied - by_chance > 1 / counts[1]:
        text = (
            f"{sources[0].name} holds an equal row for {100 * copied:.1f} of 100 people of the original and for "
            f"{100 * by_chance:.1f} of 100 others: records of the original were copied into it."
        )
        found.append(Finding(code="copies_of_originals", severity="critical", text=text))
    if not alike:
        text = (
            f"People of {sources[1].name} can be told from those of {sources[2].name} without {sources[0].name}, so "
            "that what is learned more about the first need not come from it. Draw the control from the same people."
        )
        found.append(Finding(code="control_differs", severity="warning", text=text))
    own = [name for name in sources[0].table.column_names if name not in {*columns, *sensitive}]
    if own:
        text = f"{listed(own)} of {sources[0].name} was not used: the other files do not have it."
        found.append(Finding(code="columns_not_shared", severity="warning", text=text))
    return found


def _unknown(attributes: Attributes, sources: Sequence[Source], part: np.ndarray) -> Sequence[Finding]:
    """Say of how many rows of each file nobody knows an attribute."""
    found = []
    for one in attributes:
        lacking, rows = np.bincount(part[~one.known], minlength=len(sources)), np.bincount(part)
        some = [
            f"{lacking[side]:,} of {rows[side]:,} rows of {source.name}"
            for side, source in enumerate(sources)
            if lacking[side]
        ]
        if some:
            text = (
                f"No known '{one.name}': {', '.join(some)}. They are not judged (attackers neither learn from them nor "
                "are scored on them)."
            )
            found.append(UNKNOWN.found(text, [one.name]))
    return found


def _verdict(results: dict[str, DisclosureResult], codes: Sequence[str]) -> Verdict | None:
    judged = [(one, one.budget) for one in results.values() if one.budget is not None]
    if not judged:
        return None
    if any(one.excess.low is not None and one.excess.low > budget for one, budget in judged):
        return "inconclusive" if "control_differs" in codes else "fail"
    small = all(one.corrected_high is not None and one.corrected_high <= budget for one, budget in judged)
    return "pass" if small and not {"copies_of_originals", "control_differs"} & set(codes) else "inconclusive"


def _statement(results: dict[str, DisclosureResult], name: str, verdict: str | None, people: int) -> str:
    parts = []
    for attribute, one in results.items():
        high = max(0.0, one.excess.high or 0.0)
        parts.append(
            f"No attacker of this panel who learned from {name} and knows the other columns of a person read more than "
            f"{high:.3f} nat more about {attribute} of people in the original than of others (95 %)."
        )
        if not one.found:
            parts.append(f"A test leak of {one.planted or 0.0:.3f} nat, records copied into the file, went unnoticed.")
        if verdict == "inconclusive" and one.budget is not None and (one.corrected_high or one.entropy) > one.budget:
            parts.append(undecided_people(one, people))
    if verdict is None:
        parts.insert(0, "No budget was given, so there is no verdict.")
    parts.append("What the file tells of everybody is not counted; an attacker outside this panel may learn more.")
    return " ".join(parts)
