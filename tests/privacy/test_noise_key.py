import copy
import os
import pickle
import stat

import pytest
from sklearn.base import BaseEstimator, clone

from withhold.contracts.errors import FileError, InvalidParameterError
from withhold.io.atomic import TEMPORARY_PREFIX
from withhold.privacy import noise_key as subject
from withhold.privacy.noise_key import NoiseKey


@pytest.fixture
def key():
    return NoiseKey.generate()


def shown_forms(secret: bytes) -> list[str]:
    return [secret.hex(), secret.hex().upper(), repr(secret), repr(secret)[2:-1], str(list(secret)), secret.hex()[:8]]


def test_the_secret_is_in_no_printed_form(key):
    class Holder(BaseEstimator):
        def __init__(self, noise_key=None):
            self.noise_key = noise_key

    holder = Holder(key)
    printed = [
        repr(key),
        str(key),
        f"{key}",
        repr([key]),
        repr(holder),
        holder._repr_html_(),
        key.fingerprint,
        str(vars(holder)),
    ]
    for form in shown_forms(key.reveal()):
        assert all(form not in text for text in printed)
    assert not hasattr(key, "__dict__")


def test_errors_do_not_show_the_secret(key, tmp_path):
    (tmp_path / "key").write_text("other")
    with pytest.raises(FileError) as caught:
        key.save(tmp_path / "key")
    assert all(form not in str(caught.value) for form in shown_forms(key.reveal()))


def test_keys_are_new_each_time_and_copies_are_equal(key):
    assert key != NoiseKey.generate()
    assert copy.deepcopy(key) == key
    assert pickle.loads(pickle.dumps(key)) == key
    assert hash(copy.deepcopy(key)) == hash(key)
    assert key != key.reveal()


def test_clone_of_an_estimator_keeps_the_key(key):
    class Holder(BaseEstimator):
        def __init__(self, noise_key=None):
            self.noise_key = noise_key

    assert clone(Holder(key)).noise_key == key


def test_equality_is_compared_in_constant_time(key, monkeypatch):
    calls = []
    compare = subject.hmac.compare_digest
    monkeypatch.setattr(subject.hmac, "compare_digest", lambda a, b: calls.append(1) or compare(a, b))
    assert key == copy.copy(key)
    assert calls


def test_seeded_keys_repeat_and_are_not_for_sharing(key):
    assert NoiseKey.from_seed(3) == NoiseKey.from_seed(3)
    assert NoiseKey.from_seed(3) != NoiseKey.from_seed(4)
    assert not NoiseKey.from_seed(3).shareable
    assert key.shareable
    assert NoiseKey(NoiseKey.from_seed(3).reveal()) != NoiseKey.from_seed(3)


@pytest.mark.parametrize("secret", [b"", b"x" * 31, b"x" * 33, "x" * 32, None])
def test_other_secrets_are_refused(secret):
    with pytest.raises(InvalidParameterError, match="must be 32 bytes"):
        NoiseKey(secret)


@pytest.mark.parametrize("made", [NoiseKey.generate, lambda: NoiseKey.from_seed(1)])
def test_saved_keys_come_back(tmp_path, made):
    key = made()
    key.save(tmp_path / "key")
    again = NoiseKey.from_file(tmp_path / "key")
    assert again == key
    assert again.shareable == key.shareable
    assert again.fingerprint == key.fingerprint
    assert os.listdir(tmp_path) == ["key"]


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_only_the_owner_can_read_the_file(tmp_path, key):
    old = os.umask(0)
    try:
        key.save(tmp_path / "key")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600
    os.chmod(tmp_path / "key", 0o644)
    with pytest.warns(UserWarning, match="can be read by other users"):
        NoiseKey.from_file(tmp_path / "key")


@pytest.mark.parametrize("links", [True, False])
def test_another_key_is_never_replaced_unless_asked(tmp_path, key, monkeypatch, links):
    if not links:

        def refuse(*_):
            raise OSError(subject.errno.EPERM, "Operation not permitted")

        monkeypatch.setattr(subject.os, "link", refuse)
    key.save(tmp_path / "key")
    key.save(tmp_path / "key")  # the same key again changes nothing
    with pytest.raises(FileError, match=r"^The key file '.*' exists"):
        NoiseKey.generate().save(tmp_path / "key")
    assert NoiseKey.from_file(tmp_path / "key") == key
    other = NoiseKey.generate()
    other.save(tmp_path / "key", overwrite=True)
    assert NoiseKey.from_file(tmp_path / "key") == other
    assert not [name for name in os.listdir(tmp_path) if name.startswith(TEMPORARY_PREFIX)]


def test_every_changed_byte_of_a_key_file_is_found(tmp_path, key):
    key.save(tmp_path / "key")
    raw = (tmp_path / "key").read_bytes()
    for place in range(len(raw)):
        changed = bytearray(raw)
        changed[place] ^= 0x01
        (tmp_path / "key").write_bytes(changed)
        try:
            assert NoiseKey.from_file(tmp_path / "key") == key  # a line end that became a blank
        except FileError:
            continue
    (tmp_path / "key").write_bytes(raw[:-1] + b"!")
    with pytest.raises(FileError, match="is damaged"):
        NoiseKey.from_file(tmp_path / "key")


@pytest.mark.parametrize("content", [b"", b"ssh-rsa AAAA", b"\xff\xfe"])
def test_other_files_are_refused(tmp_path, content):
    (tmp_path / "key").write_bytes(content)
    with pytest.raises(FileError, match=r"^The key file '.*' holds something else"):
        NoiseKey.from_file(tmp_path / "key")


def test_missing_files_and_folders(tmp_path, key):
    with pytest.raises(FileError, match="File not found: "):
        NoiseKey.from_file(tmp_path / "absent")
    with pytest.raises(FileError, match="no folder"):
        key.save(tmp_path / "absent" / "key")
