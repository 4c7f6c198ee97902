import pyarrow as pa
import pytest

from audit.findings.scenes import scene
from withhold.audit.findings.written_text import written_text
from withhold.audit.view.reading import read_columns

NOTES = [f"Patient came back on day {day}, refused the drug." for day in range(9)]
WRITTEN = {
    "names of people": ["Dr. Weber", "Dr. Moss", "Prof. Li", "ward round"],
    "e-mail addresses": ["a@b.org", "c.d@e.com", "f@g.net", "none"],
    "telephone or insurance numbers": ["+49 30 1234567", "(0171) 123-456", "123-45-6789"],
    "sentences": NOTES,
}


@pytest.mark.parametrize("kind", WRITTEN)
@pytest.mark.parametrize("category", [True, False])
def test_what_people_wrote(kind, category):
    column = pa.array(WRITTEN[kind] * 20)
    table = pa.table({"x": column.dictionary_encode() if category else column, "n": range(len(column))})
    (found,) = written_text(list(read_columns(table)))
    assert (found.code, found.column) == ("written_text", "x")
    assert kind in found.text


@pytest.mark.parametrize(
    "levels", [["A", "B", "C"], ["never married", "married", "widowed"], ["10-20", "20-30", "30-40"], NOTES[:3]]
)
def test_categories(levels):
    assert written_text(list(read_columns(pa.table({"x": levels * 20})))) == []


def examples():
    return {"written_text": scene(pa.table({"doctor": WRITTEN["names of people"] * 9}))}
