"""One method fitted for several budgets, each fit going on from the one before."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from sklearn.base import clone

from withhold.contracts.errors import InvalidTypeError

Method = TypeVar("Method", bound=Any)


def sweep(method: Method, budgets: Sequence[float], X: Any, y: Any = None, **roles: Any) -> list[Method]:
    """Return a fitted clone of `method` for each budget.

    Parameters
    ----------
    method : Sanitizer
        With parameters `budget`, `warm_start` and `checkpoint`; it is left as it is.
    budgets : sequence of float
        In the order in which they are fitted.
    X, y, **roles
        As for ``method.fit``.
    """
    if not np.iterable(budgets):
        raise InvalidTypeError(f"budgets must be several numbers (got {budgets!r}). Pass [0.1].")
    fitted: list[Method] = []
    files: list[Path] = []
    for number, budget in enumerate(budgets):
        one = clone(method).set_params(budget=budget, warm_start=True)
        if method.checkpoint is not None:
            path = Path(method.checkpoint)
            files.append(path.with_name(f"{path.name}.{number}"))
            one.set_params(checkpoint=files[-1])
            one._keep_result = True
        if fitted:
            one._played = fitted[-1]._played
        fitted.append(one.fit(X, y, **roles))
    for file in files:
        result_of(file).unlink(missing_ok=True)
    return [one.set_params(warm_start=method.warm_start, checkpoint=method.checkpoint) for one in fitted]


def result_of(checkpoint: Path) -> Path:
    """Return the file that holds the result of the fit with this checkpoint, until its sweep ends.

    Examples
    --------
    >>> result_of(Path("game")).name
    'game.done'
    """
    return checkpoint.with_name(checkpoint.name + ".done")
