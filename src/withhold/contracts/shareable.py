"""The part of an audit's record that is handed over beside a release: nothing that tells who is in the data."""

from withhold.contracts.audit_record import AuditRecord, SensitiveResult, UtilityResult
from withhold.contracts.quantity import Quantity

LEAST, MOST = "least is learned of", "most is learned of"


def shareable(record: AuditRecord) -> AuditRecord:
    """Return a record that neither names nor counts the classes of a hidden attribute.

    What is learned of the classes is kept for those of which least and most is learned; accuracy by group as its mean
    and that of the worst group; images of the classes of hidden attributes are left out.

    Examples
    --------
    >>> from withhold.contracts.audit_record import Splits
    >>> told = {"hiv": Quantity(value=0.1, kind="estimate", n=12), "none": Quantity(value=0.0, kind="estimate", n=900)}
    >>> leakage = Quantity(value=0.1, kind="lower_bound")
    >>> illness = SensitiveResult(
    ...     kind="categorical", entropy=0.2, leakage=leakage, leakage_total=leakage, percent_of_entropy=50.0,
    ...     groups=told,
    ... )
    >>> record = AuditRecord(
    ...     verdict=None, statement="", budget=None, n=912, level=0.95, panel=[], effort="quick",
    ...     splits=Splits(audit=912, folds=2), sensitive={"illness": illness},
    ... )
    >>> {name: one.n for name, one in shareable(record).sensitive["illness"].groups.items()}
    {'least is learned of': None, 'most is learned of': None}
    """
    update = {
        "sensitive": {name: _without_classes(result) for name, result in record.sensitive.items()},
        "utility": {name: _without_levels(result) for name, result in record.utility.items()},
    }
    if record.images is not None:
        kept = [mean for mean in record.images.classes if mean.attribute not in record.sensitive]
        return record.model_copy(update={**update, "images": record.images.model_copy(update={"classes": kept})})
    return record.model_copy(update=update)


def _without_classes(result: SensitiveResult) -> SensitiveResult:
    ordered = sorted(result.groups.values(), key=lambda one: one.value)
    ends = {LEAST: ordered[0], MOST: ordered[-1]} if len(ordered) > 1 else {}
    uncounted: dict[str, Quantity] = {name: one.model_copy(update={"n": None}) for name, one in ends.items()}
    return result.model_copy(update={"groups": uncounted})


def _without_levels(result: UtilityResult) -> UtilityResult:
    groups = {name: found.model_copy(update={"levels": {}}) for name, found in result.groups.items()}
    return result.model_copy(update={"groups": groups})
