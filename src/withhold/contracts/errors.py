"""Errors that say what is wrong and end with what to do.

Every error derives from `WithholdError` and from the built-in a caller would catch, and carries the exit code
that the command line returns for it (design: 2 usage, 3 bad data, file or cannot write).
"""

from typing import ClassVar


class WithholdError(Exception):
    """Root of all errors raised on purpose by this package."""

    exit_code: ClassVar[int] = 3


class InvalidParameterError(WithholdError, ValueError):
    """A parameter or command-line option has a value that cannot be used."""

    exit_code: ClassVar[int] = 2


class InvalidTypeError(WithholdError, TypeError):
    """An input has a type that cannot be used (sparse where dense is needed, complex numbers)."""

    exit_code: ClassVar[int] = 2


class DataError(WithholdError, ValueError):
    """The data cannot be used as they are: unknown column, constant attribute, infinities."""


class OverBudgetError(DataError):
    """What is to be handed over unchanged tells more than the budget: every release would fail, so none was made."""

    exit_code: ClassVar[int] = 1


class NoVerdictError(DataError):
    """The rows cannot decide the budget, whatever is made of them, so nothing was made."""

    exit_code: ClassVar[int] = 4


class BudgetExceededError(DataError):
    """A release would cost a record more privacy than the total that was set for it; nothing was released."""


class ArtifactError(WithholdError, ValueError):
    """A saved sanitiser is damaged, foreign or of another version."""


class FileError(WithholdError, OSError):
    """A file cannot be read or written; earlier outputs are intact."""


class NumericalError(WithholdError, ArithmeticError):
    """A computation produced NaN or infinity; the message says where and the likely reason."""


class DriftWarning(UserWarning):
    """New records are unlike those a sanitiser was fitted on; what was promised or audited may not hold for them."""


class DroppedColumnsWarning(UserWarning):
    """Columns that look like identifiers or free text were left out of the features at the fit."""


class FittedRecordsWarning(UserWarning):
    """Records to release have the values of records that the model was fitted on, for which nothing is promised."""


class CollapseWarning(UserWarning):
    """The objective that was asked for is best served by knowing nothing."""


class MissingExtraError(WithholdError, ImportError):
    """An optional part is needed that is not installed; the message names the extra."""

    exit_code: ClassVar[int] = 2
