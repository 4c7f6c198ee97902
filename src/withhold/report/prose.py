"""The sentences that do not depend on a number: what the page cannot show, and how the release came about."""

from withhold.contracts.audit_record import AuditRecord
from withhold.contracts.budgets import JOINT
from withhold.contracts.guarantee import Guarantee
from withhold.contracts.run_record import KEYED, RunRecord
from withhold.report.formats import NONE, count, duration, listing, moment, plural, setting, words

SOURCES = {
    "none": "It is not known whether the sanitiser had seen these rows.",
    "run": "The rows were divided by the run that made the release.",
    "file": "The division of rows was read from the file the run had written.",
    "column": "A column of the data says which row belongs to which part.",
    "cross_fit": "Each row was released by a sanitiser that never saw it.",
    "test_file": "The part the sanitiser never saw came in a file of its own.",
}
MATURITY = {
    "proven": "proven: a theorem, and a test of it",
    "checked": "checked: measured on problems with known truth",
    "experimental": "experimental: neither proven nor checked",
}
HOLDS = {
    True: "the assumptions were found to hold for the data it was fitted on",
    False: "the assumptions do NOT hold for the data it was fitted on: the claim is void",
    None: "nobody knows if they hold for the data it was fitted on",
}
SECRET = ("noise_key", "noise_seed")  # who has these can subtract the release noise
SHOWN = 5  # limits that stand on the page itself


def limits(audit: AuditRecord, run: RunRecord | None) -> list[str]:
    """Return what a reader must not conclude from the page, the most important first; the page shows five."""
    names = [name for name in audit.sensitive if name != JOINT]
    found = []
    if not names:
        found.append(
            "Any attribute. None was named as hidden, so nothing was attacked. A recipient may read much from the "
            "release."
        )
    if audit.claim != "any_attacker" and names:
        found.append(
            "Stronger attackers. We tried the ones listed in the appendix. One that was not tried, or that has more "
            "data, may learn more."
        )
        found.append(
            "Small leaks. One below the smallest test leak found, or unlike those we planted, may go unnoticed."
        )
    if names:
        found.append(f"Other private facts. Only {listing([f'“{name}”' for name in names[:4]])} was tested.")
    if audit.linkage is None:
        found.append("Who somebody is. Linkage was not tested: a record may be traced back to a person.")
    else:
        found.append("What else recipients hold. They may join the release with other data about the same people.")
    if not any(label.startswith("also: ") for result in audit.sensitive.values() for label in result.surfaces):
        found.append("Further releases. Several releases of the same people can tell more together than each alone.")
    else:
        found.append("Further releases but those that were given to the audit.")
    return [*found, *_conditions(audit, run, names)]


def _conditions(audit: AuditRecord, run: RunRecord | None, names: list[str]) -> list[str]:
    """Return what holds for some audits only."""
    found = []
    if audit.splits.source == "none":
        found.append(SOURCES["none"] + " If it had, new records may leak differently.")
    if not audit.columns:
        found.append("What became of the columns: the original data were not given to the audit.")
    if names and not any("raw" in result.controls for result in audit.sensitive.values()):
        found.append("How much the original data revealed: they were not given to the audit.")
    if run is not None and run.method.guarantee is None:
        found.append("A mathematical guarantee. The method promises nothing; only the measurement speaks for it.")
    if {"cnn", "pixels"} & {*audit.panel}:
        found.append("What image files hold beside their pixels and notes, such as how they end. It was not read.")
    small = "<\N{NO-BREAK SPACE}10"
    found.append(f"Single records. By rule each number stands for at least ten records; smaller cells are “{small}”.")
    return found


def guarantee(item: Guarantee | None) -> list[tuple[str, str]]:
    """Return the guarantee's terms."""
    if item is None:
        return [("Claim", "None. This method promises nothing by itself; what counts is the measurement above.")]
    rows = [("Claim", item.claim), ("Against", item.against)]
    rows += [("Assumes" if i == 0 else "and", text) for i, text in enumerate(item.assumptions)]
    rows += [("Assumptions", HOLDS[item.holds]), ("Maturity", MATURITY[item.maturity])]
    return [*rows, ("Reference", item.reference)] if item.reference else rows


def settings(run: RunRecord) -> list[tuple[str, str]]:
    """Return the settings that are not the method's defaults; what could undo the noise is named, never printed."""
    asked = run.method.settings if run.method.changed is None else run.method.changed
    return [
        (words(name), "set, not shown" if name in SECRET and value is not None else setting(value))
        for name, value in run.method.settings.items()
        if name in asked
    ]


def provenance(audit: AuditRecord, run: RunRecord | None) -> list[tuple[str, str]]:
    """Return where the numbers come from."""
    rows: list[tuple[str, str]] = []
    if run is not None:
        data = run.data
        rows += [("Data", f"{plural(data.rows, 'record')}, {plural(data.columns, 'column')}")]
        if data.digest.startswith(KEYED):  # records of the version before hold a plain one, which tells of the data
            rows += [("Data digest (HMAC; its key is in private/)", data.digest.removeprefix(KEYED))]
        rows += [("Dropped before release", ", ".join(data.dropped))] if data.dropped else []
        rows += [("Subjects kept together by", data.groups)] if data.groups else []
        rows += [("Made by", f"withhold {run.version}, {moment(run.created)}")]
    splits = audit.splits
    division = (
        f"{plural(splits.audit, 'row')}"
        if splits.fit is None
        else f"the sanitiser was fitted on {count(splits.fit)} and never saw {count(splits.audit)}"
    )
    division += "" if splits.sanitizers is None else f", released by {splits.sanitizers} sanitisers"
    division += f"; {plural(splits.folds, 'fold')}"
    division += "" if splits.groups is None else f", {plural(splits.groups, 'subject')}"
    rows += [
        ("Records scored", count(audit.judged) + (f" of {count(audit.n)}" if audit.judged < audit.n else "")),
        ("Rows", f"{division}. {SOURCES[splits.source]}"),
        ("Intervals", f"{100 * audit.level:g} %, simultaneous over the panel"),
        ("Effort", audit.effort),
        ("Seed", str(audit.seed)),
        ("Audit took", duration(audit.seconds)),
        ("Record format", f"version {audit.schema_version}"),
    ]
    shared = {} if run is None else {role: path for role, path in run.files.items() if not path.startswith("private/")}
    if run is not None:
        rows += [(f"SHA-256 of {path}", run.digests[role]) for role, path in shared.items() if role in run.digests]
    elif audit.release:
        rows += [("SHA-256 of the release", audit.release.removeprefix("sha256:"))]
    return [(label, value) for label, value in rows if value != NONE]


def diagnostics(run: RunRecord) -> list[tuple[str, str]]:
    """Return the numbers the training left behind."""
    rows = [(words(name), f"{value:.3g}") for name, value in run.method.diagnostics.items()]
    return [*rows, ("Fitting took", duration(run.method.fit_seconds))] if run.method.fit_seconds is not None else rows
