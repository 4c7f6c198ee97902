import numpy as np
import pandas as pd
import pytest
import torch

from withhold.contracts.errors import DataError
from withhold.data.attributes import read_attributes
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.estimator.game_records import scale_of
from withhold.methods.iidm.labelled_rows import (
    continuous_findings,
    labelled_records,
    rare_values,
    secret_codes,
)


def data(s, y=None, groups=None, **others):
    n = len(s)
    H = np.random.default_rng(0).normal(size=(n, 3)).astype("float32")
    labels = read_attributes(np.resize([0, 1], n) if y is None else y, role="y")
    return FitData(H=H, sensitive=read_attributes(s), utilities=labels, groups=groups, **others)


def records(given):
    return labelled_records(given, given.H, torch.device("cpu"), "IIDM")


def test_several_attributes_are_one_and_missing_values_mask_the_row():
    s = pd.DataFrame({"a": ["p", "q", "q", None] * 10, "b": [0, 1, 1, 1] * 10})
    codes, k = secret_codes(read_attributes(s))
    assert k == 2  # combinations that occur
    assert codes[:4].tolist() == [0, 1, 1, -1]
    got = records(data(s))
    assert got.classes == 2
    assert got.maximum_leakage() == pytest.approx(-(np.log(1 / 3) / 3 + 2 * np.log(2 / 3) / 3))


def test_held_rows_are_apart_and_keep_cells_in_proportion():
    s, y = np.resize(np.repeat([0, 1], 3), 600), np.resize([0, 1, 2], 600)
    got = records(data(s, y))
    assert not set(got.held.tolist()) & set(got.learned.tolist())
    assert len(got.held) + len(got.learned) == 600
    cells = torch.bincount(got.secrets[got.held] * 3 + got.labels[got.held], minlength=6)
    assert cells.min() >= 14
    assert cells.max() <= 16


def test_subjects_stay_together():
    groups = np.repeat(np.arange(30), 10)
    got = records(data(np.resize([0, 1], 300), groups=groups))
    assert not set(groups[got.held.numpy()]) & set(groups[got.learned.numpy()])


def test_groups_that_determine_the_attribute_are_refused():
    person = np.repeat(np.arange(10), 20)
    with pytest.raises(DataError, match="10 of 10 sensitive values occur in one group only"):
        records(data(person.astype(str), groups=person))
    # A stretch of recording is a group that may be held out; and sex may be pure within persons.
    assert records(data(person.astype(str), groups=2 * person + np.resize([0, 1], 200))).classes == 10
    assert records(data((person % 2).astype(str), groups=person)).classes == 2


def test_a_thousand_values_are_possible_and_identifiers_are_not():
    many = np.char.add("u", np.resize(np.arange(1000), 4000).astype(str))
    assert records(data(many)).classes == 1000
    with pytest.raises(DataError, match="one that several records share"):
        records(data(np.arange(40).astype(str)))


def test_scales_by_channel_where_records_have_a_shape():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 20, 2)) * [1.0, 9.0] + [0.0, 5.0]
    given = FitData(H=X.reshape(50, -1).astype("float32"), sensitive=read_attributes(["a", "b"] * 25), shape=(20, 2))
    scaled = scale_of(given)(given.H).reshape(50, 20, 2)
    assert np.allclose(scaled.mean(axis=(0, 1)), 0, atol=1e-4)
    assert np.allclose(scaled.std(axis=(0, 1)), 1, atol=1e-4)
    grey = FitData(H=rng.random((50, 12)).astype("float32"), sensitive=given.sensitive, shape=(4, 3), bounded=True)
    assert len(np.unique(scale_of(grey).centre)) == 1


def test_what_classes_hold_of_a_number():
    rng = np.random.default_rng(0)
    tied, heavy = np.resize([0.0, 1.0], 400), np.exp(3 * rng.normal(size=400))
    tied[::9] = np.nan
    found = continuous_findings(read_attributes(pd.DataFrame({"tied": tied, "heavy": heavy})), "IIDM")
    assert [finding.column for finding in found] == ["tied", "heavy"]
    assert "2 classes of equal mass, which hold 100 %" in found[0].text
    # Of a heavy tail the last class holds most of the variance: nearly nothing is told by classes.
    assert int(found[1].text.split("hold ")[1].split(" %")[0]) < 30
    assert continuous_findings(read_attributes(["a", "b"] * 10), "IIDM") == []


def test_values_that_a_discriminator_hardly_meets_are_counted():
    """Twenty persons of one record each beside 180 of one kind; and two values of a hundred records each."""
    s = np.array([f"p{i}" if i < 20 else "other" for i in range(200)])
    (found,) = rare_values(records(data(s)), "IIDM")
    assert "20 of 21 values" in found.text
    assert "fewer than 10 records" in found.text
    assert rare_values(records(data(np.resize(["a", "b"], 200))), "IIDM") == []
