"""The secret that release noise is derived from.

Whoever has it can compute the noise of a record and subtract it. It is therefore never printed, and never part of an
artifact, a manifest, a report or a log. Copies in memory are unavoidable: a pickled or copied sanitiser that holds a
key holds the secret.
"""

import errno
import hashlib
import hmac
import os
import warnings
from pathlib import Path
from typing import ClassVar, Self

from withhold.contracts.errors import FileError, InvalidParameterError
from withhold.io.atomic import flush_folder, flush_to_disk, temporary_beside, write_error
from withhold.io.table_format import check_regular, unreadable

SECRET_BYTES = 32

# File systems without hard links (memory cards, some network drives) answer with one of these.
_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK})


class NoiseKey:
    """A secret of 32 bytes.

    Parameters
    ----------
    secret : bytes
        Use `generate`, `from_file` or, in tests and benchmarks, `from_seed` rather than passing one.
    shareable : bool
        Whether a release made with this key may be shared. False for keys that can be guessed.

    Examples
    --------
    >>> key = NoiseKey.generate()
    >>> key
    NoiseKey(secret hidden, shareable=True)
    >>> key == NoiseKey.generate()
    False
    """

    __slots__ = ("_secret", "_shareable")
    first_line: ClassVar[str] = (
        "withhold noise key 1 - keep it secret: whoever has it can subtract the noise from a release"
    )
    """Of its file: what the secret is for."""
    why: ClassVar[str] = "With another key every record would get other noise, and two draws can be averaged."
    remedy: ClassVar[str] = "Pass the key file that was written with the earlier release."

    def __init__(self, secret: bytes, shareable: bool = True) -> None:
        if not isinstance(secret, bytes) or len(secret) != SECRET_BYTES:
            got = f"{len(secret)} bytes" if isinstance(secret, bytes) else f"a {type(secret).__name__}"
            raise InvalidParameterError(
                f"The secret of a NoiseKey must be {SECRET_BYTES} bytes (got {got}). Use NoiseKey.generate()."
            )
        self._secret = secret
        self._shareable = shareable

    @classmethod
    def generate(cls) -> Self:
        """Return a new key from the random source of the operating system."""
        return cls(os.urandom(SECRET_BYTES))

    @classmethod
    def from_seed(cls, seed: int) -> Self:
        """Return the key of a small integer, for tests and benchmarks; releases made with it are not for sharing.

        Examples
        --------
        >>> NoiseKey.from_seed(0)
        NoiseKey(secret hidden, shareable=False)
        """
        return cls(hashlib.sha256(f"withhold noise seed {int(seed)}".encode()).digest(), shareable=False)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Self:
        """Read a key that `save` wrote, warning when other users of the machine can read it too."""
        source = Path(path)
        check_regular(source)
        try:
            text = source.read_text(encoding="ascii")
            others_read = os.name == "posix" and bool(source.stat().st_mode & 0o077)
        except UnicodeDecodeError as error:
            raise cls._unusable(source, "holds something else") from error
        except OSError as error:
            raise unreadable(source, error) from error
        lines = text.split("\n")
        if lines[0] != cls.first_line:
            raise cls._unusable(source, "holds something else")
        fields = dict(line.split(" ", 1) for line in lines[1:] if " " in line)
        try:
            key = cls(bytes.fromhex(fields["secret"]), shareable={"yes": True, "no": False}[fields["shareable"]])
        except (KeyError, ValueError) as error:
            raise cls._unusable(source, "is damaged") from error
        if not hmac.compare_digest(fields.get("check", ""), key._checksum()):
            raise cls._unusable(source, "is damaged")
        if others_read:
            warnings.warn(f"The key file '{source}' can be read by other users; run chmod 600 on it.", stacklevel=2)
        return key

    @property
    def shareable(self) -> bool:
        """Whether a release made with this key may be shared."""
        return self._shareable

    @property
    def fingerprint(self) -> str:
        """A public name of the key from which the secret cannot be found (unless it came from a small seed)."""
        return hashlib.sha256(b"withhold noise key fingerprint" + self._secret).hexdigest()[:16]

    def reveal(self) -> bytes:
        """Return the secret itself, for the noise function only."""
        return self._secret

    def save(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Write the key to a file that only its owner can read.

        Parameters
        ----------
        path : path
        overwrite : bool, default=False
            Replace a key of the same kind. The releases made with a replaced key cannot be repeated.

        Raises
        ------
        FileError
            There is another key and `overwrite` is false, or anything else; or it cannot be written.
        """
        target = Path(path)
        if overwrite:
            self.refuse_other(target)
        shareable = "yes" if self._shareable else "no"
        text = f"{self.first_line}\nsecret {self._secret.hex()}\nshareable {shareable}\ncheck {self._checksum()}\n"
        try:
            with temporary_beside(target) as temporary:
                handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
                with os.fdopen(handle, "w", encoding="ascii") as out:
                    out.write(text)
                flush_to_disk(temporary)
                _put_in_place(temporary, target, overwrite)
            flush_folder(target.parent)
        except FileExistsError as error:
            if target.is_file() and target.read_bytes() == text.encode():
                return
            raise FileError(f"The key file '{target}' exists, and its release needs it. Move it away.") from error
        except OSError as error:
            raise write_error(target, error) from error

    @classmethod
    def refuse_other(cls, path: Path) -> None:
        """Refuse a place that holds anything but a key of this kind: nothing else is replaced by one.

        Examples
        --------
        >>> NoiseKey.refuse_other(Path("no-such-file"))
        """
        if not os.path.lexists(path):
            return
        check_regular(path)
        try:
            with path.open("rb") as file:
                ours = file.read(len(cls.first_line)) == cls.first_line.encode()
        except OSError as error:
            raise unreadable(path, error) from error
        if not ours:
            raise FileError(f"The key would be written to '{path}', which holds something else. Move that away.")

    @classmethod
    def _unusable(cls, path: Path, got: str) -> FileError:
        return FileError(f"The key file '{path}' {got}. {cls.why} {cls.remedy}")

    def _checksum(self) -> str:
        # Four bytes tell a damaged key from an intact one and say nothing useful about the other thirty-two.
        tail = b"yes" if self._shareable else b"no"
        return hashlib.sha256(b"withhold noise key checksum" + self._secret + tail).hexdigest()[:8]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NoiseKey):
            return NotImplemented
        return hmac.compare_digest(self._secret, other._secret) and self._shareable == other._shareable

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(secret hidden, shareable={self._shareable})"


def _put_in_place(temporary: Path, target: Path, overwrite: bool) -> None:
    if overwrite:
        os.replace(temporary, target)
        return
    try:
        os.link(temporary, target)  # unlike a rename, fails when the target exists
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if target.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from error
        os.replace(temporary, target)
