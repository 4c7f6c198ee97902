import signal
import subprocess
import sys

import numpy as np
import pytest
import torch
from torch import nn

from withhold.contracts.errors import ArtifactError, DataError
from withhold.data.attributes import read_attributes
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.iidm.iidm import IIDM
from withhold.methods.iidm.iidm_plus import IIDMPlus
from withhold.methods.iidm.labelled_rows import labelled_records
from withhold.methods.iidm.rivals.aii import AII
from withhold.methods.iidm.rivals.crossgrad import CrossGrad
from withhold.methods.iidm.rivals.erm import ERM
from withhold.methods.iidm.rivals.ns import NS
from withhold.methods.iidm.rivals.revgrad import RevGrad
from withhold.methods.loading import load
from withhold.training.game import Game

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
    with pytest.raises(ArtifactError, match=r"^This IIDM was fitted with your own encoder. Pass it"):
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
    given = FitData(H=X.reshape(60, -1), sensitive=read_attributes(s), utilities=read_attributes(y, role="y"))
    method._report(labelled_records(given, given.H, torch.device("cpu"), "AII"))
    assert ("discriminator_lost" in {finding.code for finding in method.findings_}) == fled
    assert method.diagnostics_["beyond_maximum"] == float(fled)


def interrupted(method, data, at, monkeypatch):
    """Fit until round `at` of the game itself, and stop as a user would."""
    played = Game._play_round

    def round_(self):
        if self.memory is not None and self.round == at:
            raise KeyboardInterrupt
        played(self)

    monkeypatch.setattr(Game, "_play_round", round_)
    X, y, s = data
    with pytest.raises(KeyboardInterrupt):
        method.fit(X, y, sensitive_features=s)
    monkeypatch.undo()


@pytest.mark.parametrize("cls", [IIDM, IIDMPlus, AII, NS, RevGrad, CrossGrad, ERM], ids=lambda cls: cls.__name__)
def test_an_interrupted_fit_goes_on_with_the_same_result(cls, tmp_path, monkeypatch):
    data, settings = windows(), SMALL | {"rounds": 20}
    X, y, s = data
    whole = cls(architecture="windows", **settings).fit(X, y, sensitive_features=s)
    again = cls(architecture="windows", checkpoint=tmp_path / "c", **settings)
    interrupted(again, data, 15, monkeypatch)
    assert (tmp_path / "c").exists()
    again.fit(X, y, sensitive_features=s)
    assert not (tmp_path / "c").exists()
    assert again.digest_ == whole.digest_
    assert again.curves_ == whole.curves_
    assert again.diagnostics_ == whole.diagnostics_


KILLED = """
import os, signal, sys
import numpy as np
from withhold.methods.iidm.iidm import IIDM
from withhold.training.game import Game
played = Game._play_round
def round_(self):
    if self.memory is not None and self.round == 15:
        os.kill(os.getpid(), signal.SIGKILL)
    played(self)
Game._play_round = round_
data = np.load(sys.argv[1])
method = IIDM(rounds=20, hidden=8, dimensions=5, random_state=0, noise_seed=0, checkpoint=sys.argv[2])
method.fit(data["X"], data["y"], sensitive_features=data["s"])
"""


def test_a_killed_fit_goes_on_with_the_same_result(tmp_path):
    rng = np.random.default_rng(0)
    X, y, s = rng.normal(size=(80, 4)), rng.integers(2, size=80), rng.integers(3, size=80)
    np.savez(tmp_path / "data.npz", X=X, y=y, s=s)
    command = [sys.executable, "-c", KILLED, str(tmp_path / "data.npz"), str(tmp_path / "c")]
    assert subprocess.run(command).returncode == -signal.SIGKILL
    settings = SMALL | {"rounds": 20}
    resumed = IIDM(checkpoint=tmp_path / "c", **settings)
    # Other data or settings, or other weights to start from, are not mixed in.
    with pytest.raises(ArtifactError, match="same data with the same settings"):
        IIDM(checkpoint=tmp_path / "c", **settings, lam=0.5).fit(X, y, sensitive_features=s)
    own = nn.Linear(4, 5)
    with pytest.raises(ArtifactError, match="same data with the same settings"):
        IIDM(checkpoint=tmp_path / "c", **settings, encoder=own).fit(X, y, sensitive_features=s)
    resumed.fit(X, y, sensitive_features=s)
    assert resumed.digest_ == IIDM(**settings).fit(X, y, sensitive_features=s).digest_


def test_a_number_is_said_to_be_classes():
    """Nothing silent: how many classes, and how much of the number they hold. A class is a class and says nothing."""
    X, y, s = windows()
    number = np.random.default_rng(0).normal(size=60)
    method = IIDM(architecture="windows", **SMALL).fit(X, y, sensitive_features=number)
    finding = next(finding for finding in method.findings_ if finding.code == "continuous_as_classes")
    assert "8 classes of equal mass" in finding.text
    assert method.diagnostics_["maximum_leakage"] == pytest.approx(np.log(8), abs=0.01)
    plain = IIDM(architecture="windows", **SMALL).fit(X, y, sensitive_features=s)
    assert "continuous_as_classes" not in {finding.code for finding in plain.findings_}
