import numpy as np
import pytest

from withhold.audit.attackers.logistic import Logistic
from withhold.audit.design import Design
from withhold.audit.effort import EFFORTS
from withhold.audit.leakage.canaries.form import PlantedInputs
from withhold.audit.leakage.crossfit import cross_fit
from withhold.audit.people.exposure import exposure_table


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 600)
    seen = np.arange(600) < 100  # only these records give their class away
    X = np.where(seen, 3.0 * (2 * s - 1), 0.0)[:, None].astype(np.float32)
    everyone = np.ones(600, bool)
    design = Design(np.arange(600) % 3, None, (0, 1, 2), everyone, everyone, EFFORTS["quick"], 0)
    return cross_fit(PlantedInputs(X, X, X), s, 2, [Logistic], design, "test")


def test_the_exposed_records_come_first(found):
    table = exposure_table({"s": found})
    assert table.num_rows == 600
    rows, ratios = (table.column(name).to_numpy() for name in ("row", "log_ratio"))
    assert sorted(rows[:100].tolist()) == list(range(100))
    assert ratios[:100].min() > 0.5
    assert np.abs(ratios[100:]).max() < 0.1
    chance = table.column("probability").to_numpy()
    assert chance[:100].min() > 0.9
    share = np.bincount(found.truth) / 600
    # Folds that are not stratified have class frequencies a little apart.
    assert np.allclose(np.log(chance / share[found.truth[rows]]), ratios, atol=0.05)
    assert ratios.mean() == pytest.approx(found.best().mean())


def test_rows_are_those_of_the_release(found):
    table = exposure_table({"s": found, "t": found}, rows=np.arange(600) * 10)
    assert table.column("row").to_numpy()[:600].max() == 5990
    assert table.column("attribute").unique().to_pylist() == ["s", "t"]


def test_nothing_was_attacked():
    assert exposure_table({}).num_rows == 0
