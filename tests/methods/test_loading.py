"""What loading refuses."""

import numpy as np
import pytest

from withhold.contracts.errors import ArtifactError, FileError, InvalidParameterError
from withhold.io.artifact import content_digest, read_artifact, write_artifact
from withhold.methods.cadp.cadp import CADP
from withhold.methods.controls import Identity, Noise
from withhold.methods.deepminmax import DeepMinMax
from withhold.methods.loading import load, restore
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


@pytest.mark.parametrize("name", [["Noise"], {"a": 1}, 7, None, "identity", "x" * 5000])
def test_a_name_of_another_form(path, name):
    rewrite(path, lambda header, _: header.update(method=name))
    with pytest.raises(ArtifactError) as caught:
        load(path)
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize(
    ("setting", "value"), [("scale", "1"), ("scale", None), ("output", 3), ("keep", 7), ("noise_seed", 0.5)]
)
def test_settings_of_another_type(path, setting, value):
    rewrite(path, lambda header, _: header["settings"].update({setting: value}))
    with pytest.raises(ArtifactError, match=setting):
        load(path)


def sealed(path, change):
    """Change an artifact as somebody does who can compute its digests."""

    def both(header, tensors):
        change(header, tensors)
        state = {name.removeprefix("method."): a for name, a in tensors.items() if name.startswith("method.")}
        header["state_digest"] = content_digest({"method": header["method"], "encoding": header["encoding"]}, state)

    rewrite(path, both)


def test_a_noise_that_is_not_the_stated_one(path):
    sealed(path, lambda _, tensors: tensors.update({"method.scale": np.array(0.0)}))
    with pytest.raises(ArtifactError, match=r"states scale 1\.0 and holds 0\.0"):
        load(path)


def test_the_noise_of_a_game_that_is_not_the_stated_one(tmp_path):
    rng = np.random.default_rng(0)
    method = DeepMinMax(rounds=2, hidden=8, noise_seed=0, random_state=0)
    method.fit(rng.normal(size=(60, 3)), sensitive_features=np.resize(["a", "b"], 60)).save(tmp_path / "s")
    sealed(tmp_path / "s", lambda header, _: None)  # positive control
    load(tmp_path / "s")
    sealed(tmp_path / "s", lambda _, tensors: tensors.update({"method.noise": np.array(0.0)}))
    with pytest.raises(ArtifactError, match=r"states noise 0\.6 and holds 0\.0"):
        load(tmp_path / "s")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_weights_that_are_no_numbers(path, value):
    sealed(path, lambda _, tensors: tensors.update({"method.spread": np.array([1.0, value])}))
    with pytest.raises(ArtifactError, match="no numbers"):
        load(path)


@pytest.mark.parametrize("epsilon", [1e300, "1e400", -1, 0, "1/0", "9" * 400])
def test_a_promise_that_nobody_can_give(tmp_path, epsilon):
    rng = np.random.default_rng(0)
    CADP(rounds=2, hidden=8, noise_seed=0, random_state=0).fit(rng.normal(size=(60, 3))).save(tmp_path / "s")
    sealed(tmp_path / "s", lambda header, _: header["settings"].update(epsilon=epsilon))
    with pytest.raises(ArtifactError, match="epsilon"):
        load(tmp_path / "s")


def test_a_promise_that_its_header_states_otherwise(tmp_path):
    rng = np.random.default_rng(0)
    CADP(rounds=2, hidden=8, random_state=0).fit(rng.normal(size=(60, 3))).save(tmp_path / "s")
    sealed(tmp_path / "s", lambda header, _: header["guarantee"]["privacy"].update(epsilon=0.1))
    with pytest.raises(ArtifactError, match="privacy in its guarantee"):
        load(tmp_path / "s")


def test_a_missing_file(tmp_path):
    with pytest.raises(FileError):
        load(tmp_path / "nothing.withhold")


def test_a_key_replaces_the_seed(path):
    key = NoiseKey.generate()
    method = load(path, noise_key=key)
    assert method.noise_seed is None
    assert method.noise_note_ == "one fixed noise draw per record, from the kept key"


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


@pytest.mark.parametrize(("setting", "value"), [("mechanism", "gaussian"), ("flow_training", "dp-sgd")])
def test_files_of_an_earlier_version_are_read_unless_they_hang_on_what_left(tmp_path, setting, value):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), np.resize(["a", "b"], 80)
    method = CADP(directions=2, rounds=2, hidden=4, random_state=0, noise_seed=0).fit(X[:60], y[:60])
    method.save(tmp_path / "now")
    header, tensors = read_artifact(tmp_path / "now")
    before = {"delta": 1e-6, "flow_epsilon": 8.0, "flow_delta": 1e-5}
    write_artifact(tmp_path / "before", header | {"settings": header["settings"] | before}, tensors)
    assert np.array_equal(load(tmp_path / "before").transform(X[60:], y[60:]), method.transform(X[60:], y[60:]))
    write_artifact(tmp_path / "left", header | {"settings": header["settings"] | before | {setting: value}}, tensors)
    with pytest.raises(ArtifactError, match=rf"{setting}='{value}'.* withhold 0\.1\.0 of commit 14b5eef"):
        load(tmp_path / "left")
