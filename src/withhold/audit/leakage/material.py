"""What is attacked, as matrices: the release alone, with U, the original, and every further surface."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from withhold.audit.request import Request, attribute_table
from withhold.audit.view.auxiliary import Surface, with_columns
from withhold.audit.view.units import named_subjects
from withhold.audit.view.view import AttackView
from withhold.data.attribute import Attribute

# Before a name that no column of a release has then, so that U is told apart from a column of the same name.
UTILITY = "\x00utility "


@dataclass(frozen=True)
class Material:
    """What is attacked.

    Attributes
    ----------
    release, utility, original : pyarrow.Table or None
        The release without S and U; the utility attributes handed over with it; the original features.
    view : AttackView
        Of the release.
    total_view, original_view : AttackView or None
        Of release and utility; of the original features.
    useful : tuple of Attribute
        The utility attributes, whose hard predictions, side by side, are the trivial rival.
    fit_rows : ndarray of bool or None
        Rows the sanitiser was fitted on.
    surfaces : tuple of Surface
        What else the recipient holds or can make, with the utility attributes that are handed over.
    keys : pyarrow.Table or None
        Columns that say something of subjects, not of records: their names, and what was set aside.
    """

    release: pa.Table
    utility: pa.Table | None
    view: AttackView
    total_view: AttackView | None
    original_view: AttackView | None
    useful: tuple[Attribute, ...]
    fit_rows: np.ndarray | None
    surfaces: tuple[Surface, ...] = ()
    keys: pa.Table | None = None


def make_material(request: Request, utility_in_release: bool) -> Material:
    """Build the views of everything a request attacks.

    Parameters
    ----------
    request : Request
        The parts of one audit.
    utility_in_release : bool
        Whether the recipient gets U.
    """
    utility = attribute_table(request.utility) if len(request.utility) and utility_in_release else None
    hidden = None if utility is None else utility.rename_columns([UTILITY + name for name in utility.column_names])
    total = None
    if hidden is not None:
        both = request.release
        for name in hidden.column_names:
            both = both.append_column(name, hidden.column(name))
        total = AttackView.fit(both)
    return Material(
        request.release,
        utility,
        AttackView.fit(request.release),
        total,
        None if request.original is None else AttackView.fit(request.original),
        tuple(request.utility),
        request.fit_rows,
        tuple(with_columns(surface, hidden) for surface in request.surfaces),
        _keys(request),
    )


def _keys(request: Request) -> pa.Table | None:
    """Return the column that names subjects, those set aside and those of the release that name subjects, each once."""
    tables = [table for table in (request.keys, request.set_aside) if table is not None]
    if request.groups is not None:
        tables.append(request.release.select(named_subjects(request.release, request.groups)))
    columns = {name: table.column(name) for table in tables for name in table.column_names}
    return pa.table(columns) if columns else None
