import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from withhold.contracts.errors import DataError, InvalidParameterError, InvalidTypeError
from withhold.data.attributes import read_attributes
from withhold.data.codec import TableCodec
from withhold.methods.aioi.aioi import AIOI
from withhold.methods.aioi.table_channel import TableChannel
from withhold.methods.aioi.utility_model import UtilityModel
from withhold.methods.estimator.fit_data import FitData


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame({"number": rng.normal(size=600), "word": rng.choice(["a", "b", "c"], size=600)})


@pytest.fixture(scope="module")
def made(frame):
    u = ((frame["number"] > 0) ^ (frame["word"] == "a")).to_numpy()
    one_hot = make_column_transformer((OneHotEncoder(), ["word"]), remainder="passthrough")
    model = make_pipeline(one_hot, LogisticRegression()).fit(frame, u)
    table = pa.Table.from_pandas(frame)
    codec = TableCodec.fit(table)
    data = FitData(H=codec.encode(table), sensitive=read_attributes(u.astype(int), role="s"), codec=codec, table=table)
    return model, data


def test_a_pipeline_is_asked_in_its_own_terms(frame, made):
    model, data = made
    said = UtilityModel(model, data.codec).log_shares(data.table)
    assert np.allclose(np.exp(said), model.predict_proba(frame), atol=1e-5)


def test_the_stand_in_says_what_the_model_says(made):
    model, data = made
    channel = TableChannel(data.codec.width, data.codec.cell_counts, (8,))
    found = UtilityModel(model, data.codec).stand_in(data, channel.one_hot)
    assert found.agreement > 0.95
    assert found.divergence < 0.02
    cells = channel.one_hot(torch.from_numpy(data.cells.astype(np.int64)))
    said = UtilityModel(model, data.codec).log_shares(data.table)
    assert (found.net(cells).argmax(dim=1).numpy() == said.argmax(axis=1)).mean() > 0.93


def test_a_module_reads_encoded_records(made):
    _, data = made
    net = torch.nn.Linear(data.codec.width, 3)
    said = UtilityModel(net, data.codec).log_shares(data.table)
    with torch.no_grad():
        assert np.allclose(said, torch.log_softmax(net(torch.from_numpy(data.H)), dim=1).numpy(), atol=1e-6)


def test_a_sure_model_is_not_certain(made):
    class Sure:
        def predict_proba(self, X):
            return np.tile([1.0, 0.0], (len(X), 1))

    said = UtilityModel(Sure(), made[1].codec).log_shares(made[1].table)
    assert np.isfinite(said).all()
    assert np.allclose(np.exp(said).sum(axis=1), 1)


def test_models_that_cannot_be_asked_are_refused(made, frame):
    with pytest.raises(InvalidTypeError, match="predict_proba"):
        UtilityModel(object(), made[1].codec).log_shares(made[1].table)
    wide = LogisticRegression().fit(frame.assign(absent=1.0)[["number", "absent"]], frame["word"])
    with pytest.raises(DataError, match="'absent'"):
        UtilityModel(wide, made[1].codec).log_shares(made[1].table)


def test_a_model_of_other_classes_is_refused_and_its_agreement_said(made):
    model, data = made  # of False and True
    asked, truth = UtilityModel(model, data.codec), data.sensitive[0].codes
    said = asked.log_shares(data.table)
    for names in ([0, 1], [0.0, 1.0], [False, True], ["0", "1"]):
        y = read_attributes(np.array(names)[truth], kinds={"y": "categorical"}, role="y")[0]
        assert asked.agreement(said, y)["utility_model_accuracy"] == model.score(data.table.to_pandas(), truth == 1)
    for names in (["a", "b"], [0, 2]):
        with pytest.raises(DataError, match="classes of y"):
            asked.agreement(said, read_attributes(np.array(names)[truth], role="y")[0])


def test_a_model_that_contradicts_y_is_pointed_out(frame, made):
    model, data = made
    u, s = data.sensitive[0].codes, np.arange(len(frame)) % 2
    for y, expected in ((u, False), (1 - u, True)):
        method = AIOI(utility_model=model, rounds=3, random_state=0, noise_seed=0).fit(frame, y, sensitive_features=s)
        assert ("model_contradicts_y" in {finding.code for finding in method.findings_}) == expected


class Said(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, rows):
        return self.function(rows)


@pytest.mark.parametrize(
    ("function", "match"),
    [
        (torch.nn.Linear(99, 2), "cannot read 16 records of .*: mat1 and mat2"),
        (lambda rows: rows.double() @ torch.zeros(rows.shape[1], 2), "cannot read 16 records"),
        (lambda rows: rows[:, 0], "one per class of y"),
        (lambda rows: rows[:, :1], "one per class of y"),
        (lambda rows: torch.zeros(len(rows), 3), "2 logits per record"),
        (lambda rows: {"logits": rows}, "a dict"),
        (lambda rows: torch.full((len(rows), 2), torch.nan), "NaN or infinity"),
        (lambda rows: torch.softmax(torch.randn(len(rows), 2), dim=1), "probabilities"),
    ],
)
def test_modules_that_return_no_logits_are_refused(made, function, match):
    model = UtilityModel(Said(function), made[1].codec)
    with pytest.raises(InvalidParameterError, match=match):
        model.log_shares(made[1].table, 2)


def test_logits_of_a_module_are_normalised(made):
    data = made[1]
    said = UtilityModel(Said(lambda rows: torch.tensor([[0.25, 1.5]]).expand(len(rows), 2)), data.codec)
    assert np.allclose(np.exp(said.log_shares(data.table, 2)).sum(axis=1), 1)
