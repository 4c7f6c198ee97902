"""Integer classes that came back as a number."""

import numpy as np
import pyarrow as pa

from audit.findings.scenes import scene
from withhold.audit.findings.coding import integer_attributes, integer_classes
from withhold.audit.findings.origins import origins
from withhold.audit.view.reading import read_columns
from withhold.data.attributes import read_attributes


def test_values_between_classes_are_named_and_measurements_are_not():
    rng = np.random.default_rng(0)
    site, age = rng.integers(1, 6, 500), rng.integers(0, 90, 500)
    before = list(read_columns(pa.table({"site": site, "kept": site, "age": age})))
    after = list(read_columns(pa.table({"site": site + rng.normal(size=500), "kept": site, "age": age + 0.5})))
    (found,) = integer_classes(after, origins(after, before))
    assert found.column == "site"


def test_attribute_of_few_whole_values_judged_as_a_number():
    assert integer_attributes(list(read_attributes([1.0, 2.0, 3.0] * 20)))[0].code == "integer_classes"
    assert integer_attributes(list(read_attributes(np.linspace(0, 1, 60)))) == []


def examples():
    rng = np.random.default_rng(0)
    site = rng.integers(1, 6, 500)
    table = pa.table({"site": site + rng.normal(size=500)})
    return {"integer_classes": scene(table, site.astype(float), original=pa.table({"site": site}))}
