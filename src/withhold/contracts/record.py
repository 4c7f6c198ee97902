"""The base of every record that travels in JSON."""

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """Base of all records: closed set of fields, no NaN."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)
