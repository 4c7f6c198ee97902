"""The decoder: valid rows, quick stop, and no memory of the rows it was fitted on."""

import numpy as np
import pyarrow as pa
import pytest

from methods.squeeze import Squeeze
from withhold.contracts.errors import ArtifactError
from withhold.data.codec import TableCodec
from withhold.io.artifact import read_artifact
from withhold.methods.estimator.artifact import read_sanitizer
from withhold.methods.estimator.decoder import CrossFittedDecoder
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.estimator.folds import fold_salt, learned_from, record_folds, subject_folds
from withhold.methods.estimator.recipient import decoded

brief = pytest.mark.usefixtures("brief_training")


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


def fitted(rows, Z, folds=None, kind="mode"):
    codec = TableCodec.fit(rows)
    data = FitData(H=codec.encode(rows), sensitive=None, codec=codec, table=rows)
    rng = np.random.default_rng(0)
    folds = subject_folds(np.arange(len(Z)), rng) if folds is None else folds
    return codec, folds, CrossFittedDecoder.fit(Z, data, folds, rng.bytes(16), np.random.default_rng(1), kind)


def agreement(codec, a, b):
    return (codec.cells(a) == codec.cells(b)).mean(axis=0)


@pytest.fixture(scope="module")
def plain():
    rows = table()
    Z = TableCodec.fit(rows).encode(rows)
    return rows, Z, *fitted(rows, Z)


def test_rows_come_back_from_a_full_representation(plain):
    rows, Z, codec, folds, decoder = plain
    decoded = decoder.decode(Z, codec, folds=folds)
    assert decoded.schema.equals(rows.schema)
    found = agreement(codec, rows, decoded)
    assert found[0] > 0.99
    assert found[2] > 0.99
    assert np.corrcoef(decoded["pay"], rows["pay"])[0, 1] > 0.98


def test_new_rows_are_decoded_as_well(plain):
    _, _, codec, _, decoder = plain
    fresh = table(seed=9)
    folds = decoder.folds_of(codec.canonical_bytes(fresh))
    assert agreement(codec, fresh, decoder.decode(codec.encode(fresh), codec, folds=folds))[0] > 0.98


def test_values_are_valid(plain):
    rows, Z, codec, folds, decoder = plain
    decoded = decoder.decode(np.random.default_rng(0).normal(size=Z.shape).astype("float32") * 30, codec, folds=folds)
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
    codec, folds, decoder = fitted(rows, Z, subject_folds(pairs, rng))
    crossed = agreement(codec, rows, decoder.decode(Z, codec, folds=folds)).mean()
    # 300 pairs: a coin agrees in .5 +- .03
    assert crossed < 0.6
    own = agreement(codec, rows, decoder.decode(Z, codec, folds=1 - folds)).mean()
    assert own > crossed + 0.05  # positive control: networks do remember the rows they were fitted on


def test_state_round_trip(plain):
    _, Z, codec, folds, decoder = plain
    again = CrossFittedDecoder.restore(decoder.header(), decoder.state(), codec)
    assert again.decode(Z, codec, folds=folds).equals(decoder.decode(Z, codec, folds=folds))
    rows = np.arange(80, dtype=np.uint8)[:, None]
    assert (again.folds_of(rows) == decoder.folds_of(rows)).all()


def test_the_fold_of_a_record_is_its_own():
    """Copies share a fold, wherever and with whomever they stand; another salt divides in another way."""
    raw = np.random.default_rng(0).integers(256, size=(50, 6)).astype(np.uint8)
    folds = record_folds(np.concatenate([raw, raw[::-1]]), b"a")
    assert (folds[:50] == folds[50:][::-1]).all()
    assert (record_folds(raw[7:9], b"a") == folds[7:9]).all()
    assert set(folds) == {0, 1}
    assert (record_folds(raw, b"b") != folds[:50]).any()


def test_few_records_stand_in_both_folds():
    for seed in range(20):
        raw = np.resize(np.arange(4, dtype=np.uint8), 40)[:, None]
        folds = record_folds(raw, fold_salt(raw, np.random.default_rng(seed)))
        assert set(folds) == {0, 1}


def test_one_record_many_times():
    rows = pa.table({"a": ["x", "y"] * 50})
    codec, _, decoder = fitted(rows, np.zeros((100, 3), "float32"), np.zeros(100, dtype=int))
    assert decoder.decode(np.zeros((2, 3), "float32"), codec, folds=np.array([0, 1])).num_rows == 2


@brief
def test_a_record_meets_the_same_decoder_in_the_fit_and_after(tmp_path):
    """A network that decoded rows of the fit, and another for new rows, tell the two apart."""
    rows = table(800).append_column("s", pa.array(np.resize(["a", "b"], 800)))
    method = Squeeze(width=2, noise=0.1, noise_seed=0, random_state=0)
    first = method.fit_transform(rows, sensitive_features="s")
    assert first.equals(method.transform(rows))
    assert first.slice(40, 9).equals(method.transform(rows.slice(40, 9)))
    method.save(tmp_path / "s")
    header, tensors = read_artifact(tmp_path / "s")
    assert read_sanitizer(Squeeze(**header["settings"]), header, tensors).transform(rows).equals(first)
    # Positive control: decoded by the networks that saw them, rows come out otherwise.
    _, H, canonical = method._read(rows)
    folds = 1 - method.decoder_.folds_of(canonical)
    swapped = method._decode(method._release(H, canonical), folds=folds, rows=canonical)
    assert not swapped.equals(first)


@brief
def test_a_file_of_earlier_decoders_names_the_version_that_reads_it(tmp_path):
    rows = table(200).append_column("s", pa.array(np.resize(["a", "b"], 200)))
    Squeeze(width=2, random_state=0).fit(rows, sensitive_features="s").save(tmp_path / "s")
    header, tensors = read_artifact(tmp_path / "s")
    del header["decoder"]["salt"]
    with pytest.raises(ArtifactError, match=r"withhold 0\.1\.0 of commit \w+, or fit it again"):
        read_sanitizer(Squeeze(**header["settings"]), header, tensors)


def of_subjects(repeats):
    rows = table(400).append_column("s", pa.array(np.resize(["a", "b"], 400)))
    return rows.append_column("who", pa.array(np.repeat(np.arange(400 // repeats), repeats)))


@brief
def test_few_records_of_a_subject_meet_the_same_decoder_in_the_fit_and_after():
    """Most subjects have one record, some two or three: each meets a decoder that learned from none of them."""
    who = np.concatenate([np.arange(250), np.repeat(np.arange(250, 310), 2), np.repeat(np.arange(310, 320), 3)])
    rows = of_subjects(1).set_column(4, "who", pa.array(who))
    method = Squeeze(width=2, random_state=0)
    assert method.fit_transform(rows, sensitive_features="s", groups="who").equals(method.transform(rows))
    _, _, canonical, folds = method._fit(rows, None, "s", "who", {})
    assert (folds == method.decoder_.folds_of(canonical)).all()
    met = [set(who[learned_from(folds, fold, who)]) & set(who[folds == fold]) for fold in range(2)]
    assert met == [set(), set()]
    assert set(who[learned_from(folds, 0)]) & set(who[folds == 0])  # positive control: siblings lie in both folds


@brief
def test_subjects_of_many_records_are_divided_at_the_fit():
    rows = of_subjects(8)
    method = Squeeze(width=2, random_state=0)
    first = method.fit_transform(rows, sensitive_features="s", groups="who")
    _, _, _, folds = method._fit(rows, None, "s", "who", {})
    assert all(len(set(folds[start : start + 8])) == 1 for start in range(0, 400, 8))
    assert not first.equals(method.transform(rows))  # subjects are not known there: the hash of each record decides


@brief
def test_without_the_record_no_decoder_is_chosen():
    rng = np.random.default_rng(0)
    X, s = pa.table({"a": rng.normal(size=60), "b": rng.normal(size=60)}), rng.choice(["a", "b"], 60)
    method = Squeeze(width=1).fit(X, sensitive_features=s).set_params(output="representation")
    assert method.decoder_ is not None
    assert decoded(method, method.represent(X)) is None
