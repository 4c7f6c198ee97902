"""The JSON Schemas of the records that audits write, made from their models and shipped beside them.

One is of `audit.json`, one of an audit against a control. `python -m withhold.contracts.json_schema NAME` prints one.
"""

import json
import sys
from importlib.resources import files
from typing import Any

from withhold.contracts.audit_record import AuditRecord
from withhold.contracts.disclosure_record import DisclosureRecord
from withhold.contracts.record import Record

MODELS: dict[str, type[Record]] = {"audit": AuditRecord, "disclosure": DisclosureRecord}


def record_schema(name: str) -> dict[str, Any]:
    """Return the schema of the JSON that `audit` and `run` write ("audit"), or `audit --control` ("disclosure").

    Later versions add fields and rename none, so that a record may hold more than this one names.

    Examples
    --------
    >>> record_schema("audit")["title"], "verdict" in record_schema("disclosure")["properties"]
    ('AuditRecord', True)
    """
    schema: dict[str, Any] = MODELS[name].model_json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **_open(schema)}


def shipped_schema(name: str) -> str:
    r"""Return the text of a schema that the package ships.

    Examples
    --------
    >>> shipped_schema("audit")[:2]
    '{\n'
    """
    return files("withhold.contracts").joinpath(f"{name}.schema.json").read_text(encoding="utf-8")


def _open(part: Any) -> Any:
    """Let objects hold fields of later versions; of descriptions, keep the sentences before the list of fields."""
    if isinstance(part, list):
        return [_open(value) for value in part]
    if not isinstance(part, dict):
        return part
    kept = {key: _open(value) for key, value in part.items() if (key, value) != ("additionalProperties", False)}
    if isinstance(kept.get("description"), str):
        kept["description"] = " ".join(kept["description"].partition("\n\n")[0].split())
    return kept


if __name__ == "__main__":
    print(json.dumps(record_schema(sys.argv[1]), indent=1, ensure_ascii=False))
