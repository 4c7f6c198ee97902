"""The schema that is shipped is that of the record, and real records keep to it."""

import json
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pytest

from withhold.audit.run import audit_release
from withhold.contracts.json_schema import audit_schema, shipped_schema

SCHEMA = json.loads(shipped_schema())


def problems(document: Any) -> list[str]:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    return [error.message for error in jsonschema.Draft202012Validator(SCHEMA).iter_errors(document)]


def test_the_shipped_schema_is_that_of_the_models() -> None:
    assert audit_schema() == SCHEMA, "run `make schema`"


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    rng = np.random.default_rng(0)
    person = np.arange(240) // 3
    z = pd.DataFrame({"a": rng.normal(size=240), "b": rng.choice(["x", "y"], 240)})
    sex, age = np.array(["f", "m"])[person % 2], rng.normal(size=240)
    options = {"effort": "quick", "attackers": ["logistic"], "budget": 0.1}
    made = [
        audit_release(z, sensitive_features=pd.DataFrame({"sex": sex, "b": z["b"]}), groups=person, **options),
        audit_release(z, sensitive_features=age, utility=z["b"], original=z, **options),
        audit_release(rng.integers(0, 9, (240, 6, 6)).astype(np.uint8), sensitive_features=sex, **options),
    ]
    return [json.loads(record.model_dump_json()) for record in made]


def test_real_records_keep_to_it(records: list[dict[str, Any]]) -> None:
    for record in records:
        assert problems(record) == []
        assert problems({**record, "of a later version": 1}) == []


@pytest.mark.parametrize("field", ["sensitive", "findings", "n", "verdict"])
def test_others_do_not(records: list[dict[str, Any]], field: str) -> None:
    assert problems({**records[0], field: {"wrong": "kind"}})
    required = set(SCHEMA["required"])
    assert problems({key: value for key, value in records[0].items() if key not in required})
