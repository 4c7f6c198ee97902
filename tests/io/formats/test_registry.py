"""Every format that is listed has a reader, and says what to install where its package is missing."""

import importlib
import sys

import pytest

from withhold.contracts.errors import MissingExtraError
from withhold.io.table_format import FOREIGN, SUFFIXES
from withhold.io.tables import read_table

PACKAGES = {".xlsx": "openpyxl", ".sav": "pyreadstat", ".dta": "pyreadstat", ".h5ad": "h5py"}


@pytest.mark.parametrize("suffix", FOREIGN)
def test_every_listed_format_has_a_reader(suffix):
    assert SUFFIXES[suffix] == "foreign"
    assert callable(importlib.import_module(f"withhold.io.formats.{FOREIGN[suffix]}").read)


@pytest.mark.parametrize(("suffix", "package"), PACKAGES.items())
def test_without_the_extra(tmp_path, monkeypatch, suffix, package):
    monkeypatch.setitem(sys.modules, package, None)
    path = tmp_path / f"a{suffix}"
    with __import__("zipfile").ZipFile(path, "w") as archive:
        archive.writestr("a", "b")
    with pytest.raises(
        MissingExtraError, match=rf"Reading \{suffix} files needs {package}: pip install 'withhold\[formats\]'"
    ):
        read_table(path)
