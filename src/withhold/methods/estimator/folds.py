"""Which of several models fitted on parts of the rows reads a record: one that met neither it nor a copy of it."""

import hashlib

import numpy as np

FOLDS = 2  # each model learns from half the rows
SALT_BYTES = 16
LEAST_SHARE = 0.25  # of different records in each fold: with few of them a salt may put nearly all into one
LEAST_LEFT = 0.5  # of the rows that a model would learn from, where whole subjects are left out
LOOKED_AT = 10_000  # rows, for that
SALTS = 64  # tried at most: where all records are copies of one, none will do


def record_folds(rows: np.ndarray, salt: bytes) -> np.ndarray:
    """Return the fold of each record: a hash of its canonical bytes, so that copies meet the same decoder.

    Parameters
    ----------
    rows : ndarray of uint8, shape (n_samples, n_bytes)
    salt : bytes
        Of the artifact: another fit divides records in another way.

    Examples
    --------
    >>> rows = np.arange(40, dtype=np.uint8).reshape(20, 2)
    >>> folds = record_folds(rows, b"docs")
    >>> bool((folds[5:] == record_folds(rows[5:], b"docs")).all()), sorted(set(folds.tolist()))
    (True, [0, 1])
    """
    width, block = rows.shape[1], memoryview(np.ascontiguousarray(rows).tobytes())
    start = hashlib.blake2b(digest_size=8, key=salt, person=b"withhold fold")
    folds = np.empty(len(rows), dtype=np.int64)
    for i in range(len(rows)):
        state = start.copy()
        state.update(block[i * width : (i + 1) * width])
        folds[i] = int.from_bytes(state.digest(), "little") % FOLDS
    return folds


def fold_salt(rows: np.ndarray, rng: np.random.Generator) -> bytes:
    """Return a salt under which no fold is nearly empty, if there is one."""
    different = np.unique(rows[:LOOKED_AT], axis=0)
    for _ in range(SALTS):
        salt = rng.bytes(SALT_BYTES)
        if len(different) > 50 * FOLDS:  # the shares of so many are even enough under any salt
            break
        counts = np.bincount(record_folds(different, salt), minlength=FOLDS)
        if counts.min() >= LEAST_SHARE * len(different):
            break
    return salt


def learned_from(folds: np.ndarray, fold: int, subjects: np.ndarray | None = None) -> np.ndarray:
    """Return the rows that the model of a fold learns from: of other folds, and of subjects with no row in this one.

    Parameters
    ----------
    folds : ndarray of int, shape (n_samples,)
    subjects : ndarray of int, shape (n_samples,), optional

    Examples
    --------
    >>> learned_from(np.array([0, 1, 1, 1]), 0, np.array([7, 7, 8, 8])).tolist()
    [2, 3]
    """
    other = _unmet(folds, fold, subjects)
    # All records are one, or of one subject: there is no model that met neither.
    return np.flatnonzero(other) if other.any() else np.arange(len(folds))


def folds_of_fit(rows: np.ndarray, salt: bytes, subjects: np.ndarray | None, rng: np.random.Generator) -> np.ndarray:
    """Return the fold of each row of the fit: the hash of its record, which new rows have too.

    Where most subjects have so many records that some lie in every fold, no rows would be left to learn from: then
    subjects are divided, and a later release of these rows, which does not know them, goes by the hash all the same.

    Examples
    --------
    >>> rows = np.arange(40, dtype=np.uint8)[:, None]
    >>> few, many = np.arange(40), np.arange(40) % 2
    >>> own = record_folds(rows, b"docs")
    >>> [bool((folds_of_fit(rows, b"docs", one, np.random.default_rng(0)) == own).all()) for one in (few, many)]
    [True, False]
    """
    folds = record_folds(rows, salt)
    if subjects is None:
        return folds
    left = [_unmet(folds, fold, subjects).sum() / max(1, (folds != fold).sum()) for fold in range(FOLDS)]
    return folds if min(left) >= LEAST_LEFT else subject_folds(subjects, rng)


def subject_folds(subjects: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the fold of each row so that rows of one subject stay together.

    Parameters
    ----------
    subjects : ndarray of int, shape (n_samples,)

    Examples
    --------
    >>> folds = subject_folds(np.array([0, 0, 1, 1, 2, 2]), np.random.default_rng(0))
    >>> bool((folds[::2] == folds[1::2]).all()), sorted(set(folds.tolist()))
    (True, [0, 1])
    """
    _, codes = np.unique(subjects, return_inverse=True)
    return np.asarray(rng.permutation(codes.max() + 1)[codes] % FOLDS, dtype=np.int64)


def _unmet(folds: np.ndarray, fold: int, subjects: np.ndarray | None) -> np.ndarray:
    other = folds != fold
    return np.asarray(other if subjects is None else other & ~np.isin(subjects, subjects[folds == fold]), dtype=bool)
