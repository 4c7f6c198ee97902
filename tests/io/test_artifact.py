import json
import pickle

import numpy as np
import pytest
from safetensors.numpy import save as save_tensors

from withhold.contracts.errors import ArtifactError, FileError, InvalidTypeError
from withhold.io import artifact as subject
from withhold.io.artifact import artifact_digest, content_digest, read_artifact, write_artifact

HEADER = {"method": "leace", "settings": {"lam": 0.1, "names": ["é", "b"]}, "seal": "0" * 64, "none": None}
TENSORS = {
    "map": np.arange(6, dtype=np.float32).reshape(2, 3),
    "flags": np.array([True, False]),
    "counts": np.array([1, -2, 3]),
    "scalar": np.float64(2.5),
    "empty": np.zeros((0, 4), np.float32),
}


@pytest.fixture
def path(tmp_path):
    write_artifact(tmp_path / "s.withhold", HEADER, TENSORS)
    return tmp_path / "s.withhold"


def test_round_trip(path):
    header, tensors = read_artifact(path)
    assert header == HEADER
    assert tensors.keys() == TENSORS.keys()
    for name, array in TENSORS.items():
        assert tensors[name].dtype == array.dtype
        assert tensors[name].shape == array.shape
        assert tensors[name].flags.writeable
        np.testing.assert_array_equal(tensors[name], array)


def test_transposed_and_big_endian_arrays_keep_their_values(tmp_path):
    write_artifact(tmp_path / "s", {}, {"t": TENSORS["map"].T, "b": np.array([1.5], ">f8")})
    _, tensors = read_artifact(tmp_path / "s")
    np.testing.assert_array_equal(tensors["t"], TENSORS["map"].T)
    assert tensors["b"] == 1.5


def test_the_same_content_gives_the_same_bytes(path, tmp_path):
    write_artifact(tmp_path / "again", HEADER, dict(reversed(TENSORS.items())))
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_content_digest_is_the_same_in_memory_and_in_the_file_and_follows_the_content(path):
    digest = content_digest(HEADER, TENSORS)
    assert artifact_digest(path) == digest
    assert content_digest(HEADER | {"none": 1}, TENSORS) != digest
    assert content_digest(HEADER, TENSORS | {"counts": np.array([1, -2, 4])}) != digest
    assert content_digest(HEADER, TENSORS | {"counts": np.array([1, -2, 3], np.int32)}) != digest
    assert content_digest(HEADER, TENSORS | {"map": TENSORS["map"].reshape(3, 2)}) != digest


def test_content_digest_does_not_depend_on_the_library_version(path, tmp_path, monkeypatch):
    monkeypatch.setattr(subject, "version", lambda _: "99.0")
    write_artifact(tmp_path / "later", HEADER, TENSORS)
    assert (tmp_path / "later").read_bytes() != path.read_bytes()
    assert artifact_digest(tmp_path / "later") == artifact_digest(path)


def test_every_changed_byte_is_detected(path):
    raw = path.read_bytes()
    rng = np.random.default_rng(0)
    for place in range(len(raw)):
        changed = bytearray(raw)
        changed[place] ^= int(rng.integers(1, 256))
        path.write_bytes(changed)
        with pytest.raises(ArtifactError):
            read_artifact(path)
    path.write_bytes(raw)
    assert read_artifact(path)[0] == HEADER


def test_a_changed_blank_is_detected(path):
    # safetensors pads its JSON with spaces; a tab there means the same to every reader but ours
    write_artifact(path, {"padding": "one more character needs seven blanks"}, {"a": np.zeros(1)})
    raw = path.read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    assert raw[start - 1 : start] == b" "
    path.write_bytes(raw[: start - 1] + b"\t" + raw[start:])
    with pytest.raises(ArtifactError, match="was changed or cut off"):
        read_artifact(path)


def test_every_truncation_is_detected(path):
    raw = path.read_bytes()
    for length in range(len(raw)):
        path.write_bytes(raw[:length])
        with pytest.raises(ArtifactError, match="empty file" if length == 0 else "cut short|cut off"):
            read_artifact(path)
    path.write_bytes(raw + b"\0")
    with pytest.raises(ArtifactError, match="was changed or cut off"):
        read_artifact(path)


def test_a_newer_format_says_so(path, monkeypatch):
    monkeypatch.setattr(subject, "FORMAT_VERSION", 2)
    write_artifact(path, HEADER, TENSORS)
    monkeypatch.undo()
    with pytest.raises(ArtifactError, match=r"has artifact format 2, written by withhold \d.* reads format 1\."):
        read_artifact(path)


class Trap:
    def __reduce__(self):
        return (pytest.fail, ("code of the file was executed",))


@pytest.mark.parametrize(
    "raw",
    [
        save_tensors({"a": np.zeros(3)}),
        save_tensors({"a": np.zeros(3)}, metadata={"format": "pt"}),
        save_tensors({"a": np.zeros(3)}, metadata={"withhold": "[]"}),
        save_tensors({"a": np.zeros(3)}, metadata={"withhold": json.dumps({"magic": "else", "format_version": 1})}),
        pickle.dumps(Trap()) + b" " * 50,
        b"PK\x03\x04" + b"\0" * 100,
        b"age,sex\n" * 20,
    ],
    ids=["no metadata", "torch's", "not an object", "other magic", "pickle", "zip", "csv"],
)
def test_foreign_files_are_named_as_such(tmp_path, raw):
    (tmp_path / "s").write_bytes(raw)
    with pytest.raises(ArtifactError, match="is no withhold sanitiser but"):
        read_artifact(tmp_path / "s")


def test_a_missing_file(tmp_path):
    with pytest.raises(FileError, match="File not found: "):
        read_artifact(tmp_path / "absent")


@pytest.mark.parametrize("array", [np.array([Trap()]), np.array(["a"]), np.array([1j]), np.array([1], np.longdouble)])
def test_only_numbers_are_stored(tmp_path, array):
    with pytest.raises(InvalidTypeError, match="must hold numbers or booleans"):
        write_artifact(tmp_path / "s", {}, {"a": array})
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize("header", [{"a": float("nan")}, {"a": object()}, {"a": {1, 2}}])
def test_only_json_is_stored(tmp_path, header):
    with pytest.raises(InvalidTypeError, match="must be JSON without NaN"):
        write_artifact(tmp_path / "s", header, {})
