"""Costs add up per record, a total is not exceeded, and what is refused leaves no trace."""

import multiprocessing
import sqlite3
import stat
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from withhold.contracts.errors import BudgetExceededError, DataError, FileError, InvalidParameterError
from withhold.privacy.composition import PrivacyLoss
from withhold.privacy.ledger import ADVISORY, LedgerKey, ReleaseLedger
from withhold.privacy.noise_key import NoiseKey

KEY = NoiseKey.from_seed(0)


def cost(epsilon: object, delta: object = 0) -> PrivacyLoss:
    return PrivacyLoss(Fraction(epsilon), Fraction(delta))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite"


def test_costs_add_up_over_releases_and_processes(path: Path) -> None:
    ReleaseLedger(path, KEY).charge(["a", "b", "a"], cost("1/10"))
    again = ReleaseLedger(path, KEY)
    again.charge(["b"], cost("2/10", "1/1000000"), note="second")
    assert [again.spent(name).epsilon for name in "abc"] == [Fraction(1, 5), Fraction(3, 10), 0]
    assert again.spent("b").delta == Fraction(1, 10**6)
    assert again.largest() == cost("3/10", "1/1000000")
    assert again.releases == 2


def test_a_release_beyond_the_total_leaves_no_trace(path: Path) -> None:
    ledger = ReleaseLedger(path, KEY, total=cost(1))
    ledger.charge(["a", "b"], cost("1/2"))
    before = path.read_bytes()
    with pytest.raises(BudgetExceededError, match=r"1 of 2 records would reach epsilon 1\.1 .* limit is 1\."):
        ledger.charge(["new", "b"], cost("3/5"))
    assert path.read_bytes() == before
    assert ledger.spent("new").epsilon == 0
    assert ledger.releases == 1
    ledger.charge(["a", "b"], cost("1/2"))  # exactly the total
    assert ledger.largest().epsilon == 1


def test_delta_counts_too_and_so_does_a_record_that_occurs_twice(path: Path) -> None:
    ledger = ReleaseLedger(path, KEY, total=cost(10, "1/1000"))
    with pytest.raises(BudgetExceededError, match="delta"):
        ledger.charge(["a", "a"], cost(1, "6/10000"))
    ledger.charge(["a", "b"], cost(1, "6/10000"))


def test_the_total_is_kept_and_cannot_be_raised(path: Path) -> None:
    ReleaseLedger(path, KEY, total=cost(1))
    assert ReleaseLedger(path, KEY).total == cost(1)
    assert ReleaseLedger(path, KEY, total=cost("10/10")).total == cost(1)
    with pytest.raises(InvalidParameterError, match="which cannot change"):
        ReleaseLedger(path, KEY, total=cost(2))


def test_the_file_names_nobody(path: Path) -> None:
    ledger = ReleaseLedger(path, KEY)
    ledger.charge(["anna.smith@example.org"], cost(1))
    assert b"anna" not in path.read_bytes()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    names = sqlite3.connect(path).execute("SELECT name FROM records").fetchall()
    other = path.with_name("other.sqlite")
    ReleaseLedger(other, NoiseKey.from_seed(1)).charge(["anna.smith@example.org"], cost(1))
    assert names != sqlite3.connect(other).execute("SELECT name FROM records").fetchall()
    assert list(path.parent.glob(".withhold-tmp-*")) == []


def test_another_key_is_refused(path: Path) -> None:
    ReleaseLedger(path, KEY)
    with pytest.raises(FileError, match="another key"):
        ReleaseLedger(path, NoiseKey.from_seed(1))


@pytest.mark.parametrize("content", [b"", b"not a ledger at all" * 100])
def test_foreign_and_damaged_files_are_refused(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(FileError, match="The ledger"):
        ReleaseLedger(path, KEY)
    assert path.read_bytes() == content


def test_a_folder_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="Create the folder"):
        ReleaseLedger(tmp_path / "none" / "ledger.sqlite", KEY)


def test_a_number_has_one_name_in_every_type(path: Path) -> None:
    ledger = ReleaseLedger(path, KEY)
    ledger.charge([7, np.int32(7), "7", 7.0, np.float64(7), "007", b"7"], cost(1))
    assert ledger.spent(7).epsilon == 7
    assert ledger.spent("A7").epsilon == 0


@pytest.mark.parametrize("identifier", [None, "", " ", float("nan"), 1.5, True])
def test_records_without_a_name_are_refused(path: Path, identifier: object) -> None:
    ledger = ReleaseLedger(path, KEY)
    with pytest.raises(DataError, match="without gaps"):
        ledger.charge(["a", identifier], cost(1))
    assert ledger.releases == 0


def charge_often(path: Path, times: int) -> None:
    ledger = ReleaseLedger(path, KEY)
    for _ in range(times):
        ledger.charge(["a"], cost(1))


def test_two_processes_lose_no_charge(path: Path) -> None:
    ReleaseLedger(path, KEY)
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=charge_often, args=(path, 10)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert ReleaseLedger(path, KEY).spent("a").epsilon == 20


def test_a_killed_charge_is_undone(path: Path) -> None:
    ledger = ReleaseLedger(path, KEY)
    ledger.charge(["a"], cost(1))
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("DELETE FROM records")
    connection.close()  # without a commit
    assert ledger.spent("a").epsilon == 1


def test_many_records(path: Path) -> None:
    ledger = ReleaseLedger(path, KEY, total=cost(4))
    for _ in range(2):
        ledger.charge(range(20_000), cost(2))
    with pytest.raises(BudgetExceededError, match="20000 of 20000 records would reach"):
        ledger.charge(range(20_000), cost("1/1000"))


def test_what_it_cannot_do_is_said() -> None:
    assert "without the ledger starts from zero" in ADVISORY


def test_its_key_says_what_it_is_for_and_is_no_noise_key(tmp_path: Path) -> None:
    LedgerKey.from_seed(0).save(tmp_path / "ledger.key")
    NoiseKey.from_seed(0).save(tmp_path / "key")
    assert (tmp_path / "ledger.key").read_text().startswith("withhold ledger key 1 - keep it secret")
    assert "noise" not in (tmp_path / "ledger.key").read_text()
    assert isinstance(LedgerKey.from_file(tmp_path / "ledger.key"), LedgerKey)
    with pytest.raises(FileError, match="every record would start from zero"):
        LedgerKey.from_file(tmp_path / "key")
    with pytest.raises(FileError, match="two draws can be averaged"):
        NoiseKey.from_file(tmp_path / "ledger.key")


def test_copies_within_one_release_are_named_as_the_reason(path: Path) -> None:
    ledger = ReleaseLedger(path, KEY, total=cost(2))
    with pytest.raises(BudgetExceededError, match=r"1 of 2 records would reach epsilon 3 .* These records are up to 3"):
        ledger.charge(["a", "a", "a", "b"], cost(1))
    ledger.charge(["a", "a", "b"], cost(1))
    with pytest.raises(BudgetExceededError, match="Releases of one record add up"):
        ledger.charge(["a"], cost(1))


def test_records_are_named_in_one_way(path: Path) -> None:
    ledger = ReleaseLedger(path, LedgerKey.from_seed(0))
    ledger.charge(["anna"], cost(1))
    with pytest.raises(DataError, match=r"by an identifier.*identifiers="):
        ledger.charge([b"31,f"], cost(1), named="content")
    assert ReleaseLedger(path, LedgerKey.from_seed(0)).releases == 1
    ledger.charge(["anna"], cost(1))
    assert ledger.spent("anna") == cost(2)
