"""Fixtures of the room of files: a CSV file read whole and in batches."""

import pyarrow as pa
import pytest

from withhold.io.csv_files import csv_batches, csv_schema, read_csv
from withhold.io.reading import FOUND_OUT

READERS = {
    "whole": read_csv,
    "batches": lambda path, types=None, reading=FOUND_OUT: pa.Table.from_batches(
        list(csv_batches(path, 7, types, reading)), csv_schema(path, types, reading)
    ),
}


@pytest.fixture(params=READERS.values(), ids=READERS.keys())
def read(request):
    return request.param
