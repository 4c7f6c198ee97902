"""The decoder: valid rows, quick stop, and no memory of the rows it was fitted on."""

import numpy as np
import pyarrow as pa
import pytest

from methods.squeeze import Squeeze
from withhold.data.codec import TableCodec
from withhold.methods.estimator.decoder import CrossFittedDecoder, row_folds
from withhold.methods.estimator.fit_data import FitData
from withhold.privacy.noise_key import NoiseKey


def table(n=1_500, seed=0):
    rng = np.random.default_rng(seed)
    job = rng.integers(4, size=n)
    return pa.table(
        {
            "job": np.array(["clerk", "nurse", "smith", "cook"])[job],
            "pay": np.round(rng.normal(2_000 + 500 * job, 100)).astype(int),
            "owner": rng.random(n) < 0.2 + 0.2 * (job > 1),
        }
    )


def fitted(rows, Z, folds=None):
    codec = TableCodec.fit(rows)
    data = FitData(H=codec.encode(rows), sensitive=None, codec=codec, table=rows)
    folds = row_folds(np.arange(len(Z)), np.random.default_rng(0)) if folds is None else folds
    return codec, folds, CrossFittedDecoder.fit(Z, data, folds, np.random.default_rng(1))


def agreement(codec, a, b):
    return (codec.cells(a) == codec.cells(b)).mean(axis=0)


@pytest.fixture(scope="module")
def plain():
    rows = table()
    Z = TableCodec.fit(rows).encode(rows)
    return rows, Z, *fitted(rows, Z)


def test_rows_come_back_from_a_full_representation(plain):
    rows, Z, codec, folds, decoder = plain
    for decoded in (decoder.decode(Z, codec), decoder.decode(Z, codec, folds=folds)):
        assert decoded.schema.equals(rows.schema)
        found = agreement(codec, rows, decoded)
        assert found[0] > 0.99
        assert found[2] > 0.99
        assert np.corrcoef(decoded["pay"], rows["pay"])[0, 1] > 0.98


def test_new_rows_are_decoded_as_well(plain):
    _, _, codec, _, decoder = plain
    fresh = table(seed=9)
    assert agreement(codec, fresh, decoder.decode(codec.encode(fresh), codec))[0] > 0.98


def test_values_are_valid(plain):
    rows, Z, codec, _, decoder = plain
    decoded = decoder.decode(np.random.default_rng(0).normal(size=Z.shape).astype("float32") * 30, codec)
    assert set(decoded["job"].to_pylist()) <= set(rows["job"].to_pylist())
    assert min(rows["pay"].to_pylist()) <= min(decoded["pay"].to_pylist())
    assert max(decoded["pay"].to_pylist()) <= max(rows["pay"].to_pylist())


def test_a_training_row_is_not_decoded_from_memory():
    """Z is pure noise: any agreement on the fit part beyond chance is memory. One network shows it can happen."""
    rng = np.random.default_rng(0)
    n = 600
    rows = pa.table({"a": rng.integers(2, size=n).astype(str), "b": rng.integers(2, size=n).astype(str)})
    Z = np.repeat(rng.normal(size=(n // 2, 40)), 2, axis=0).astype("float32")
    pairs = np.repeat(np.arange(n // 2), 2)
    rows = rows.take(pa.array(pairs))  # each record twice, with the same noise, as keyed noise gives copies
    codec, folds, decoder = fitted(rows, Z, row_folds(pairs, rng))
    crossed = agreement(codec, rows, decoder.decode(Z, codec, folds=folds)).mean()
    # 300 pairs: a coin agrees in .5 +- .03
    assert crossed < 0.6
    own = agreement(codec, rows, decoder.decode(Z, codec, folds=1 - folds)).mean()
    assert own > crossed + 0.05  # positive control: networks do remember the rows they were fitted on


def test_sampling_follows_the_key(plain):
    _, Z, codec, folds, decoder = plain
    rows = np.arange(len(Z), dtype=np.int64)[:, None].view(np.uint8)

    def draw(seed):
        return decoder.decode(Z * 0, codec, folds=folds, key=(NoiseKey.from_seed(seed), b"c", rows))

    assert draw(0).equals(draw(0))
    assert not draw(0).equals(draw(1))
    shares = np.bincount(codec.cells(draw(0))[:, 0], minlength=4) / len(Z)
    assert (shares > 0).sum() > 1  # a mode would give one job to all


def test_state_round_trip(plain):
    _, Z, codec, _, decoder = plain
    again = CrossFittedDecoder.restore(decoder.header(), decoder.state())
    assert again.decode(Z, codec).equals(decoder.decode(Z, codec))


def test_copies_of_a_record_share_a_fold():
    raw = np.random.default_rng(0).integers(256, size=(50, 6)).astype(np.uint8)
    folds = row_folds(np.concatenate([raw, raw[::-1]]), np.random.default_rng(0))
    assert (folds[:50] == folds[50:][::-1]).all()
    assert set(folds) == {0, 1}


def test_one_record_many_times():
    rows = pa.table({"a": ["x", "y"] * 50})
    codec, _, decoder = fitted(rows, np.zeros((100, 3), "float32"), np.zeros(100, dtype=int))
    assert decoder.decode(np.zeros((2, 3), "float32"), codec).num_rows == 2


def test_fit_transform_crosses_and_transform_pools():
    """The documented difference: training rows by the other folds' network, new rows by all."""
    rows = table(800).append_column("s", pa.array(np.resize(["a", "b"], 800)))
    method = Squeeze(width=2, random_state=0)
    crossed = method.fit_transform(rows, sensitive_features="s")
    pooled = method.transform(rows)
    assert crossed.schema.equals(pooled.schema)
    assert not crossed.equals(pooled)
    assert agreement(method.codec_, crossed, pooled)[0] > 0.8


def test_sample_decoding_of_a_method(tmp_path):
    rows = table(400).append_column("s", pa.array(np.resize(["a", "b"], 400)))
    method = Squeeze(width=2, decode="sample", noise_seed=3, random_state=0).fit(rows, sensitive_features="s")
    assert method.transform(rows).slice(10, 5).equals(method.transform(rows.slice(10, 5)))
