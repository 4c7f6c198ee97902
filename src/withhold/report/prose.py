"""The sentences that do not depend on a number: what the page cannot show, and what its words mean."""

from withhold.contracts.audit_record import AuditRecord
from withhold.contracts.guarantee import Guarantee
from withhold.contracts.run_record import KEYED, RunRecord
from withhold.report.formats import NONE, count, duration, moment, plural, setting, words

SOURCES = {
    "none": "It is not known whether the sanitiser had seen these rows.",
    "run": "The rows were divided by the run that made the release.",
    "file": "The division of rows was read from the file the run had written.",
    "column": "A column of the data says which row belongs to which part.",
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
    None: "whether the assumptions hold for these data is not known",
}
SECRET = ("noise_key", "noise_seed")  # who has these can subtract the release noise

GLOSSARY = [
    ("Attacker", "A prediction program that is given what is shared, is trained on records whose hidden attribute is "
     "known, and then guesses the attribute of records it has not seen."),
    ("Balanced accuracy", "How often guesses are right, averaged over the classes of the hidden attribute, so that "
     "always naming the commonest class earns nothing. Blind guessing scores one divided by the number of classes."),
    ("Budget", "The leakage, in nat, that whoever ordered the audit is willing to accept."),
    ("Detection limit", "The smallest leak, in nat, that these attackers were sure to notice when it was planted on "
     "purpose in the release. Smaller leaks may be there unnoticed."),
    ("H(S)", "All there is to know about the hidden attribute, in nat. A fair coin has 0.693."),
    ("Interval", "The range the measured value is likely to lie in; at 95 %, nineteen such ranges in twenty cover it. "
     "It covers all attackers at once."),
    ("Leakage", "How much better an attacker predicts the hidden attribute with the release than without it, in nat. "
     "0 means that the release taught it nothing."),
    ("Nat", "A unit of information, as the metre is of length. 0.693 nat (one bit) answers one yes-or-no question "
     "whose answers were equally likely; 0.01 nat is about 1.4 % of that."),
    ("Own column", "How much of a column can still be read from the released column of the same name alone."),
    ("Plant", "A known leak hidden in the release to see whether the attackers find it: smoke that tests the alarm."),
    ("Retention", "How much of a column can still be predicted from the whole release: 0 % nothing, 100 % everything. "
     "Of images: how much of what differs between pictures a linear decoder can paint again."),
    ("Strong and weak reading", "Strong: attackers are trained on every record a recipient could have, including those "
     "the sanitiser was fitted on. Weak: on the other records only. The verdict is on the strong one."),
    ("Utility", "An attribute that recipients are meant to be able to predict or use."),
]  # fmt: skip


def limits(audit: AuditRecord, run: RunRecord | None) -> list[str]:
    """Return what a reader must not conclude from the page."""
    found = []
    if audit.claim != "any_attacker":
        found.append(
            "Attackers that were not tried. Measured leakage is a lower bound on what is there: a stronger attacker, "
            "or one with more data or side information, may learn more."
        )
    names = [name for name in audit.sensitive if name != "joint"]
    if names:
        found.append(
            "Leaks below the detection limit, or in forms unlike those that were planted. An undetected leak is "
            "not an absent leak."
        )
        found.append(
            f"Anything but the attribute{'' if len(names) == 1 else 's'} tested. Other private attributes may be "
            "readable, and a recipient may join the release with other data."
        )
    else:
        found.append(
            "What can be read from the release about any attribute: none was named as hidden, so that nothing was "
            "attacked. A recipient may join the release with other data."
        )
    if audit.linkage is None:
        found.append("Whether a released record can be traced back to a person. Linkage was not tested.")
    if audit.splits.source == "none":
        found.append(SOURCES["none"] + " If it had, new records may leak differently.")
    if not audit.columns:
        found.append("What became of the columns: the original data were not given to the audit.")
    if names and not any("raw" in result.controls for result in audit.sensitive.values()):
        found.append("How much the original data revealed: they were not given to the audit.")
    if not any(label.startswith("also: ") for result in audit.sensitive.values() for label in result.surfaces):
        found.append(
            "Further releases. The numbers are about this file; several releases of the same records can reveal more "
            "together than each does alone."
        )
    else:
        found.append("Further releases but those that were given to the audit.")
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
    """Return the method's settings; what could undo the noise is named, never printed."""
    return [
        (words(name), "set, not shown" if name in SECRET and value is not None else setting(value))
        for name, value in run.method.settings.items()
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
    division += f"; {plural(splits.folds, 'fold')}"
    division += "" if splits.groups is None else f", {plural(splits.groups, 'subject')}"
    rows += [
        ("Records scored", count(audit.n)),
        ("Rows", f"{division}. {SOURCES[splits.source]}"),
        ("Intervals", f"{100 * audit.level:g} %, simultaneous over the panel"),
        ("Effort", audit.effort),
        ("Seed", str(audit.seed)),
        ("Audit took", duration(audit.seconds)),
        ("Record format", f"version {audit.schema_version}"),
    ]
    if run is not None:
        rows += [(f"File: {words(role)}", _file(path, run.digests.get(role))) for role, path in run.files.items()]
    return [(label, value) for label, value in rows if value != NONE]


def diagnostics(run: RunRecord) -> list[tuple[str, str]]:
    """Return the numbers the training left behind."""
    rows = [(words(name), f"{value:.3g}") for name, value in run.method.diagnostics.items()]
    return [*rows, ("Fitting took", duration(run.method.fit_seconds))] if run.method.fit_seconds is not None else rows


def _file(path: str, digest: str | None) -> str:
    shown = digest is not None and path.startswith("share/")  # records of the version before hold digests of all files
    return f"{path} (SHA-256 {digest})" if shown else path
