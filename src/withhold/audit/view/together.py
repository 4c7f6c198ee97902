"""What columns tell only together: those of one release are kept while they are read, as many as memory allows."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from withhold.audit.view.consistency import consistency_columns
from withhold.audit.view.copies import without_sign
from withhold.audit.view.counted import length_columns, word_count_columns
from withhold.audit.view.features import FEW, Column
from withhold.audit.view.households import links_of
from withhold.audit.view.links import Rows
from withhold.audit.view.local import local_columns
from withhold.audit.view.mentions import mention_columns
from withhold.audit.view.mirrored import mirror_links
from withhold.audit.view.named_values import named_columns
from withhold.audit.view.noise_streams import stream_columns
from withhold.audit.view.partial_copies import next_columns, part_columns
from withhold.audit.view.points import point_columns
from withhold.audit.view.reading import Reading
from withhold.audit.view.relations import WIDEST, KnownNumbers, relation_columns
from withhold.audit.view.same_numbers import same_columns
from withhold.audit.view.same_place import place_links
from withhold.audit.view.units import names_units, unit_columns, unit_links
from withhold.audit.view.within_groups import group_columns
from withhold.audit.view.words import in_words

# Entries of each kind that are kept (numbers take 160 MB), and columns whose values may name rows.
MOST_ENTRIES, MOST_NAMES = 20_000_000, 32


class Kept:
    """Columns that are compared with each other: numbers, categories, codes, and those that may name rows.

    Parameters
    ----------
    n : int
        Rows of the release.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from withhold.audit.view.reading import read_columns
    >>> kept = Kept(40)
    >>> for reading in read_columns(pa.table({"id": range(40), "sex": ["f", "m"] * 20})):
    ...     kept.add(reading)
    >>> len(kept.numbers), len(kept.categories), len(kept.names)
    (1, 1, 1)
    """

    def __init__(self, n: int) -> None:
        self.most = min(WIDEST, MOST_ENTRIES // max(1, n))
        self.numbers: list[Reading] = []
        self.categories: list[Reading] = []
        self.codes: list[Reading] = []
        self.names: list[Reading] = []
        self.texts: list[Reading] = []
        self.units: list[Reading] = []
        self.columns = 0

    def add(self, reading: Reading) -> None:
        """Keep a column under each head that it comes under, as long as there is room."""
        many = len(reading.levels) > FEW
        self.columns += 1
        if reading.numbers is not None and many and len(self.numbers) < self.most:
            self.numbers.append(reading)
        if (reading.kind == "category" or not many) and len(self.categories) < self.most:
            self.categories.append(reading)
        if many and reading.kind != "category" and len(self.codes) < MOST_NAMES and _whole(reading):
            self.codes.append(reading)
        if many and (reading.kind == "category" or _whole(reading)) and len(self.names) < MOST_NAMES:
            self.names.append(reading)
            if names_units(reading):
                self.units.append(reading)
        if in_words(reading) and len(self.texts) < self.most:
            self.texts.append(reading)

    def relations(self, links: Rows | None = None) -> Iterator[Column]:
        """Yield residuals, agreements, what known noise leaves, mentions, counts, ranks, copies in parts, digits.

        And of the rows that a row is linked with, what they hold.
        """
        known = KnownNumbers.of(self.numbers)
        residuals = list(relation_columns(known))
        yield from residuals
        yield from point_columns(known)
        yield from same_columns(known)
        yield from local_columns(known, residuals)
        yield from consistency_columns(self.categories, self.codes)
        yield from stream_columns(known)
        yield from mention_columns(self.texts, self.categories)
        yield from length_columns(self.texts, self.codes)
        few = [one for one in self.categories if one.kind == "number" and _whole(one)]
        yield from word_count_columns(self.texts, [*self.codes, *few])
        yield from group_columns(self.names, self.numbers)
        yield from part_columns(self.numbers, self.columns)
        yield from next_columns(self.numbers)
        yield from without_sign(known.matrix.T)
        yield from unit_columns(self.units)
        yield from named_columns(links, self.numbers, self.categories)

    def links(self, time: npt.NDArray[np.float64] | None = None) -> Rows | None:
        """Return the rows that each row is linked with; None where there is no link."""
        further = unit_links(self.units, time), mirror_links(self.names), place_links(self.numbers)
        return links_of(self.names, self.categories, self.texts, further)


def _whole(reading: Reading) -> bool:
    """Whether all numbers are whole, as those of rows are."""
    return reading.exact is not None or bool((reading.levels == np.floor(reading.levels)).all())
