"""Rows that stand for symbols: real rows of the symbol, drawn in proportion, and the most typical first."""

import numpy as np
import pandas as pd
import pyarrow as pa

from withhold.data.codec import TableCodec
from withhold.methods.discrete_channel.row_bank import BEHIND, RowBank, faithful_cells


def made():
    rng = np.random.default_rng(0)
    job = rng.choice(["clerk", "nurse", "smith"], size=3_000, p=[0.6, 0.3, 0.1])
    pay = np.where(job == "nurse", 2, 1) * 100 + rng.integers(20, size=3_000)
    table = pa.Table.from_pandas(pd.DataFrame({"job": job, "pay": pay}))
    codec = TableCodec.fit(table)
    shares = np.stack([job == "nurse", job != "nurse"]).astype(float)
    return table, codec, codec.cells(table), shares


def test_a_symbol_gives_rows_of_its_own_that_were_seen_together():
    table, codec, cells, shares = made()
    bank = RowBank.of(cells, shares, 256, np.random.default_rng(1))
    symbols = np.repeat([0, 1], 2_000)
    found = bank.table(symbols, np.random.default_rng(2).random(4_000), codec).to_pandas()
    assert (found["job"][:2_000] == "nurse").all()
    # One cell of a number may straddle what parts the symbols.
    assert (found["pay"][:2_000] < 200).mean() < 0.1
    assert (found["pay"][2_000:] >= 200).mean() < 0.1
    # Shares within three standard errors of 256 rows.
    assert abs((found["job"][2_000:] == "clerk").mean() - 6 / 7) < 3 * (6 / 49 / 256) ** 0.5
    assert found.dtypes.equals(table.to_pandas().dtypes)


def test_the_most_typical_row_comes_first_and_alone():
    _, codec, cells, shares = made()
    bank = RowBank.of(cells, shares, 1, np.random.default_rng(1))
    assert len(bank.cells) == 2
    found = bank.table(np.array([1, 0, 1]), None, codec).to_pandas()
    assert found["job"].tolist() == ["clerk", "nurse", "clerk"]


def test_quantiles_at_the_ends_and_round_trip():
    _, codec, cells, shares = made()
    bank = RowBank.of(cells, shares, 8, np.random.default_rng(1))
    again = RowBank.restore(bank.state())
    ends = np.array([0.0, np.float32(1 - 2**-24)])
    assert again.table(np.array([1, 1]), ends, codec).equals(bank.table(np.array([1, 1]), ends, codec))


def test_a_symbol_that_no_row_gives_still_has_a_row():
    _, codec, cells, shares = made()
    bank = RowBank.of(cells, np.zeros_like(shares), 8, np.random.default_rng(1))
    assert bank.table(np.array([0, 1]), None, codec).num_rows == 2


def test_rows_come_from_cells_that_say_what_the_symbol_says():
    u = np.linspace(0.05, 0.95, 10)
    of_u = np.stack([1 - u, u], axis=1) / 10
    channel = np.zeros((3, 10))
    channel[0, :3], channel[1, 3:7], channel[2, 7:] = 1.0, 1.0, 1.0
    chosen = faithful_cells(channel, of_u, np.full(10, 400))
    assert chosen.argmax(axis=1).tolist() in ([1, 4, 8], [1, 5, 8])  # the middle of each third
    assert (chosen.sum(axis=1) == 1).all()
    few = faithful_cells(channel, of_u, np.full(10, 20))  # cells of few records: several behind each symbol
    assert (few @ np.full(10, 20) >= BEHIND).all()
    assert (few.sum(axis=0) <= 1).all()  # and no cell behind two


def test_more_symbols_than_cells_share_them():
    chosen = faithful_cells(np.full((5, 2), 0.2), np.array([[0.4, 0.1], [0.1, 0.4]]), np.array([60, 0]))
    assert chosen[:, 0].all()
    assert not chosen[:, 1].any()  # an empty cell has no rows
