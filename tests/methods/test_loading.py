"""What loading refuses."""

import numpy as np
import pytest

from withhold.contracts.errors import ArtifactError, FileError, InvalidParameterError
from withhold.io.artifact import read_artifact, write_artifact
from withhold.methods.identity import Identity
from withhold.methods.loading import load, restore
from withhold.methods.noise import Noise
from withhold.privacy.noise_key import NoiseKey


@pytest.fixture
def path(tmp_path):
    rng = np.random.default_rng(0)
    s = np.resize(["a", "b"], 30)
    Noise(noise_seed=0).fit(rng.normal(size=(30, 2)), sensitive_features=s).save(tmp_path / "s.withhold")
    return tmp_path / "s.withhold"


def rewrite(path, change):
    header, tensors = read_artifact(path)
    change(header, tensors)
    write_artifact(path, header, tensors)


def test_a_name_outside_the_room_builds_nothing(path):
    rewrite(path, lambda header, _: header.update(method="Popen"))
    with pytest.raises(ArtifactError, match="Popen"):
        load(path)


def test_unknown_settings(path):
    rewrite(path, lambda header, _: header["settings"].update(shape=3))
    with pytest.raises(ArtifactError, match="shape"):
        load(path)


def test_a_state_that_was_changed(path):
    rewrite(path, lambda _, tensors: tensors.update({"method.spread": np.ones(2)}))
    with pytest.raises(ArtifactError, match="digest"):
        load(path)


@pytest.mark.parametrize("part", ["encoding", "form", "decoder", "findings"])
def test_a_missing_part(path, part):
    rewrite(path, lambda header, _: header.pop(part))
    with pytest.raises(ArtifactError, match=part):
        load(path)


def test_a_missing_file(tmp_path):
    with pytest.raises(FileError):
        load(tmp_path / "nothing.withhold")


def test_a_key_replaces_the_seed(path):
    key = NoiseKey.generate()
    method = load(path, noise_key=key)
    assert method.noise_seed is None
    assert method.noise_note_ == "one draw a record under the kept key"


def test_a_module_for_a_method_without_one(path):
    with pytest.raises(InvalidParameterError, match="encoder"):
        load(path, encoder=object())


def test_random_state_objects_are_saved_as_their_seed(tmp_path):
    s = np.resize(["a", "b"], 30)
    method = Identity(random_state=np.random.RandomState(0)).fit(np.arange(60.0).reshape(30, 2), sensitive_features=s)
    method.save(tmp_path / "s.withhold")
    assert load(tmp_path / "s.withhold").random_state == method.seed_


def test_a_noisy_sanitiser_without_its_key_warns(tmp_path):
    X, s = np.arange(60.0).reshape(30, 2), np.resize(["a", "b"], 30)
    method = Noise().fit(X, sensitive_features=s)
    method.save(tmp_path / "s.withhold")
    method.noise_key_.save(tmp_path / "key")
    with pytest.warns(UserWarning, match=r"noise_key_\.save"):
        again = load(tmp_path / "s.withhold")
    assert not np.array_equal(again.transform(X), method.transform(X))
    # Warnings are errors here, so the next two lines are the control: nothing is said with the key or by `restore`.
    kept = load(tmp_path / "s.withhold", noise_key=NoiseKey.from_file(tmp_path / "key"))
    assert restore(tmp_path / "s.withhold").noise_note_ == again.noise_note_
    assert np.array_equal(kept.transform(X), method.transform(X))
    assert kept.noise_key_ == method.noise_key_
    assert method.noise_key_.reveal().hex() not in repr(method.noise_key_)
