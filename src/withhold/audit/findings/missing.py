"""Missing values that reveal the sensitive attribute."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from withhold.audit.findings.evidence import holm, lookup
from withhold.audit.findings.finder import Code, Finder
from withhold.audit.view.reading import Reading
from withhold.contracts.finding import Finding, Severity
from withhold.contracts.wording import percent

Codes = npt.NDArray[np.int64]

# Ways in which text says "no value" (pandas and R read all but "?" so by default; UCI files use "?").
SENTINELS = frozenset({"", "?", "na", "n/a", "nan", "null", "none", "unknown", "missing", "-", "."})
# Shares of H(S) from which missingness is worth a word, and from which it is critical.
NOTED, CRITICAL = 0.005, 0.5
MISSINGNESS = Code("missingness_reveals_s", ("critical", "warning"), "Fill the gaps, or leave the columns out.")


def missing_values(readings: Sequence[Reading], name: str, s: Codes, folds: Codes) -> list[Finding]:
    """Name the columns whose missing values alone say something about the attribute.

    Examples
    --------
    >>> from withhold.audit.view.reading import read_columns
    >>> import pyarrow as pa
    >>> s = np.arange(400) % 2
    >>> table = pa.table({"ca": [None if c else 1.0 for c in s]})
    >>> missing_values(list(read_columns(table)), "centre", s, np.arange(400) // 2 % 5)[0].text
    "Alone, missing values in 'ca' reveal centre (100 % of its entropy)."
    """
    flags = [(r.source, _blank(r)) for r in readings]
    flags = [(source, flag) for source, flag in flags if 0 < flag.sum() < len(flag)]
    found = [lookup(flag.astype(np.int64), s, folds) for _, flag in flags]
    out = []
    for (source, _), evidence, significant in zip(flags, found, holm([e.p_value for e in found]), strict=True):
        if significant and evidence.share >= NOTED:
            text = f"Alone, missing values in '{source}' reveal {name} ({percent(evidence.share)} of its entropy)."
            severity: Severity = "critical" if evidence.share >= CRITICAL else "warning"
            out.append(MISSINGNESS.found(text, [source], severity))
    return out


def _blank(reading: Reading) -> npt.NDArray[np.bool_]:
    blank = reading.missing
    if reading.kind == "category":
        named = np.asarray([str(level).strip().lower() in SENTINELS for level in reading.levels.tolist()] + [False])
        blank = blank | named[reading.codes]
    return blank


FINDER = Finder.of_each(
    (MISSINGNESS,),
    lambda scene, asked: missing_values(scene.rows.after, asked.name, asked.s, scene.rows.folds),
    place=46,
)
