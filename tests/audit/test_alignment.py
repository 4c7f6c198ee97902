"""Rows in any other order never look proven; rows in order do when the release still holds something of them."""

import numpy as np
import pyarrow as pa
import pytest
from sklearn.linear_model import Ridge

from withhold.audit.alignment import _predictor, check_alignment, check_key
from withhold.contracts.images import image_column

N = 4000


@pytest.fixture(scope="module")
def files():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(N, 3))
    release = pa.table({f"z{i}": x[:, i] + 0.7 * rng.normal(size=N) for i in range(3)})
    controls = pa.table({"a": x[:, 0], "b": (x[:, 1] > 0).astype(int), "c": np.where(x[:, 2] > 0.5, "u", "v")})
    return release, controls


def check(release, controls, seed=0):
    return check_alignment(release, controls, np.random.default_rng(seed))


def test_true_order_is_proven(files):
    found = check(*files)
    assert found.proven
    assert found.findings() == []


@pytest.mark.parametrize("seed", range(5))
def test_shuffled_rows_are_not(files, seed):
    release, controls = files
    order = np.random.default_rng(seed).permutation(N)
    found = check(release, controls.take(pa.array(order)), seed)
    assert not found.proven
    assert found.findings()[0].code == "alignment_unproven"


@pytest.mark.parametrize("shift", [1, -1, 2, 50])
def test_shifted_rows_are_not(files, shift):
    release, controls = files
    assert not check(release, controls.take(pa.array(np.roll(np.arange(N), shift)))).proven


@pytest.mark.parametrize(("here", "there"), [(10, N - 10), (1000, 1300), (3900, 100)])
def test_rows_dropped_at_different_places_are_not(files, here, there):
    release, controls = (
        table.take(pa.array(np.delete(np.arange(N), row))) for table, row in zip(files, (here, there), strict=True)
    )
    assert not check(release, controls).proven


def test_sorted_files_shifted_by_one_row_are_not(files):
    # Neighbours are alike in a sorted file, so that a permutation test alone calls a shift by one row aligned.
    release, controls = (t.take(pa.array(np.argsort(files[1]["a"].to_numpy()))) for t in files)
    assert check(release, controls).proven
    assert not check(release, controls.take(pa.array(np.roll(np.arange(N), 1)))).proven


def test_a_part_in_another_order_is_not(files):
    release, controls = files
    order = np.arange(N)
    order[1000:1300] = order[1000:1300][::-1]
    assert not check(release, controls.take(pa.array(order))).proven


def test_nothing_to_prove_it_with(files):
    release, controls = files
    noise = pa.table({"z": np.random.default_rng(1).normal(size=N)})
    assert not check(noise, controls).proven
    assert not check(release, None).proven
    assert not check(release, controls.slice(0, N - 1)).proven
    assert not check(release.slice(0, 50), controls.slice(0, 50)).proven
    assert not check(release, pa.table({"one": np.ones(N)})).proven


def test_images_prove_the_order_of_images():
    rng = np.random.default_rng(0)
    images = rng.normal(size=(N // 4, 6, 6)).astype(np.float32)
    release, original = (pa.table({"scan": image_column(one)}) for one in (images + 0.5 * images[:, ::-1], images))
    assert check(release, original).proven
    assert not check(release, original.take(pa.array(rng.permutation(N // 4)))).proven


def test_a_key_is_believed_unless_shared_columns_contradict_it():
    rng = np.random.default_rng(0)
    original = pa.table({"x": rng.normal(size=600), "c": rng.choice(["p", "q"], 600)})
    noisy = original.set_column(0, "x", pa.array(original.column("x").to_numpy() + rng.normal(size=600)))
    wrong = noisy.take(pa.array(rng.permutation(600)))
    assert check_key(noisy, original, rng).proven
    found = check_key(wrong, original, rng)
    assert not found.proven
    assert "Check the key" in found.findings()[0].text
    # Nothing shared, or too few rows: nothing contradicts the key.
    assert check_key(wrong.rename_columns(["z1", "z2"]), original, rng).proven
    assert check_key(wrong.slice(0, 50), original.slice(0, 50), rng).proven


def test_blocks_of_controls_and_products_of_rows_change_nothing(files, monkeypatch):
    release, controls = files
    few = slice(0, 200)
    wide = pa.table(
        {f"w{i}": np.random.default_rng(i).normal(size=200) for i in range(300)} | {"z": release["z0"][few]}
    )
    pairs = [(release, controls), (wide, controls.slice(0, 200))]
    whole = [check(*pair) for pair in pairs]
    monkeypatch.setattr("withhold.audit.alignment.MOST_TARGETS", 1)
    for pair, before in zip(pairs, whole, strict=True):
        again = check(*pair)
        assert again.proven == before.proven
        assert again.p_value == pytest.approx(before.p_value, rel=1e-3)


def test_more_columns_than_rows_are_predicted_as_by_ridge_regression():
    rng = np.random.default_rng(0)
    X, targets = rng.normal(size=(40, 90)).astype(np.float32), rng.normal(size=(40, 3))
    got = _predictor(X, np.random.default_rng(1))(targets)
    folds = np.random.default_rng(1).integers(0, 2, 40)
    standard = (X - X.mean(axis=0, dtype=np.float64)) / X.std(axis=0, dtype=np.float64)
    for k in (0, 1):
        model = Ridge(alpha=np.sum(folds != k) / 100, fit_intercept=False).fit(
            standard[folds != k], targets[folds != k]
        )
        assert np.allclose(got[folds == k], model.predict(standard[folds == k]), atol=1e-4)
