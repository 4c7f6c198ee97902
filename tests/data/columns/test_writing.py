"""Text that people wrote is told from categories and codes, and is dropped at a fit unless it is kept by name."""

import pyarrow as pa
import pytest

from withhold.data.codec import TableCodec
from withhold.data.columns.writing import written_by_people

NOTES = [f"Came back on day {day} with a fever, was sent home." for day in range(12)]


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("treated by", ["Dr. A. Weber", "Dr Moss", "Prof. Li Wei"], "names of people"),
        ("Doctor", ["Weber, Anna", "Moss, Ed", "O'Hara, Jo", "unknown"], "names of people"),
        ("name", ["Anna", "Jo", "Édouard"], "names of people"),
        ("lastName", ["von der Heide", "Weber", "De Luca"], "names of people"),
        ("reach", ["0171 1234567", "+49 30 123456", "(030) 123-456"], "telephone or insurance numbers"),
        ("n", ["123-45-6789", "222-33-4444", "111-11-1111"], "telephone or insurance numbers"),
        ("m", ["a@b.org", "mail c.d@e.co.uk", "-"], "e-mail addresses"),
        ("note", NOTES, "sentences"),
    ],
)
def test_written(name, values, kind):
    assert written_by_people(name, values) == kind


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("product_name", ["Aspirin", "Ibuprofen", "Paracetamol"]),
        ("country name", ["New Zealand", "Germany", "France"]),
        ("town", ["New York", "Los Angeles", "San Diego"]),
        ("icd", ["250.00", "V10.1", "401.9"]),
        ("band", ["10000-20000", "20000-30000", "30000-40000"]),
        ("day", ["2024-01-01", "31.12.2024", "2024-05-05 10:00"]),
        ("zip", ["02116-1234", "10001-2345", "90210-1111"]),
        ("chapter", [f"Diseases of the circulatory system part {c}" for c in "abcdefghij"]),
        ("answer", ["I strongly agree with this.", "I do not agree with this.", "I neither agree nor disagree."]),
        ("note", []),
    ],
)
def test_categories_and_codes(name, values):
    assert written_by_people(name, values) is None


@pytest.mark.parametrize("category", [True, False])
def test_a_fit_leaves_it_out_or_says_that_it_is_kept(category):
    notes = pa.array(NOTES * 50)
    table = pa.table({"note": notes.dictionary_encode() if category else notes, "n": list(range(50)) * 12})
    codec = TableCodec.fit(table)
    assert [(one.code, one.column) for one in codec.findings] == [("free_text_dropped", "note")]
    assert codec.schema.names == ("n",)
    kept = TableCodec.fit(table, keep=["note"])
    assert [(one.code, one.column) for one in kept.findings] == [("free_text_kept", "note")]
    assert "is released because it was kept by name" in kept.findings[0].text
