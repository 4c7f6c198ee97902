"""The schemas that are shipped are those of the records, and real records keep to them."""

import json
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pytest

from withhold.audit.run import audit_release
from withhold.contracts.json_schema import MODELS, record_schema, shipped_schema
from withhold.workflow.disclosure import disclose_file
from withhold.workflow.request import AuditRequest

SCHEMAS = {name: json.loads(shipped_schema(name)) for name in MODELS}


def problems(document: Any, name: str = "audit") -> list[str]:
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[name])
    return [error.message for error in jsonschema.Draft202012Validator(SCHEMAS[name]).iter_errors(document)]


@pytest.mark.parametrize("name", MODELS)
def test_the_shipped_schema_is_that_of_the_models(name: str) -> None:
    assert record_schema(name) == SCHEMAS[name], "run `make schema`"


@pytest.fixture(scope="module")
def records(brief_audit: None) -> list[dict[str, Any]]:
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
    required = set(SCHEMAS["audit"]["required"])
    assert problems({key: value for key, value in records[0].items() if key not in required})


@pytest.fixture(scope="module")
def against_control(brief_audit: None, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder, rng = tmp_path_factory.mktemp("files"), np.random.default_rng(0)
    paths = {name: folder / f"{name}.csv" for name in ("release", "original", "control")}
    for path in paths.values():
        pd.DataFrame({"a": rng.normal(size=120), "sex": rng.choice(["f", "m"], 120)}).to_csv(path, index=False)
    request = AuditRequest(**paths, sensitive=("sex",), budget=0.1, effort="quick", attackers=("logistic",))
    return json.loads(disclose_file(request).model_dump_json())


@pytest.mark.parametrize("field", ["sensitive", "findings", "n", "verdict", "copied_control"])
def test_the_record_of_an_audit_against_a_control_keeps_to_its_own(against_control: dict[str, Any], field: str) -> None:
    assert problems(against_control, "disclosure") == []
    assert problems({**against_control, "of a later version": 1}, "disclosure") == []
    assert problems({**against_control, field: {"wrong": "kind"}}, "disclosure")
    assert problems(against_control)  # which is no record of an audit of matched rows
