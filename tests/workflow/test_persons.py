import numpy as np
import pyarrow as pa
import pytest

from withhold.contracts.errors import DataError
from withhold.workflow.persons import joined, person_codes


def test_persons_are_told_apart_as_in_the_ledger():
    assert person_codes(pa.table({"id": [3, 4, 3]}), "id").tolist() == [0, 1, 0]
    assert person_codes(pa.table({"id": ["3 ", "4", "3"]}), "id").tolist() == [0, 1, 0]
    assert person_codes(pa.table({"id": [3]}), None) is None
    with pytest.raises(DataError):
        person_codes(pa.table({"id": ["a", None]}), "id")


def test_a_chain_of_subjects_and_persons_is_one_group():
    groups, persons = np.array([0, 0, 1, 1, 2, 3]), np.array([0, 1, 1, 2, 3, 3])
    assert joined(groups, persons).tolist() == [0, 0, 0, 0, 1, 1]
    assert joined(groups, np.arange(6)).tolist() == [0, 0, 1, 1, 2, 3]
    assert joined(groups, None) is groups
    assert joined(None, persons) is persons
