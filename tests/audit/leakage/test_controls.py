import numpy as np
import pyarrow as pa
import pytest

from withhold.audit.attackers.registry import all_score_attackers, choose_panel
from withhold.audit.design import Design
from withhold.audit.effort import EFFORTS
from withhold.audit.leakage.attack import Panel
from withhold.audit.leakage.canaries.form import PlantedInputs
from withhold.audit.leakage.controls import control, hard_prediction, hard_predictions, utility_alone
from withhold.audit.leakage.parts import Judge
from withhold.audit.request import attribute_table
from withhold.data.attributes import read_attributes

N = 1500
PANEL = Panel(choose_panel(["logistic", "boosting"]), list(all_score_attackers().values()))


@pytest.fixture
def design():
    everywhere = np.ones(N, bool)
    return Design(np.arange(N) % 2, None, (0, 1), everywhere, everywhere, EFFORTS["quick"], 0)


@pytest.fixture
def judge():
    return Judge(0.95, 0, None, {"audit": np.ones(N, bool)})


def test_utility_alone_is_its_table(design, judge):
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, N)
    u = np.where(rng.random(N) < 0.2, 1 - s, s)
    found = utility_alone(attribute_table(read_attributes(u)), read_attributes(s)[0], PANEL, design)
    truth = np.log(2) + 0.2 * np.log(0.2) + 0.8 * np.log(0.8)
    got = control(judge, found)
    assert got.leakage.low <= truth
    assert got.leakage.value == pytest.approx(truth, abs=0.03)
    assert got.balanced_accuracy == pytest.approx(0.8, abs=0.03)


def test_predictions_of_several_stand_side_by_side(design):
    n = len(design.fold)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    first, second = read_attributes(pa.table({"a": (X[:, 0] > 0).astype(str), "b": (X[:, 1] > 0).astype(str)}))
    guess = hard_predictions(PlantedInputs(X, X, X), (first, second), PANEL, design)
    for j, column in enumerate(guess.columns):
        share = np.mean(column.to_numpy(zero_copy_only=False) == "class 1")
        assert share == pytest.approx((X[:, j] > 0).mean(), abs=0.1)
    assert guess.column_names == ["prediction 0", "prediction 1"]


@pytest.mark.parametrize("continuous", [False, True])
def test_hard_prediction_follows_the_utility(design, continuous):
    rng = np.random.default_rng(0)
    x = rng.normal(size=N)
    u = read_attributes(x + 0.1 * rng.normal(size=N) if continuous else (x > 0).astype(int))[0]
    X = x[:, None].astype(np.float32)
    guess = hard_prediction(PlantedInputs(X, X, X), u, PANEL, design).column("prediction").to_pylist()
    if continuous:
        assert len(set(guess)) == 8
    else:
        assert np.mean(np.array(guess) == np.where(x > 0, "class 1", "class 0")) > 0.97
