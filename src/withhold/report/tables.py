"""The tables of the page, as text; the templates only lay them out."""

from dataclasses import dataclass

from withhold.contracts.audit_record import AuditRecord, Histogram, Score, SensitiveResult
from withhold.contracts.bounds_record import BoundsRecord
from withhold.contracts.choice_record import ChoiceRecord
from withhold.contracts.quantity import Quantity
from withhold.contracts.shareable import LEAST, MOST
from withhold.report.figures.leakage import FORMS
from withhold.report.formats import NONE, called, count, duration, nat, percent, quantity, score, words

VERDICTS = {"pass": "pass", "fail": "fail", "inconclusive": "inconclusive", None: NONE}


@dataclass(frozen=True)
class Table:
    """Column heads and rows; the first cell of a row is its head. Columns that are empty throughout are left out."""

    caption: str
    head: list[str]
    rows: list[list[str]]

    def trimmed(self) -> "Table":
        """Return the table without columns in which nothing was measured."""
        keep = [i for i in range(len(self.head)) if i == 0 or any(row[i] not in (NONE, "") for row in self.rows)]
        return Table(self.caption, [self.head[i] for i in keep], [[row[i] for i in keep] for row in self.rows])


def attributes(audit: AuditRecord) -> Table:
    """Return what was hidden, one row per attribute: of 100 people, how many are guessed right."""
    rows = []
    for name, result in audit.sensitive.items():
        raw = result.controls.get("raw")
        rows.append(
            [
                called(name, list(audit.sensitive)),
                VERDICTS[result.verdict],
                _hundred(result.balanced_accuracy),
                _hundred(result.chance if result.balanced_accuracy is not None else None),
                _hundred(raw.balanced_accuracy if raw else None),
                nat(result.leakage_total.value),
                nat(result.detection_limit),
            ]
        )
    head = [
        "hidden",
        "verdict",
        "right of 100",
        "guessing",
        "original",
        "learned, nat",
        "smallest test leak found, nat",
    ]
    return Table("Each hidden attribute", head, rows).trimmed()


def _hundred(fraction: float | None) -> str:
    return NONE if fraction is None else str(round(100 * fraction))


def possible(bounds: BoundsRecord) -> Table:
    """Return what any release must lose, one row a budget."""
    rows = [
        [
            nat(k),
            percent(bounds.attacker_accuracy[i][1]) if bounds.attacker_accuracy else NONE,
            nat(bounds.lower_bound[i]),
            nat(bounds.lower_bound_interval[i][0]),
            nat(bounds.linear_bound[i]),
            nat(bounds.achievable_bound[i]),
        ]
        for i, k in enumerate(bounds.budgets)
    ]
    sure = f"at least, {percent(bounds.level, 0)} sure"
    head = ["leaked, nat", "attacker at most", "lost at least", sure, "Lemma 2.2", "known release"]
    return Table("What any release must lose", head, rows).trimmed()


def trials(choice: ChoiceRecord) -> Table:
    """Return what was tried when a method was chosen, the original before the candidates."""
    rows = [
        [
            name,
            NONE if one.leakage is None else quantity(one.leakage),
            NONE if one.leakage is None else nat(one.kept),
            duration(one.seconds),
        ]
        for name, one in [("nothing hidden", choice.raw), *((str(one), one) for one in choice.trials)]
    ]
    return Table("What was tried", ["method and settings", "learned, nat", "kept", "took"], rows).trimmed()


def attackers(name: str, result: SensitiveResult) -> Table:
    """Return every attacker's row, the strongest first."""
    rows = [
        [
            attacker,
            quantity(item.leakage),
            percent(item.balanced_accuracy),
            NONE if item.auc is None else nat(item.auc),
            percent(item.tpr_at_1pct_fpr),
            item.inputs,
            duration(item.seconds),
        ]
        for attacker, item in sorted(result.attackers.items(), key=lambda pair: -pair[1].leakage.value)
    ]
    head = ["attacker", "leakage, nat", "balanced accuracy", "AUC", "true positives at 1 % false", "inputs", "time"]
    return Table(f"Attackers on {name}", head, rows).trimmed()


def readings(name: str, result: SensitiveResult) -> Table:
    """Return readings and controls with their accuracies."""
    rows = [["all that is shared", quantity(result.leakage_total), percent(result.balanced_accuracy)]]
    readings: list[tuple[str, Quantity | None]] = [
        ("without utility column", result.leakage),
        ("beyond utility column", result.leakage_given_utility),
        ("weak reading", result.leakage_weak),
        *((f"{words(part)} part", item) for part, item in result.parts.items() if len(result.parts) > 1),
    ]
    rows += [[label, quantity(item), NONE] for label, item in readings if item is not None]
    rows += [
        [f"control: {words(label)}", quantity(item.leakage), percent(item.balanced_accuracy)]
        for label, item in result.controls.items()
    ]
    return Table(f"Readings and controls on {name}", ["reading", "leakage, nat", "balanced accuracy"], rows).trimmed()


def plants(name: str, result: SensitiveResult) -> Table:
    """Return the planted leaks."""
    rows = [
        [FORMS[item.form], nat(item.size), quantity(item.found), "found" if item.detected else "missed"]
        for item in result.plants
    ]
    return Table(f"Test leaks planted on {name}", ["form", "planted, nat", "found, nat", "result"], rows)


def groups(name: str, result: SensitiveResult) -> Table:
    """Return leakage in the classes of a hidden attribute from which least and most is learned.

    The classes are not named nor counted: a page that is shared must not tell who is in the data.
    """
    ordered = sorted(result.groups.values(), key=lambda item: item.value)
    ends = [(LEAST, ordered[0]), (MOST, ordered[-1])] if len(ordered) > 1 else []
    rows = [[label, quantity(item)] for label, item in ends]
    return Table(f"Leakage about {name}, by its classes", ["class", "leakage, nat"], rows)


def utility(audit: AuditRecord) -> Table:
    """Return how well each utility attribute is predicted."""
    rows = [
        [
            name,
            words(item.metric) if item.metric != "r2" else "R²",
            score(item.score.raw, item.metric),
            score(item.score.release, item.metric),
            score(item.chance, item.metric),
            item.predictor or NONE,
        ]
        for name, item in audit.utility.items()
    ]
    return Table("Utility", ["predicted", "metric", "raw", "release", "constant guess", "predictor"], rows).trimmed()


def transfer(audit: AuditRecord) -> Table:
    """Return what models trained on originals, release and no record at all are worth on other originals."""
    rows = [
        [
            name,
            score(item.transfer.original, item.metric),
            score(item.transfer.release, item.metric),
            score(item.transfer.no_record, item.metric),
        ]
        for name, item in audit.utility.items()
        if item.transfer is not None
    ]
    head = ["predicted in originals", "trained on originals", "on the release", "on no record"]
    return Table("Trained on the release, tested on originals", head, rows).trimmed()


def columns(audit: AuditRecord, order: list[str]) -> Table:
    """Return every column's numbers, in the given order."""
    rows = []
    for name in order:
        item, known = (audit.columns[name], None if audit.fidelity is None else audit.fidelity.columns.get(name))
        rows.append(
            [
                name,
                item.kind,
                NONE if known is None else "yes" if known.usable else "no",
                percent(None if known is None else known.moved, 0),
                percent(item.retention, 0),
                percent(item.own_information, 0),
            ]
        )
    head = ["column", "kind", "usable as it is", "moved", "kept", "own column"]
    return Table("Every column, the most damaged first", head, rows).trimmed()


def cells(name: str, item: Histogram) -> Table:
    """Return the cells behind a histogram."""
    rows = [[label, count(r), count(z)] for label, r, z in zip(item.labels, item.raw, item.release, strict=False)]
    return Table(f"Records in each cell of {name}", ["cell", "before", "after"], rows)


def fairness(audit: AuditRecord) -> Table:
    """Return group differences of predictions, raw and release."""
    rows = []
    for target, by_attribute in audit.fairness.items():
        for attribute, item in by_attribute.items():
            for label, pair in (
                ("demographic parity", item.demographic_parity_difference),
                ("equal opportunity", item.equal_opportunity_difference),
                ("equalised odds", item.equalized_odds_difference),
            ):
                if pair is not None:
                    rows.append([f"{target} by {attribute}", label, *_pair(pair)])
    return Table(
        "Differences between groups in predictions; 0 is equal treatment",
        ["prediction", "difference in", "raw", "release"],
        rows,
    ).trimmed()


def groups_served(audit: AuditRecord) -> Table:
    """Return the accuracy of each utility attribute in the worst group and on the average over groups."""
    rows = []
    for target, result in audit.utility.items():
        for attribute, found in result.groups.items():
            rows.append([f"{target} by {attribute}", "average over groups", *_pair(found.average)])
            rows.append([f"{target} by {attribute}", "worst group", *_pair(found.worst)])
    return Table("Accuracy in groups", ["prediction", "of", "raw", "release"], rows).trimmed()


def _pair(pair: Score) -> list[str]:
    return [nat(pair.raw), nat(pair.release)]


def surfaces(audit: AuditRecord) -> Table:
    """Return what the attackers were given beside the release, with what they learned and whether it counts.

    Examples
    --------
    >>> from withhold.contracts.audit_record import Splits
    >>> record = AuditRecord(
    ...     verdict=None, statement="", budget=None, n=10, level=0.95, panel=[], effort="quick",
    ...     splits=Splits(audit=10, folds=2), sensitive={},
    ... )
    >>> surfaces(record).rows
    []
    """
    rows = []
    for name, result in audit.sensitive.items():
        if not result.surfaces and not result.hypothetical:
            continue
        rows.append([name, "the release", quantity(result.leakage), "yes"])
        rows += [[name, label, quantity(item), "yes"] for label, item in result.surfaces.items()]
        rows += [[name, label, quantity(item), "no, for information"] for label, item in result.hypothetical.items()]
    return Table("What else was attacked", ["hidden", "attacked", "leakage, nat", "counts for the verdict"], rows)


def implied(audit: AuditRecord) -> Table:
    """Return what the release must leak, by what it was shown to keep of the utility column, one row an attribute."""
    rows = [
        [
            name,
            f"{quantity(one.kept)} of {one.utility}",
            quantity(one.leakage),
            quantity(one.audited),
            "yes" if one.below_bound else "no",
        ]
        for name, one in (audit.implied or {}).items()
    ]
    head = ["hidden", "kept, nat", "so it leaks at least, nat", "attackers found, nat", "did attackers miss a leak?"]
    return Table("Least possible leakage", head, rows)


def people(audit: AuditRecord) -> Table:
    """Return linkage, membership and the attack on subjects: each with what a guess reaches."""
    rows = []
    for place, one in (audit.linkage or {}).items():
        which = "in the data" if place == "data" else f"in the {place} space"
        note = f"among {count(one.candidates)} candidates"
        note += "" if one.raw is None else f"; {percent(one.raw)} if originals were released as they are"
        rows.append([f"a released record finds its original {which}", _share(one.found), percent(one.chance), note])
    member = audit.membership
    if member is not None:
        note = f"{count(member.members)} rows of the fit, {count(member.others)} others"
        if member.control_balanced_accuracy is not None:
            note += f"; {percent(member.control_balanced_accuracy)} from the originals alone"
        accuracy = percent(member.balanced_accuracy)
        rows.append(["a record was used to fit the sanitiser", accuracy, percent(member.chance), note])
    for name, result in audit.sensitive.items():
        whole = result.subject_level
        if whole is not None:
            note = f"{nat(whole.leakage.value)} nat from {whole.rows_per_subject:.1f} records a subject together"
            accuracy = percent(whole.balanced_accuracy)
            rows.append([f"{words(name)} of a subject, from all its records", accuracy, percent(whole.chance), note])
    return Table("What else can be told about people", ["what is told", "how often", "by chance", "note"], rows)


def _share(item: Quantity) -> str:
    if item.low is None or item.high is None:
        return percent(item.value)
    return f"{percent(item.value)} [{percent(item.low)},\N{NO-BREAK SPACE}{percent(item.high)}]"
