"""Whether everything that was matched by position alone is in the order of the release, and no key is contradicted."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from withhold.audit.alignment import check_alignment, check_key
from withhold.audit.design import one_thread
from withhold.contracts.finding import Finding
from withhold.contracts.seeds import stream
from withhold.data.frames import to_frame


def check_orders(
    release: pa.Table, sensitive: tuple[str, pa.Table | None], versions: Mapping[str, Any], seed: int
) -> tuple[bool, list[Finding]]:
    """Check the order of S and of other versions of the records, where only row numbers or a key speak for it.

    Parameters
    ----------
    release : pyarrow.Table
    sensitive : tuple of {"given", "key", "rows"} and pyarrow.Table or None
        What the order of S rests on, and the other columns of the table S came from.
    versions : mapping of str to table
        Other versions of the same records whose order is to be proven.
    seed : int

    Returns
    -------
    bool, list of Finding
        Whether all is proven; why not.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=600)
    >>> release, other = pa.table({"a": x}), pa.table({"b": x + 0.1})
    >>> check_orders(release, ("given", None), {"may.csv": other}, 0)
    (True, [])
    >>> proven, notes = check_orders(release, ("given", None), {"may.csv": other.take(list(range(599, -1, -1)))}, 0)
    >>> proven, notes[0].code, "'may.csv'" in notes[0].text
    (False, 'alignment_unproven', True)
    """
    found = []
    with one_thread():
        rests_on, controls = sensitive
        if rests_on == "rows":
            found.append(check_alignment(release, controls, stream(seed, "audit", "alignment")))
        if rests_on == "key" and controls is not None:
            found.append(check_key(release, controls, stream(seed, "audit", "alignment")))
        for name, given in versions.items():
            table = to_frame(given, name).table
            found.append(check_alignment(release, table, stream(seed, "audit", "alignment", name), name))
    return all(one.proven for one in found), [note for one in found for note in one.findings()]
