"""Columns that name their record: identifiers, keys and free text."""

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.stats import rankdata

from withhold.contracts.finding import Finding
from withhold.contracts.wording import advice, flags
from withhold.data.arrow_types import Family
from withhold.data.columns.levels import LevelCounts
from withhold.data.columns.writing import written_by_people

# Text with more than this share of different values names records rather than groups of them.
TEXT_SHARE = 0.5
# Integers need more: a salary or a sampling weight is often different for two records of three.
INTEGER_SHARE = 0.95
# Below this many rows integers are nearly always different, so their share says nothing.
INTEGER_ROWS = 50
# In a quantity records meet by chance, mostly where values are dense, and twice as many pairs lie one step apart, or
# two, as meet. In numbers of records they meet where a record stands twice, which is anywhere. So many pairs must meet,
# so many steps are looked at, the ratio is 2 within this factor, density is that of so many neighbours, and that of the
# values in which records meet exceeds the usual rank by so many standard errors.
LEAST_MEETING, STEPS, WITHIN, NEIGHBOURS, SURE = 5, 5, 2.0, 10, 2.5
# Values of at least this many words on average, and more than this many different ones, are sentences.
TEXT_WORDS = 5
TEXT_LEVELS = 100
_KEY_WORDS = {"id", "ids", "nbr", "no", "num", "number", "key", "uuid", "guid", "ssn", "mrn", "identifier"}


@dataclass(frozen=True)
class Screened:
    """Why a column is dropped."""

    name: str
    reason: Literal["identifier", "free_text"]
    detail: str

    @property
    def kept(self) -> Finding:
        """The finding for a column that is kept by name all the same: it is never released in silence."""
        what = "an identifier" if self.reason == "identifier" else "text that people wrote"
        text = f"Column {self.name!r} looks like {what} ({self.detail}) and is released because it was kept by name."
        return Finding(code=f"{self.reason}_kept", severity="warning", text=text, column=self.name)

    @property
    def finding(self) -> Finding:
        """The finding that says so."""
        what = "an identifier" if self.reason == "identifier" else "free text"
        text = (
            f"Column {self.name!r} looks like {what} ({self.detail}) and is left out of the release. "
            f"Keep it with {advice(f'keep=[{self.name!r}]', flags('--keep', [self.name]))}."
        )
        return Finding(code=f"{self.reason}_dropped", severity="warning", text=text, column=self.name)


def screen_levels(name: str, counted: LevelCounts, group: Family) -> Screened | None:
    """Return why a column of levels is dropped, or None.

    Examples
    --------
    >>> screen_levels("name", LevelCounts.of(pa.chunked_array([["Ann", "Bo", "Cy"]])), "text").reason
    'identifier'
    """
    known, distinct = int(counted.counts.sum()), len(counted.counts)
    if group == "text" and distinct > TEXT_LEVELS:
        words = pc.mean(pc.add(pc.count_substring_regex(pc.utf8_trim_whitespace(counted.values), r"\s+"), 1)).as_py()
        if words >= TEXT_WORDS:
            return Screened(name, "free_text", f"{distinct} different texts of {words:.0f} words on average")
    if group != "boolean" and distinct > TEXT_SHARE * known and distinct > 2:
        return Screened(name, "identifier", f"{distinct:,} different values in {known:,} rows")
    if group == "text" and (kind := written_by_people(name, counted.values.to_pylist())):
        return Screened(name, "free_text", f"{kind} that people wrote: {distinct} different ones")
    return None


def screen_integers(name: str, column: pa.ChunkedArray) -> Screened | None:
    """Return why a column of whole numbers is dropped, or None.

    Examples
    --------
    >>> screen_integers("patient_nbr", pa.chunked_array([list(range(100)) + [7] * 40])).reason
    'identifier'
    >>> screen_integers("salary", pa.chunked_array([list(range(100)) + [7] * 40])) is None
    True
    """
    values = column.drop_null().to_numpy()
    whole = values.dtype.kind in "iu"
    named = bool(_KEY_WORDS & set(re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())))
    if len(values) < INTEGER_ROWS or not (whole or named):
        return None
    # A look at some rows spares the sort of a long column that is plainly no key: a sample has relatively more
    # different values than the whole.
    some = values[:: max(1, len(values) // 4096)]
    share = len(np.unique(some)) / len(some)
    needed = TEXT_SHARE if named else INTEGER_SHARE
    if share <= needed:
        return None
    values = values if whole else values[np.isfinite(values)]
    if not whole and not (values == np.rint(values)).all():
        return None
    distinct = len(np.unique(values))
    if distinct > needed * len(values) and (named or not _measures(values)):
        return Screened(name, "identifier", f"{distinct:,} different whole numbers in {len(values):,} rows")
    return None


def _measures(values: np.ndarray) -> bool:
    """Whether whole numbers are a quantity, such as an amount of money, by where records meet in them.

    Examples
    --------
    >>> amounts = np.exp(np.random.default_rng(0).normal(8, 1, 900)).astype(int)
    >>> _measures(amounts), _measures(np.arange(900)), _measures(np.r_[np.arange(0, 9000, 10), np.arange(0, 900, 10)])
    (True, False, False)
    """
    distinct, counts = np.unique(values.astype(np.float64), return_counts=True)
    ordered, above = np.repeat(distinct, counts), np.arange(len(values)) + 1
    meeting, near = (int((np.searchsorted(ordered, ordered + step, side="right") - above).sum()) for step in (0, STEPS))
    apart = (near - meeting) / STEPS
    if meeting < LEAST_MEETING or not 2 / WITHIN <= apart / meeting <= 2 * WITHIN:
        return False
    first = np.clip(np.arange(len(distinct)) - NEIGHBOURS // 2, 0, len(distinct) - 1 - NEIGHBOURS)
    density = rankdata(distinct[first] - distinct[first + NEIGHBOURS]) / len(distinct)
    met = density[counts > 1]
    return bool(met.mean() - 0.5 > SURE * (1 / 12 / len(met)) ** 0.5)
