"""Forms of Python objects in a DataFrame are attacked beside values; of one form there is nothing to attack."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from withhold.audit.run import audit_release
from withhold.audit.view.object_forms import object_forms

N = 400
S = np.random.default_rng(0).integers(0, 2, N)
NUMBERS = np.random.default_rng(1).integers(0, 50, N).tolist()
FORMS = {
    "whole or not": [float(value) if s else value for value, s in zip(NUMBERS, S, strict=True)],
    "zeros": [Decimal(value).quantize(Decimal("0.1" if s else "1")) for value, s in zip(NUMBERS, S, strict=True)],
    "order of keys": [{"a": v, "b": 1.5} if s else {"b": 1.5, "a": v} for v, s in zip(NUMBERS, S, strict=True)],
}


@pytest.mark.parametrize("values", FORMS.values(), ids=list(FORMS))
def test_a_form_that_tells_fails(values):
    frame = pd.DataFrame({"x": np.arange(N) % 7, "told": pd.Series(values, dtype=object)})
    record = audit_release(frame, sensitive_features=S, budget=0.05, effort="quick", attackers=["logistic"])
    assert record.verdict == "fail"
    assert record.sensitive["sensitive_features"].surfaces["release as Python objects"].low > 0.5


def test_one_form_and_missing_values_are_nothing_to_attack():
    frame = pd.DataFrame({"told": pd.Series([3, None, np.nan, 5], dtype=object), "text": list("abca")})
    assert object_forms(frame, pa.Table.from_pandas(frame)) == {}
    assert object_forms(frame.to_numpy(), pa.Table.from_pandas(frame)) == {}
