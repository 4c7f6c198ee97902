"""What is attacked: with the utility attributes only where they are handed over, on every surface alike."""

import pandas as pd

from withhold.audit.beside import Recipient
from withhold.audit.leakage.material import make_material
from withhold.audit.request import read_request


def test_u_is_on_every_surface_when_it_is_handed_over() -> None:
    table = pd.DataFrame({"z": range(8), "s": list("ab" * 4), "u": [0, 1] * 4})
    further = {"table": pd.DataFrame({"u": range(8), "w": range(8)})}
    request = read_request(table[["z"]], table["s"], table["u"], None, None, None, None, Recipient(surfaces=further))
    given, kept = make_material(request, True), make_material(request, False)
    assert given.total_view is not None
    assert given.total_view.dense.shape[1] > given.view.dense.shape[1]
    # A column of a surface that is named like U stays apart from U itself.
    assert given.surfaces[0].table.column_names == ["u", "w", "\x00utility u"]
    assert kept.total_view is None
    assert kept.surfaces[0].table.column_names == ["u", "w"]
    assert len(kept.useful) == 1
