"""What else the recipient holds or can make of the same records: each is attacked like the release itself.

Three kinds: other versions of the same records, which are joined with the release side by side and averaged, because
averaging is what takes noise off; views that anyone can compute from the release, such as the table decoded from it;
and further draws that somebody who has the sanitiser makes of records he knows, which only add to what he learns from.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from withhold.audit.design import Design
from withhold.audit.view.averaging import averaged, further_columns
from withhold.audit.view.view import AttackView
from withhold.contracts.checks import check_rows
from withhold.contracts.errors import DataError
from withhold.data.attribute import Attribute, Attributes
from withhold.data.frames import to_frame

# With more versions than this, what all of them share is given as its mean alone.
MOST_BESIDE = 3
ALSO, MEAN, REDRAWN = "also: ", "also: mean of ", "redrawn: "


@dataclass(frozen=True)
class Surface:
    """One further thing that is attacked.

    Attributes
    ----------
    name : str
        As in the record.
    table : pyarrow.Table
        Its first n rows are the records, in the order of the release.
    draws : int
        Further draws of the records below those rows, n rows each; attackers learn from them and are never scored
        on them, and a draw is learned from only where its record is.
    same : bool
        Whether it holds nothing that the release does not hold: then it tells what the release tells.
    counts : bool
        Whether the recipient is assumed to have it, so that the verdict counts it.

    Examples
    --------
    >>> surface = Surface("decoded", pa.table({"a": [1, 2]}))
    >>> surface.take(np.array([1])).table.to_pydict()
    {'a': [2]}
    """

    name: str
    table: pa.Table = field(repr=False)
    draws: int = 0
    same: bool = False
    counts: bool = True

    @cached_property
    def view(self) -> AttackView:
        """Matrices of the table; position is no clue to which draw a row is of."""
        return AttackView.fit(self.table, row_order=self.draws == 0)

    def take(self, rows: NDArray[np.int64]) -> "Surface":
        """Return the surface of some records, all draws of each."""
        n = self.table.num_rows // (1 + self.draws)
        every = np.concatenate([rows + k * n for k in range(1 + self.draws)])
        return replace(self, table=self.table.take(pa.array(every)))

    def attribute(self, attribute: Attribute) -> Attribute:
        """Return the attribute of every row, draws included."""
        return attribute if not self.draws else attribute.take(np.tile(np.arange(len(attribute.codes)), 1 + self.draws))

    def attributes(self, attributes: Attributes) -> Attributes:
        """Return the attributes of every row, draws included."""
        return Attributes(tuple(self.attribute(one) for one in attributes))

    def design(self, design: Design) -> Design:
        """Return the design for every row: a draw stands in the fold of its record and is not scored."""
        if not self.draws:
            return design
        n, times = len(design.fold), 1 + self.draws
        # All draws of a record are one subject, so that calibration never sees a copy of what was learned by heart.
        groups = np.arange(n) if design.groups is None else design.groups
        return replace(
            design,
            fold=np.tile(design.fold, times),
            groups=np.tile(groups, times),
            trainable=np.tile(design.trainable, times),
            scorable=np.concatenate([design.scorable, np.zeros(n * self.draws, bool)]),
        )


def read_surfaces(
    release: pa.Table,
    also: Mapping[str, Any] | None,
    surfaces: Mapping[str, Any] | None,
    redrawn: Sequence[Any] | None,
    without: Callable[[pa.Table], pa.Table],
    hypothetical: Mapping[str, Any] | None = None,
) -> tuple[Surface, ...]:
    """Read what `audit_release` was given beside the release.

    Parameters
    ----------
    release : pyarrow.Table
        Attacked columns.
    also, surfaces, redrawn, hypothetical
        As in `audit_release`.
    without : callable
        Takes S, U and subjects out of a table.

    Examples
    --------
    >>> release, earlier = pa.table({"a": [1.0, 2.0]}), pa.table({"a": [3.0, 4.0]})
    >>> found = read_surfaces(release, {"earlier": earlier}, None, None, lambda table: table)
    >>> [(one.name, one.table.column_names) for one in found]
    [('also: earlier', ['a', 'earlier: a']), ('also: mean of 2 versions', ['mean of a'])]
    """
    found = []
    versions = {name: without(_rows_of(table, release, name)) for name, table in (also or {}).items()}
    if versions:
        found += _joined(release, versions)
    for given, counts in ((surfaces, True), (hypothetical, False)):
        for name, table in (given or {}).items():
            found.append(Surface(name, without(_rows_of(table, release, name)), counts=counts))
    if redrawn:
        draws = [without(_rows_of(table, release, "redrawn")) for table in redrawn]
        stacked = pa.concat_tables([release, *(_like(draw, release) for draw in draws)]).unify_dictionaries()
        found.append(Surface(f"{REDRAWN}{len(draws)} more draws to learn from", stacked, draws=len(draws)))
    return tuple(found)


def _joined(release: pa.Table, versions: Mapping[str, pa.Table]) -> list[Surface]:
    """Return the release with its versions side by side, and their mean.

    Of many versions only the mean is given of what all share: so many columns drown what each of them tells.
    """
    mean = averaged([release, *versions.values()])
    shared = set(release.column_names).intersection(*(table.column_names for table in versions.values()))
    many = len(versions) > MOST_BESIDE and mean.num_columns > 0
    joined, before = (mean, mean.num_columns) if many else (release, release.num_columns)
    for name, table in versions.items():
        for column in further_columns(table, release).column_names:
            if not (many and column in shared):
                joined = joined.append_column(f"{name}: {column}", table.column(column))
    found = []
    if joined.num_columns > before or not mean.num_columns:
        label = next(iter(versions)) if len(versions) == 1 else f"{len(versions)} other versions"
        found.append(Surface(ALSO + label, joined, same=joined.num_columns == release.num_columns))
    if mean.num_columns:
        found.append(Surface(f"{MEAN}{1 + len(versions)} versions", mean))
    return found


def with_columns(surface: Surface, further: pa.Table | None) -> Surface:
    """Add columns that the recipient has beside every surface, such as U."""
    if further is None:
        return surface
    table = surface.table
    for name in further.column_names:
        column = further.column(name)
        table = table.append_column(name, pa.chunked_array([*column.chunks * (1 + surface.draws)], column.type))
    return replace(surface, table=table)


def _rows_of(given: Any, release: pa.Table, name: str) -> pa.Table:
    table = to_frame(given, name).table
    check_rows(name, table.num_rows, release.num_rows, "the release")
    return table


def _like(draw: pa.Table, release: pa.Table) -> pa.Table:
    try:
        return draw.select(release.column_names).cast(release.schema)
    except (KeyError, pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise DataError(
            f"A further draw lacks the columns or types of the release: {reason}. Make it with the sanitiser of the "
            "release."
        ) from error
