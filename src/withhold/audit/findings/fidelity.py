"""What analyses of a release would get wrong: shares, common values, missing values and relations that moved."""

from collections.abc import Iterator, Sequence

from withhold.audit.findings.finder import Code, Finder
from withhold.contracts.fidelity_record import ColumnFidelity, FidelityResult, PairFidelity
from withhold.contracts.finding import Finding, Severity
from withhold.contracts.wording import percent

MARGINAL = Code(
    "marginal_moved",
    ("warning", "info"),
    "Leave these columns out of tables and means, or give the method more budget.",
)
MISSING = Code(
    "missing_moved", ("warning", "info"), "Do not read these columns as complete: compare their gaps with the original."
)
LEVELS = Code(
    "levels_lost", ("warning", "info"), "Do not count these values in the release; take their shares from the original."
)
PAIRS = Code(
    "pairs_broken", ("warning", "info"), "Do not relate these columns to each other, or give the method more budget."
)
# From where on a reader must know: a share off by twenty points, a value or gap by ten; a relation by .3, which makes
# or breaks a medium effect (J. Cohen, Statistical power analysis, 1988).
FAR_MOVED, FAR_LEVEL, FAR_MISSING, FAR_PAIR = 0.2, 0.1, 0.1, 0.3
NAMED = 3
MEASURES = {"correlation": "correlation", "cramers_v": "Cramer's V"}


def fidelity_findings(found: FidelityResult | None) -> Iterator[Finding]:
    """Name what moved so far that analyses would notice, the worst first.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from withhold.audit.fidelity.fidelity import measure_fidelity
    >>> before, after = pa.table({"sex": ["f", "m"] * 50}), pa.table({"sex": ["f"] * 90 + ["m"] * 10})
    >>> for one in fidelity_findings(measure_fidelity(before, after)):
    ...     print(one.text)
    Shares computed from the release are off by up to 40 points in 'sex'.
    Common values changed their share: 'f' in 'sex' from 50 % to 90 % and 'm' in 'sex' from 50 % to 10 %.
    """
    if found is None:
        return
    columns = found.columns
    for look in (_marginals, _missing, _levels):
        yield from look(columns)
    yield from _pairs(found)


def _marginals(columns: dict[str, ColumnFidelity]) -> Iterator[Finding]:
    moved = {name: one.moved or 0.0 for name, one in columns.items() if "marginal_moved" in one.issues}
    worst = sorted(moved, key=lambda name: -moved[name])
    if worst:
        said = [f"{_points(moved[name])} in '{name}'" for name in worst]
        text = f"Shares computed from the release are off by up to {_some(said, 'column')}."
        yield MARGINAL.found(text, worst, _severity(moved[worst[0]] > FAR_MOVED))


def _missing(columns: dict[str, ColumnFidelity]) -> Iterator[Finding]:
    moved = {
        name: abs(one.missing_after - (one.missing_before or 0.0))
        for name, one in columns.items()
        if "missing_moved" in one.issues
    }
    worst = sorted(moved, key=lambda name: -moved[name])
    if worst:
        said = [
            f"in '{name}' from {_share(columns[name].missing_before)} to {percent(columns[name].missing_after)} of rows"
            for name in worst
        ]
        text = f"The share of missing values changed: {_some(said, 'column')}."
        yield MISSING.found(text, worst, _severity(moved[worst[0]] > FAR_MISSING))


def _levels(columns: dict[str, ColumnFidelity]) -> Iterator[Finding]:
    moved = [(abs(one.after - (one.before or 0.0)), name, one) for name, c in columns.items() for one in c.levels]
    moved.sort(key=lambda item: -item[0])
    if moved:
        said = [f"'{one.level}' in '{name}' from {_share(one.before)} to {_after(one.after)}" for _, name, one in moved]
        text = f"Common values changed their share: {_some(said, 'value')}."
        lost = moved[0][0] > FAR_LEVEL or any(not one.after for _, _, one in moved)
        yield LEVELS.found(text, list(dict.fromkeys(name for _, name, _ in moved)), _severity(lost))


def _pairs(found: FidelityResult) -> Iterator[Finding]:
    broken = [pair for pair in found.pairs if pair.broken]
    if broken:
        said = [_related(pair) for pair in broken]
        more = found.broken_pairs - len(said)
        text = f"{found.broken_pairs} of {found.pairs_compared} pairs of columns "
        text += f"{'is' if found.broken_pairs == 1 else 'are'} related otherwise than in the original: "
        text += f"{_some(said, 'pair', more)}."
        far = max(abs((pair.after or 0.0) - (pair.before or 0.0)) for pair in broken) > FAR_PAIR
        yield PAIRS.found(text, (), _severity(far))


def _related(pair: PairFidelity) -> str:
    first, second = pair.columns
    strength = f"{MEASURES[pair.measure]} {pair.before or 0.0:.2f} before, {pair.after or 0.0:.2f} after"
    return f"'{first}' and '{second}' ({strength})"


def _severity(far: bool) -> Severity:
    return "warning" if far else "info"


def _points(share: float) -> str:
    return f"{100 * share:.0f} points"


def _share(share: float | None) -> str:
    return "fewer than ten rows" if share is None else percent(share) if share else "none"


def _after(share: float) -> str:
    return percent(share) if share else "none"


def _some(said: Sequence[str], what: str, more: int = 0) -> str:
    rest = max(0, len(said) - NAMED) + more
    parts = [*said[:NAMED], *([f"{rest} more {what}{'s' if rest > 1 else ''}"] if rest else [])]
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


FINDER = Finder((MARGINAL, MISSING, LEVELS, PAIRS), lambda scene: fidelity_findings(scene.fidelity), place=55)
