import json

import pyarrow as pa
import pytest

from withhold.contracts.errors import FileError
from withhold.workflow.streaming import Journal

PROOF = {"source": "s", "transform": "t"}


def part(start):
    return [pa.table({"a": [start, start + 1]}), pa.table({"a": [start + 2]})]


def rows_in(journal):
    return [value for batch in journal.batches(10) for value in batch.column("a").to_pylist()]


@pytest.fixture
def target(tmp_path):
    journal = Journal(tmp_path / "z.parquet", PROOF)
    journal.add(part(0))
    journal.add(part(3))
    return tmp_path / "z.parquet"


def test_finished_parts_are_found_again(target):
    journal = Journal(target, PROOF)
    assert (journal.parts, journal.rows) == (2, 6)
    assert rows_in(journal) == [0, 1, 2, 3, 4, 5]
    journal.add(part(6))
    assert rows_in(Journal(target, PROOF)) == list(range(9))


def test_the_folder_is_hidden_and_beside_the_target(target):
    assert Journal(target, PROOF).folder == target.parent / ".z.parquet.withhold-parts"


@pytest.mark.parametrize("proof", [{"source": "other", "transform": "t"}, {"source": "s"}, {}])
def test_parts_of_another_run_are_removed(target, proof):
    journal = Journal(target, proof)
    assert (journal.parts, journal.rows) == (0, 0)
    assert not journal.folder.exists()


def test_a_damaged_part_and_all_after_it_are_made_again(target):
    first = Journal(target, PROOF).folder / "part-000000.feather"
    second = Journal(target, PROOF).folder / "part-000001.feather"
    raw = bytearray(second.read_bytes())
    raw[len(raw) // 2] ^= 1
    second.write_bytes(raw)
    assert rows_in(Journal(target, PROOF)) == [0, 1, 2]
    first.unlink()
    assert Journal(target, PROOF).parts == 0


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"identity": {}}', "{half"])
def test_a_broken_journal_starts_anew(target, text):
    (Journal(target, PROOF).folder / "journal.json").write_text(text)
    assert Journal(target, PROOF).parts == 0


def test_a_part_that_is_not_listed_is_not_used(target):
    journal = Journal(target, PROOF)
    content = json.loads((journal.folder / "journal.json").read_text())
    content["parts"].pop()  # as after a kill between the part and the journal
    (journal.folder / "journal.json").write_text(json.dumps(content))
    again = Journal(target, PROOF)
    assert again.parts == 1
    again.add(part(100))
    assert rows_in(again) == [0, 1, 2, 100, 101, 102]


def test_remove_leaves_nothing(target):
    Journal(target, PROOF).remove()
    assert list(target.parent.iterdir()) == []


@pytest.mark.parametrize("strange", ["link", "notes.txt", "part-000007.feather"])
def test_what_is_not_ours_is_refused_and_stays(target, tmp_path, strange):
    folder, kept = Journal(target, PROOF).folder, tmp_path / "kept"
    kept.mkdir()
    (kept / "mine.txt").write_text("mine")
    if strange == "link":
        folder.rename(tmp_path / "moved")
        folder.symlink_to(kept)
    elif strange == "notes.txt":
        (folder / strange).write_text("mine")
    else:
        (folder / strange).symlink_to(kept / "mine.txt")
    with pytest.raises(FileError, match=r"symbolic link|not written by withhold"):
        Journal(target, {"source": "other"})
    assert (kept / "mine.txt").read_text() == "mine"
    assert [path.name for path in kept.iterdir()] == ["mine.txt"]
