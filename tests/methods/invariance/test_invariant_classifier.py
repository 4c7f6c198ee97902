import numpy as np
import pytest
import torch
from torch import nn

from withhold.contracts.errors import ArtifactError, DataError
from withhold.data.attributes import read_attributes
from withhold.methods.aii import AII
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.iidm import IIDM
from withhold.methods.invariance.labelled_rows import labelled_records
from withhold.methods.loading import load

SMALL = {"rounds": 6, "hidden": 8, "dimensions": 5, "random_state": 0, "noise_seed": 0}


def windows(n=60, seed=0):
    rng = np.random.default_rng(seed)
    s, y = rng.integers(2, size=n), rng.integers(3, size=n)
    return rng.normal(size=(n, 20, 3)).astype("float32") + y[:, None, None], y, s


def test_images_and_windows(tmp_path):
    X, y, s = windows()
    method = IIDM(architecture="windows", **SMALL).fit(X, y, sensitive_features=s)
    assert method.encoder_.form == (3, 20)
    assert method.transform(X).shape == (60, 5)
    method.save(tmp_path / "s.withhold")
    assert np.array_equal(load(tmp_path / "s.withhold").transform(X), method.transform(X))
    pixels = np.random.default_rng(0).integers(256, size=(60, 8, 8, 3), dtype=np.uint8)
    assert IIDM(**SMALL).fit(pixels, y, sensitive_features=s).encoder_.form == (3, 8, 8)


def test_windows_with_nan_are_refused():
    X, y, s = windows()
    X[3, 4, 1] = np.nan
    with pytest.raises(DataError, match="NaN"):
        IIDM(architecture="windows", **SMALL).fit(X, y, sensitive_features=s)
    clean, _, _ = windows()
    method = IIDM(architecture="windows", **SMALL).fit(clean, y, sensitive_features=s)
    with pytest.raises(DataError, match="NaN"):
        method.predict(X)


def test_the_module_of_the_user_is_copied_and_given_again(tmp_path):
    X, y, s = windows()
    own = nn.Sequential(nn.Flatten(), nn.Linear(60, 7))
    before = own[1].weight.detach().clone()
    method = IIDM(architecture="windows", encoder=own, **SMALL).fit(X, y, sensitive_features=s)
    assert method.transform(X).shape == (60, 7)
    assert bool((own[1].weight == before).all())
    method.save(tmp_path / "s.withhold")
    again = load(tmp_path / "s.withhold", encoder=nn.Sequential(nn.Flatten(), nn.Linear(60, 7)))
    assert np.array_equal(again.transform(X), method.transform(X))
    with pytest.raises(ArtifactError, match="the module of the fit"):
        load(tmp_path / "s.withhold")
    with pytest.raises(ArtifactError):
        load(tmp_path / "s.withhold", encoder=nn.Sequential(nn.Flatten(), nn.Linear(60, 9)))


def test_an_attribute_value_unseen_in_the_fit_needs_nothing():
    """The attribute is no input: records of a new value are released and predicted as any other."""
    X, y, s = windows()
    method = IIDM(architecture="windows", **SMALL).fit(X, y, sensitive_features=s)
    assert method.predict(X + 1).shape == (60,)


def test_one_attribute_value_and_labels_missing():
    X, y, s = windows()
    with pytest.raises(DataError, match="at least two"):
        IIDM(architecture="windows", **SMALL).fit(X, y, sensitive_features=np.zeros(60, int))
    holed = y.astype(object)
    holed[:10] = None
    assert IIDM(architecture="windows", **SMALL).fit(X, holed, sensitive_features=s).classes_.tolist() == [0, 1, 2]


@pytest.mark.parametrize(("late", "fled"), [(1.0, True), (0.6, False)])
def test_a_discriminator_that_is_fled_from_is_pointed_out(late, fled):
    """Its cross-entropy (nats) stands far above H(S) = .69 at the end; a high start alone is no flight."""
    X, y, s = windows()
    method = AII(architecture="windows", **SMALL).fit(X, y, sensitive_features=s)
    method.findings_, method.curves_ = [], {"discriminator": [3.0] * 50 + [late] * 50}
    recipe = method._recipe(60)
    given = FitData(H=X.reshape(60, -1), sensitive=read_attributes(s), utilities=read_attributes(y, role="y"))
    method._report(labelled_records(given, given.H, torch.device("cpu"), "AII"), recipe)
    assert ("discriminator_lost" in {finding.code for finding in method.findings_}) == fled
    assert method.diagnostics_["beyond_maximum"] == float(fled)
