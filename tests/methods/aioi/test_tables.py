import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch

from withhold.contracts.errors import InvalidParameterError
from withhold.data.attributes import read_attributes
from withhold.data.codec import TableCodec
from withhold.methods.aioi.aioi import AIOI
from withhold.methods.aioi.domains import learn_domain, restore_domain
from withhold.methods.aioi.vectors import FilterSettings
from withhold.methods.estimator.fit_data import FitData

N = 1_200


@pytest.fixture(scope="module")
def world():
    """Column a is S, b is U, both with errors; c is noise; sort never occurs with the other sort's place."""
    rng = np.random.default_rng(0)
    s, u, sort = rng.integers(2, size=(3, N))
    flip = rng.random((2, N)) < 0.1
    frame = pd.DataFrame(
        {
            "a": np.where(flip[0], 1 - s, s).astype(str),
            "b": np.where(flip[1], 1 - u, u).astype(str),
            "c": rng.normal(size=N).round(2),
            "sort": np.where(sort == 1, "fish", "bird"),
            "place": np.where(sort == 1, "sea", "air"),
        }
    )
    return frame, s, u


def data_of(world):
    frame, s, u = world
    table = pa.Table.from_pandas(frame)
    codec = TableCodec.fit(table)
    y = read_attributes(u, role="y")
    sensitive = read_attributes(s, role="sensitive_features")
    return FitData(H=codec.encode(table), sensitive=sensitive, utilities=y, codec=codec, table=table)


@pytest.mark.parametrize("output", ["auto", "representation"])
def test_domains_come_back_from_their_state(world, output):
    data, settings = data_of(world), FilterSettings(output=output, retention=0.3)
    domain = learn_domain(data, settings)
    read = domain.read(data.H)
    again = restore_domain(domain.state(), settings, data.codec)
    assert again.kind == domain.kind
    assert np.array_equal(again.read(data.H), read)
    assert again.filter().width == domain.filter().width


def test_own_cells_are_written_as_they_were_read(world):
    data = data_of(world)
    domain = learn_domain(data, FilterSettings())
    own = domain.read(data.H)[:, domain.features :]
    assert np.array_equal(data.codec.cells(data.codec.decode(domain.write(own))), data.cells)


def agreement(a, b):
    return float((np.asarray(a) == np.asarray(b)).mean())


@pytest.fixture(scope="module")
def filtered(world):
    frame, s, u = world
    method = AIOI(budget=0.02, retention=0.3, rounds=60, random_state=0, noise_seed=0)
    return method, method.fit(frame, u, sensitive_features=s).transform(frame)


def test_one_column_is_hidden_and_the_other_columns_stay(world, filtered):
    frame, s, u = world
    release = filtered[1]
    assert agreement(frame["a"].astype(int), s) > 0.85  # what there was to be hidden
    assert 0.35 < agreement(release["a"].astype(int), s) < 0.65
    assert agreement(release["b"].astype(int), u) > 0.8
    assert agreement(release["sort"], frame["sort"]) > 0.8


def test_rows_are_valid_and_columns_belong_together(world, filtered):
    frame, _, _ = world
    method, release = filtered
    assert release.columns.tolist() == frame.columns.tolist()
    assert (release.dtypes == frame.dtypes).all()
    assert release["c"].between(frame["c"].min(), frame["c"].max()).all()
    together = agreement(release["sort"] == "fish", release["place"] == "sea")
    assert together > 0.99  # columns drawn apart from each other would part some
    assert method.transform(frame.iloc[::-1])["c"].tolist()[::-1] == release["c"].tolist()


def test_a_fixed_model_of_scikit_learn_goes_on_working(world):
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    frame, s, u = world
    columns = ["a", "b", "sort", "place"]
    model = make_pipeline(OneHotEncoder(), LogisticRegression()).fit(frame[columns], u)
    frame = frame[columns]
    method = AIOI(budget=0.02, utility_model=model, rounds=50, random_state=0, noise_seed=0)
    release = method.fit(frame, u, sensitive_features=s).transform(frame)
    assert model.score(release, u) > model.score(frame, u) - 0.05
    assert agreement(release["a"].astype(int), s) < 0.65
    assert method.diagnostics_["distillation_agreement"] > 0.95
    assert method.diagnostics_["distillation_divergence"] < 0.02


def test_the_names_of_filters_are_all_named(world):
    frame, s, u = world
    with pytest.raises(InvalidParameterError, match=r"for tables 'unet'. Choose auto, .*channel, perceptron or linear"):
        AIOI(filter="unet", rounds=5).fit(frame, u, sensitive_features=s)


def test_a_model_of_records_reads_no_representation(world):
    frame, s, u = world
    with pytest.raises(InvalidParameterError, match="representation"):
        AIOI(utility_model=torch.nn.Linear(3, 2), output="representation", rounds=5).fit(frame, u, sensitive_features=s)


@pytest.mark.parametrize("output", ["table", "representation"])
def test_nearness_to_records_is_no_setting_of_tables(world, output):
    frame, s, u = world
    with pytest.raises(InvalidParameterError, match=r"naturalness .*retention"):
        AIOI(naturalness=1.0, output=output, rounds=5).fit(frame, u, sensitive_features=s)
