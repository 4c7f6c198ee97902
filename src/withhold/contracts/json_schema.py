"""The JSON Schema of audit.json, made from the models of its record and shipped beside them."""

import json
from importlib.resources import files
from typing import Any

from withhold.contracts.audit_record import AuditRecord

SHIPPED = "audit.schema.json"


def audit_schema() -> dict[str, Any]:
    """Return the schema of the JSON that `audit` and `run` write about an audit.

    Later versions add fields and rename none, so that a record may hold more than this one names.

    Examples
    --------
    >>> audit_schema()["title"], "verdict" in audit_schema()["properties"]
    ('AuditRecord', True)
    """
    schema: dict[str, Any] = AuditRecord.model_json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **_open(schema)}


def shipped_schema() -> str:
    r"""Return the text of the schema that the package ships.

    Examples
    --------
    >>> shipped_schema()[:2]
    '{\n'
    """
    return files("withhold.contracts").joinpath(SHIPPED).read_text(encoding="utf-8")


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
    print(json.dumps(audit_schema(), indent=1, ensure_ascii=False))
