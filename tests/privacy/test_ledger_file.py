"""Nothing that was changed in the file from outside is believed, and nothing of it reaches the user unworded."""

import os
import sqlite3
import stat
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

from withhold.contracts.errors import BudgetExceededError, FileError
from withhold.privacy import ledger_file
from withhold.privacy.composition import PrivacyLoss
from withhold.privacy.ledger import LedgerKey, ReleaseLedger

KEY, ONE = LedgerKey.from_seed(0), PrivacyLoss(Fraction(1))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A ledger of ten persons, two of whom have cost 2 of 4."""
    ledger = ReleaseLedger(tmp_path / "ledger.sqlite", KEY, PrivacyLoss(Fraction(4)))
    ledger.charge(range(10), ONE)
    ledger.charge([0, 1], ONE)
    return ledger.path


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def test_untouched_it_goes_on(path: Path) -> None:
    with pytest.raises(BudgetExceededError):
        ReleaseLedger(path, KEY).charge([0], ONE * 3)
    ReleaseLedger(path, KEY).charge([2], ONE * 3)  # the positive control of what follows
    assert ReleaseLedger(path, KEY).releases == 3


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE records SET epsilon = '0'",
        "UPDATE records SET epsilon = 1, delta = 0",  # the right cost in another type
        "UPDATE records SET epsilon = '-5'",
        "UPDATE records SET epsilon = 'abc'",
        "UPDATE records SET epsilon = NULL",
        "UPDATE records SET epsilon = '1/0'",
        "UPDATE records SET epsilon = CAST(x'ff' AS TEXT)",
        "UPDATE records SET delta = '1e-9'",
        "UPDATE records SET releases = 0",
        "UPDATE records SET name = randomblob(16)",
        "DELETE FROM records",
        "DELETE FROM records WHERE epsilon = '2'",
        "INSERT INTO records SELECT CAST(substr(name, 1, 1) || 'another' AS BLOB), '1', '0', 1 FROM records",
        "DELETE FROM releases",
        "DELETE FROM releases WHERE number = 2",
        "UPDATE releases SET epsilon = '0'",
        "UPDATE about SET epsilon = '1000'",
        "UPDATE about SET epsilon = NULL, delta = NULL",
        "UPDATE naming SET how = 'content'",
        "UPDATE naming SET how = NULL",
        "DELETE FROM naming",
        "INSERT INTO naming VALUES ('identifier')",
        "UPDATE about SET seal = NULL",
        "INSERT INTO about SELECT * FROM about",
        "DELETE FROM about",
        "DELETE FROM pages",
        "UPDATE pages SET seal = (SELECT seal FROM pages LIMIT 1)",
        "ALTER TABLE about ADD COLUMN x TEXT",
        "ALTER TABLE records DROP COLUMN delta",
        "CREATE TABLE more (x TEXT)",
        "CREATE TRIGGER t BEFORE INSERT ON records BEGIN SELECT RAISE(IGNORE); END",
        "DROP TABLE about",
        "DROP TABLE naming",
        "DROP TABLE pages",
        "DROP TABLE records",
        "DROP TABLE releases",
    ],
)
def test_a_change_from_outside_stops_every_release(path: Path, statement: str) -> None:
    change(path, statement)
    before = path.read_bytes()
    with pytest.raises(FileError, match=r"The ledger '.*(changed from outside|holds something else)"):
        ReleaseLedger(path, KEY).charge(range(10), ONE)
    assert path.read_bytes() == before


def test_rows_of_two_people_that_were_exchanged_are_found(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        most, least = (
            connection.execute(f"SELECT name FROM records ORDER BY releases {way}, name").fetchone()[0]
            for way in ("DESC", "ASC")
        )
    change(path, f"UPDATE records SET epsilon = '1', releases = 1 WHERE name = x'{most.hex()}'")
    change(path, f"UPDATE records SET epsilon = '2', releases = 2 WHERE name = x'{least.hex()}'")
    with pytest.raises(FileError, match="changed from outside"):
        ReleaseLedger(path, KEY).largest()


def test_a_change_stops_the_persons_of_its_page_and_whoever_reads_all(path: Path) -> None:
    ledger = ReleaseLedger(path, KEY)
    name = ledger._name(0, "identifier")
    change(path, f"UPDATE records SET epsilon = '0' WHERE name = x'{name.hex()}'")
    for read in (lambda: ledger.charge([0], ONE), lambda: ledger.spent(0), ledger.largest):
        with pytest.raises(FileError, match="changed from outside"):
            read()


@pytest.mark.parametrize("length", [0, 1, 100, 5000, 9000])
def test_a_truncated_file_is_refused(path: Path, length: int) -> None:
    os.truncate(path, length)
    with pytest.raises(FileError, match=r"The ledger .*Restore it from a backup"):
        ReleaseLedger(path, KEY, PrivacyLoss(Fraction(4))).charge(range(10), ONE)
    assert path.stat().st_size == length


def test_a_ledger_of_the_former_format_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    change(path, "CREATE TABLE about (format TEXT, key TEXT, epsilon TEXT, delta TEXT)")
    change(path, f"INSERT INTO about VALUES ('withhold release ledger 1', '{KEY.fingerprint}', NULL, NULL)")
    path.chmod(0o600)
    with pytest.raises(FileError, match="an earlier version of withhold"):
        ReleaseLedger(path, KEY)


def test_one_that_others_can_read_is_warned_of(path: Path) -> None:
    path.chmod(0o640)
    with pytest.warns(UserWarning, match=r"can be read by other users; run chmod 600"):
        ReleaseLedger(path, KEY)
    path.chmod(0o600)
    ReleaseLedger(path, KEY)


def test_a_disk_that_cannot_be_written_and_one_that_is_busy(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = ReleaseLedger(path, KEY)
    monkeypatch.setattr(ledger_file, "_WAIT_SECONDS", 0.01)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(FileError, match=r"kept busy by others.*Nothing was entered or released\. Try again"):
            ledger.charge([5], ONE)
    path.unlink()
    with pytest.raises(FileError, match=r"cannot be read and written: unable to open"):
        ledger.charge([5], ONE)
    assert not path.exists()  # no second ledger from zero


def no_link(source: object, target: object) -> None:
    raise PermissionError(1, "Operation not permitted")


def test_without_links_a_ledger_that_came_meanwhile_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "link", no_link)
    ledger = ReleaseLedger(tmp_path / "l.sqlite", KEY)
    ledger.charge([1], ONE)
    ledger_file.create(ledger.path, KEY.fingerprint, b"", None)  # as another process would that had not seen it
    assert ReleaseLedger(ledger.path, KEY).spent(1) == ONE
    assert stat.S_IMODE(ledger.path.stat().st_mode) == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == ["l.sqlite"]


@pytest.fixture
def short_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_file, "_PER_PAGE", 3)


@pytest.mark.usefixtures("short_pages")
def test_releases_fill_one_page_after_the_other(tmp_path: Path) -> None:
    ledger = ReleaseLedger(tmp_path / "l.sqlite", KEY)
    for times in range(8):
        assert ledger.releases == times
        ledger.charge(["a"], ONE)
    with closing(sqlite3.connect(ledger.path)) as connection:
        assert connection.execute("SELECT number FROM pages WHERE kind = 'releases'").fetchall() == [(0,), (1,), (2,)]
    change(ledger.path, "DELETE FROM releases WHERE number > 3")
    with pytest.raises(FileError, match="changed from outside"):
        ledger.charge(["a"], ONE)
