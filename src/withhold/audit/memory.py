"""How much memory an audit will take, said before it starts: what is held already and what its largest stage adds.

The bytes of each stage are counted from rows and columns. Peaks of quick audits of the release alone, in GB, measured
and foretold: 300 x 10,000 1.08 and 1.11, 2,000 x 1,000 .84 and 1.10, 50,000 x 64 1.19 and 1.08, 200,000 x 300 3.67
and 3.80. What an original beside a wide table takes is counted, and not measured.
"""

import os
import sys
from pathlib import Path

from withhold.audit.duration import CELLS, Sizes
from withhold.audit.effort import Effort, lower_efforts
from withhold.audit.kept.decoder import MOST_LOGITS, network_sizes
from withhold.audit.people.linkage import MOST_CANDIDATES, MOST_PAIRS
from withhold.training.trees import cells_for

# Bytes of an entry (a row of one column). Of what a fold is attacked with: its rows in single precision, clipped and
# standardised; of the trees' columns, in double precision and in cells. Of a column that is kept as it was read.
ATTACKED, CUT, READ = 24, 22, 28
# Of a planted release and of the covariance of its directions; of a number beside its ranks; of originals compared.
PLANTED, RANKED, COMPARED, CELLED = 4, 32, 60, 8
DIRECTIONS = 256
# Of a weight with its gradient and moments, of a logit with its softmax, of a cell of a leaf of a tree.
WEIGHT, LOGIT, CELL = 16, 12, 20
LEAVES = 62
FIXED = 60e6
# Held by an interpreter with everything imported, where the system does not say.
IMPORTED = 450e6


def working_bytes(sizes: Sizes, effort: Effort) -> float:
    """Return what the largest stage of an audit needs beside the tables and their views, in bytes.

    Examples
    --------
    >>> from withhold.audit.effort import EFFORTS
    >>> narrow, wide = (Sizes(2_000, p, p, attacks=1, original=p) for p in (10, 1_000))
    >>> working_bytes(narrow, EFFORTS["quick"]) < working_bytes(wide, EFFORTS["quick"])
    True
    """
    n, p, q, o = sizes.rows, max(1, sizes.columns), max(1, sizes.codes), sizes.original
    folds = max(2, min(effort.folds, n // 2))
    train = n * (folds - 1) / folds
    leaves = min(LEAVES, 2 + train / 5)
    trees = CELL * leaves * q * min(cells_for(int(train), q), train) + CUT * train * q
    attack = PLANTED * n * (p + q + DIRECTIONS) + max(ATTACKED * train * p, trees)
    survey = n * (READ * (q + o) + RANKED * q)
    return float(FIXED + max(attack, survey, _retention(n, train, p, o), _linkage(n, p, o)))


def announced_bytes(sizes: Sizes, effort: Effort) -> float:
    """Return the expected peak of this process: what it holds with the views built, and the largest stage."""
    return max(peak_so_far(), resident() + working_bytes(sizes, effort))


def resident() -> float:
    """Return the memory this process holds, in bytes; about what its libraries take where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return max(IMPORTED, peak_so_far())
    return float(pages * os.sysconf("SC_PAGE_SIZE"))


def peak_so_far() -> float:
    """Return the most memory this process has held, in bytes; 0 where the system does not say."""
    if sys.platform == "win32":
        return 0.0
    import resource

    peak = float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return peak if sys.platform == "darwin" else 1024 * peak


def free() -> float | None:
    """Return the memory that this process can still get, in bytes; None where the system does not say."""
    found = []
    try:
        rows = (line.split() for line in Path("/proc/meminfo").read_text().splitlines())
        found += [1024.0 * int(row[1]) for row in rows if row[0] == "MemAvailable:"]
        group = Path("/sys/fs/cgroup")  # of a container with a limit of its own
        most, used = ((group / name).read_text() for name in ("memory.max", "memory.current"))
        found += [max(0.0, float(most) - float(used))]
    except (OSError, ValueError, IndexError):
        pass
    return min(found, default=None)


def in_words(count: float) -> str:
    """Return an amount of memory as people say it.

    Examples
    --------
    >>> in_words(437e6), in_words(1.23e9), in_words(23.4e9)
    ('450 MB', '1.2 GB', '23 GB')
    """
    if count < 0.975e9:
        return f"{max(50, 50 * round(count / 50e6))} MB"
    return f"{count / 1e9:.1f} GB" if count < 9.95e9 else f"{count / 1e9:.0f} GB"


def shortage(expected: float, held: float, left: float | None, effort: Effort) -> str:
    """Return the sentence that warns of too little memory; nothing where there is enough, or nobody knows.

    Parameters
    ----------
    expected : float
        Peak of this process in bytes.
    held : float
        What it holds already.
    left : float or None
        What it can still get.

    Examples
    --------
    >>> from withhold.audit.effort import EFFORTS
    >>> shortage(9e9, 1e9, 2e9, EFFORTS["quick"])
    'This machine has 2.0 GB of memory left, and the audit needs about 8.0 GB more: audit fewer rows or columns.'
    """
    if left is None or expected - held <= left:
        return ""
    lower = lower_efforts(effort)
    remedy = f"use the {lower[0].name} effort, or audit fewer rows." if lower else "audit fewer rows or columns."
    return (
        f"This machine has {in_words(left)} of memory left, and the audit needs about {in_words(expected - held)} "
        f"more: {remedy}"
    )


def _retention(n: int, train: float, columns: int, original: int) -> float:
    if not original:
        return 0.0
    outputs = CELLS * original
    inputs, width = network_sizes(columns, outputs)
    weights = WEIGHT * (inputs + width) * outputs
    logits = LOGIT * min(MOST_LOGITS, (n - train) * outputs)
    return CELLED * n * original + 12.0 * train * columns + weights + logits


def _linkage(n: int, columns: int, original: int) -> float:
    rows = min(n, MOST_CANDIDATES + MOST_PAIRS)
    return COMPARED * rows * (columns + original) + 6.0 * 8 * MOST_CANDIDATES**2 if original else 0.0
