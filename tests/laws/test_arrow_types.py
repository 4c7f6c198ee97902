"""A table of any Arrow type gives a release of the same schema or a sentence, never a raw error."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from data.arrow_tables import KINDS, array
from laws.arrow_trials import RefusedError, badly_said, case, dealt, differences, until_done
from withhold.audit.view.reading import read_columns
from withhold.contracts.errors import WithholdError
from withhold.contracts.images import is_image
from withhold.data.arrow_types import plain_encodings
from withhold.data.attributes import read_attributes

# Tables of each way; a benchmark runs two thousand in Python and some hundreds of the others.
TABLES = {"python": range(135), "bounds": range(14), "audit_release": range(202, 205), "audit": range(300, 303)}
TABLES |= {"run": (400, 403)}
# Of what ends in an audit one table is tried for every change.
AUDITED = ("audit_release", "audit", "run")
pytestmark = pytest.mark.usefixtures("brief_audit", "brief_training")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("way", "seed"),
    [
        pytest.param(way, seed, marks=pytest.mark.full if way in AUDITED and seed != seeds[0] else ())
        for way, seeds in TABLES.items()
        for seed in seeds
    ],
)
def test_a_result_or_a_sentence(way, seed):
    _, told = case(way, seed)
    assert told.faults == []
    assert told.done


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_an_attribute_of_any_type_is_read_or_refused(kind):
    rng = np.random.default_rng(0)
    for form in ("few", "holes", "extreme", "missing"):
        values = array(rng, kind, 40, form)
        for declared in (None, {"s": "categorical"}, {"s": "continuous"}):
            said = ""
            try:
                read = read_attributes(pa.table({"s": values}), kinds=declared)
                assert len(read[0]) == 40
            except WithholdError as error:
                said = str(error)
            assert not said or badly_said(said) == []


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_audit_reads_any_type(kind):
    if is_image(kind):
        return
    for form in ("holes", "extreme"):
        values = plain_encodings(pa.table({"c": array(np.random.default_rng(1), kind, 40, form)}))
        for reading in read_columns(values):
            assert len(reading.codes) == 40


def test_every_type_is_among_them():
    types = Counter(str(kind) for seed in TABLES["python"] for kind in dealt(seed).schema.types)
    assert min(types[str(kind)] for kind in KINDS) >= 10


@pytest.mark.parametrize(
    ("error", "fault"), [(KeyError, "KeyError in no frame of the package"), (RefusedError, "no sentence")]
)
def test_raw_errors_and_what_is_no_sentence_are_found(error, fault):
    table = pa.table({"c0": [1], "c1": [2], "x": [3]})

    def attempt(kept):
        if "c0" in kept.column_names:
            raise RefusedError("Column 'c0' is strange. Drop it.")
        raise error("half a sentence")

    told = until_done(table, attempt, table.column_names)
    assert list(told.refused) == ["c0"]
    assert fault in told.faults[0]
    assert not told.done


def test_other_types_and_values_from_nowhere_are_found():
    given = pa.table({"a": pa.nulls(2, pa.int8()), "b": [1, 2]})
    assert differences(["a", "b"], given, given) == []
    assert "columns" in differences(["a", "b"], given, given.select(["b"]))[0]
    assert "int64> became" in differences(["a", "b"], given, given.set_column(1, "b", pa.array([1.0, 2.0])))[0]
    assert "values now" in differences(["a", "b"], given, given.set_column(0, "a", pa.array([1, 2], pa.int8())))[0]
