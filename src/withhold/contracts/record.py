"""The base of every record that travels in JSON."""

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """Base of all records: closed set of fields, no NaN.

    Examples
    --------
    >>> class Size(Record):
    ...     rows: int
    >>> Size(rows=3, columns=2)
    Traceback (most recent call last):
    ...
    pydantic_core._pydantic_core.ValidationError: 1 validation error for Size
    columns
      Extra inputs are not permitted ...
    """

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)
