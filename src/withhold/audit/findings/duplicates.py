"""Identical rows on both sides of the split between fitting and judging."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from withhold.audit.findings.finder import Code, Finder
from withhold.audit.view.pixels import image_numbers
from withhold.audit.view.reading import read_columns
from withhold.audit.view.suppression import LEAST_RECORDS
from withhold.contracts.finding import Finding
from withhold.contracts.images import image_array, image_names
from withhold.contracts.wording import percent

# Copies are a warning where rows are otherwise nearly all different: a table of three yes/no columns repeats itself.
WARNED, MOSTLY_DIFFERENT = 0.01, 0.9
DUPLICATES = Code("duplicates_across_splits", ("warning", "info"), "Judge records that are in no part of the fit.")


def row_numbers(table: pa.Table) -> npt.NDArray[np.int64]:
    """Give each row a number so that equal rows, and only they, share a number.

    Examples
    --------
    >>> row_numbers(pa.table({"a": [1, 2, 1], "b": ["x", "x", "x"]})).tolist()
    [0, 1, 0]
    """
    numbers = np.zeros(table.num_rows, np.int64)
    for reading in read_columns(table):
        # Two columns at a time, renumbered each time, so that the product never overflows.
        mixed = numbers * (len(reading.levels) + 1) + reading.codes + 1
        numbers = np.unique(mixed, return_inverse=True)[1].astype(np.int64)
    for name in image_names(table):
        codes = image_numbers(image_array(table.column(name)))
        numbers = np.unique(numbers * (codes.max(initial=0) + 1) + codes, return_inverse=True)[1]
    return numbers.astype(np.int64)


def duplicates_across_splits(
    release: pa.Table, fit_rows: npt.NDArray[np.bool_] | None, original: pa.Table | None = None
) -> list[Finding]:
    """Say how many rows of the audit part have an identical twin in the part the sanitiser was fitted on.

    The sanitiser was fitted on originals; where they are not at hand, released rows are compared, of which a coarse
    release has twins by itself.

    Examples
    --------
    >>> table = pa.table({"a": list(range(50)) * 2})
    >>> duplicates_across_splits(table, np.arange(100) < 50)[0].code
    'duplicates_across_splits'
    """
    table = release if original is None else original
    if fit_rows is None or fit_rows.all() or not fit_rows.any() or table.num_columns == 0:
        return []
    numbers = row_numbers(table)
    twins = np.isin(numbers[~fit_rows], numbers[fit_rows])
    if not twins.any():
        return []
    share = float(twins.mean())
    within = len(np.unique(numbers[fit_rows])) / fit_rows.sum()
    severe = share >= WARNED and within >= MOSTLY_DIFFERENT
    number = int(twins.sum())
    # The share would give a small number away.
    many = f"{number} rows" if number >= LEAST_RECORDS else f"Fewer than {LEAST_RECORDS} rows"
    part = f" ({percent(share)})" if number >= LEAST_RECORDS else ""
    text = f"{many} of the audit part{part} are identical to rows the sanitiser was fitted on"
    text += ", as they were released" if original is None else ""
    text += ": the audit part is not unseen." if severe else "."
    return [DUPLICATES.found(text, severity="warning" if severe else "info")]


FINDER = Finder(
    (DUPLICATES,),
    lambda scene: duplicates_across_splits(scene.every.release, scene.fit_rows, scene.every.original),
    place=10,
)
