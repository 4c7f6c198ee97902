"""Drawn tables: shares and pairs as in the fit, the values of each column as people write them, one draw per record."""

import numpy as np
import pyarrow as pa
import pytest
import torch

from methods.squeeze import Squeeze
from withhold.contracts.errors import ArtifactError, InvalidParameterError
from withhold.io.artifact import read_artifact
from withhold.methods.estimator import sampler
from withhold.methods.estimator.artifact import read_sanitizer
from withhold.methods.estimator.sampler import ColumnSampler, chain_order


def records(n=3_000, seed=0):
    """Columns as tables have them: codes with their names, heaps, zeros, gaps, decimals, and a rare level."""
    rng = np.random.default_rng(seed)
    code = rng.choice(5, size=n, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    hours = np.where(rng.random(n) < 0.5, 40, rng.integers(5, 80, size=n))
    gain = np.where(rng.random(n) < 0.8, 0, rng.integers(100, 20_000, size=n))
    price = np.round(rng.lognormal(3 + 0.3 * code, 0.5), 2)
    known = rng.random(n) < 0.9 - 0.15 * (code == 0)
    town = np.where(rng.random(n) < 0.002, "rare", np.where(rng.random(n) < 0.6, "here", "there"))
    return pa.table(
        {
            "code": code,
            "name": np.array(["none", "school", "trade", "college", "doctor"])[code],
            "hours": hours,
            "gain": gain,
            "price": pa.array(price, mask=~known),
            "town": town,
            "s": np.resize(["a", "b"], n),
        }
    )


@pytest.fixture(scope="module")
def made():
    rows = records()
    method = Squeeze(width=4, noise=0.3, noise_seed=0, random_state=0)
    return rows, method, method.fit_transform(rows, sensitive_features="s")


def shares(values):
    return {value: count / len(values) for value, count in zip(*np.unique(values, return_counts=True), strict=True)}


def distance(a, b):
    p, q = shares(a), shares(b)
    return sum(abs(p.get(value, 0.0) - q.get(value, 0.0)) for value in {*p, *q}) / 2


def as_text(table, name):
    return np.array([str(value) for value in table[name].to_pylist()])


def test_shares_are_those_of_the_fit(made):
    rows, _, drawn = made
    # 3,000 independent draws of five levels differ by .015 in the mean.
    assert distance(as_text(rows, "name"), as_text(drawn, "name")) < 0.05
    assert abs((as_text(drawn, "price") == "None").mean() - (as_text(rows, "price") == "None").mean()) < 0.03


def test_the_most_likely_value_alone_moves_them(made):
    """Positive control: what is compared above tells a decoder that moves shares."""
    rows, _, _ = made
    moved = Squeeze(width=4, noise=0.3, noise_seed=0, random_state=0, decode="mode")
    assert distance(as_text(rows, "hours"), as_text(moved.fit_transform(rows, sensitive_features="s"), "hours")) > 0.2


def test_columns_that_determine_each_other_still_do(made):
    rows, _, drawn = made
    known = {*zip(rows["code"].to_pylist(), rows["name"].to_pylist(), strict=True)}
    pairs = [*zip(drawn["code"].to_pylist(), drawn["name"].to_pylist(), strict=True)]
    assert np.mean([pair in known for pair in pairs]) > 0.99
    alone = np.random.default_rng(0).permutation(pairs, axis=0)[:, 1]  # positive control
    assert np.mean([(int(a), b) in known for (a, _), b in zip(pairs, alone, strict=True)]) < 0.6


def test_numbers_are_written_as_they_were(made):
    rows, _, drawn = made
    assert drawn.schema.types == rows.drop_columns("s").schema.types
    hours, gain = drawn["hours"].to_numpy(), drawn["gain"].to_numpy()
    assert abs((hours == 40).mean() - (rows["hours"].to_numpy() == 40).mean()) < 0.04  # a heap stays a heap
    assert abs((gain == 0).mean() - (rows["gain"].to_numpy() == 0).mean()) < 0.04
    assert len(np.unique(hours)) > 50
    assert len(np.unique(gain)) > 200  # not one value a cell
    assert hours.min() >= 5
    prices = np.array([value for value in drawn["price"].to_pylist() if value is not None])
    assert (np.round(prices, 2) == prices).all()
    assert len(np.unique(prices)) > 500


def test_rare_levels_are_a_level_of_their_own(made):
    rows, method, drawn = made
    assert set(drawn["town"].to_pylist()) <= {"here", "there", "other"}
    assert abs((as_text(drawn, "town") == "here").mean() - (as_text(rows, "town") == "here").mean()) < 0.04
    assert any(f.code == "rare_levels_pooled" and "out as 'other'" in f.text for f in method.findings_)


def test_a_record_is_drawn_once(made):
    rows, method, drawn = made
    assert method.transform(rows).equals(drawn)
    assert method.transform(rows.slice(40, 9)).equals(drawn.slice(40, 9))
    assert method.transform(pa.concat_tables([rows.slice(7, 1)] * 3)).equals(pa.concat_tables([drawn.slice(7, 1)] * 3))


@pytest.mark.usefixtures("brief_training")
def test_another_seed_draws_otherwise():
    rows = records(300)
    one, other = (
        Squeeze(width=4, noise=0.3, noise_seed=seed, random_state=0).fit_transform(rows, sensitive_features="s")
        for seed in (0, 1)
    )
    assert not other.equals(one)


def test_no_value_of_a_few_records_stands_in_the_file(made):
    rows, method, _ = made
    tables = {name: array for name, array in method.decoder_.state().items() if name.startswith("pieces.")}
    assert len(tables) == 4
    for name, table in tables.items():
        values, counts = np.unique(rows[name.removeprefix("pieces.")].drop_null().to_numpy(), return_counts=True)
        rare = values[counts < 10][1:-1]
        low, high, number, _ = table.T
        assert not np.isin(low, rare).any()
        assert not np.isin(high, rare).any()
        assert (number >= 10).all()
        assert np.isin(low, values[counts >= 10]).any() or name == "pieces.price"  # positive control: heaps do


def test_a_saved_sampler_draws_the_same_and_a_forged_one_is_refused(made, tmp_path):
    rows, method, drawn = made
    method.save(tmp_path / "s")
    header, tensors = read_artifact(tmp_path / "s")
    assert read_sanitizer(Squeeze(**header["settings"]), header, tensors).transform(rows).equals(drawn)
    for name, forged in (
        ("decoder.0.order", np.zeros(6, dtype=np.int64)),
        ("decoder.1.sharpness", np.full(6, -1.0)),
        ("decoder.1.sharpness", np.array([1.0])),
        ("decoder.0.offsets", np.zeros(3)),
        ("decoder.pieces.gain", np.array([[0.0, 1e9, 10.0, 0.0]])),
    ):
        with pytest.raises(ArtifactError, match="damaged or of another version"):
            read_sanitizer(Squeeze(**header["settings"]), header, {**tensors, name: forged})
    with pytest.raises(ArtifactError, match="decode"):
        read_sanitizer(Squeeze(**{**header["settings"], "decode": "mode"}), header, tensors)


def test_what_decode_may_be():
    with pytest.raises(InvalidParameterError, match="decode"):
        Squeeze(decode="median").check()


def test_who_tells_most_comes_first():
    a = np.arange(400) % 4
    cells = np.column_stack([np.arange(400) // 7 % 5, a % 2, a])
    assert chain_order(cells, (5, 2, 4))[-1] == 0


def drawn_together():
    """Two columns that have nothing to do with each other, drawn from what tells their sum."""
    rng = np.random.default_rng(0)
    cells = torch.from_numpy(rng.integers(0, 8, size=(2_000, 2)))
    Z = (cells.sum(dim=1, keepdim=True) + torch.from_numpy(rng.normal(0, 2, size=(2_000, 1)))).float()
    made = ColumnSampler.fit(Z, cells, (8, 8), 0, torch.device("cpu"), (0, 1))
    made.settle(Z, cells, 0)
    a, b = made.cells(Z, rng.random((2_000, 2))).T
    return made.sharpness.tolist(), np.corrcoef(a, b)[0, 1]


def test_a_draw_makes_no_relation():
    sharpness, relation = drawn_together()
    assert sharpness == [1.0, 1.0]
    assert abs(relation) < 0.1


def test_sharp_draws_alone_would(monkeypatch):
    """Positive control."""
    monkeypatch.setattr(sampler, "SHARPNESSES", (3.0,))
    assert drawn_together()[1] > 0.2


def test_what_is_determined_is_drawn_sharply(made):
    rows, method, _ = made
    names = [name for name in rows.column_names if name != "s"]
    for member in method.decoder_.members:
        later = max(("code", "name"), key=lambda name: member.net.order.index(names.index(name)))
        assert member.sharpness[names.index(later)] > 1.0
