"""One count for all threads and copies of a process; with a total, none in another process."""

import copy
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from fractions import Fraction

import pytest

from withhold.contracts.errors import BudgetExceededError, DataError
from withhold.methods.cadp.fitted_rows import ReleaseCount
from withhold.privacy.composition import PrivacyLoss

ONE = PrivacyLoss(Fraction(1))


@pytest.fixture
def hurried() -> Iterator[None]:
    """Threads change places as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def released(count: ReleaseCount, times: int) -> int:
    done = 0
    for _ in range(times):
        try:
            count.charge(range(300), ONE)
        except BudgetExceededError:
            break
        done += 1
    return done


def at_once(work: Callable[[int], object], threads: int = 8) -> None:
    started = threading.Barrier(threads)
    workers = [threading.Thread(target=lambda i=i: (started.wait(), work(i))) for i in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


@pytest.mark.usefixtures("hurried")
def test_threads_do_not_exceed_a_total_together() -> None:
    for _ in range(5):
        count, done = ReleaseCount(PrivacyLoss(Fraction(4))), []
        at_once(lambda i, count=count, done=done: done.append(released(count, 2)))
        assert sum(done) == count.releases == count.spent(0).epsilon == 4


@pytest.mark.usefixtures("hurried")
def test_threads_with_copies_of_different_totals_lose_no_charge() -> None:
    count = ReleaseCount()
    copies = [count, count.under(PrivacyLoss(Fraction(100))), copy.deepcopy(count), copy.copy(count)]
    at_once(lambda i: released(copies[i % 4], 3))
    assert {one.spent(7).epsilon for one in copies} == {one.releases for one in copies} == {24}


def test_threads_name_records_in_one_way() -> None:
    count, refused = ReleaseCount(), []

    def enter(i: int) -> None:
        try:
            count.charge([b"1"], ONE, named="content" if i % 2 else "identifier")
        except DataError:
            refused.append(i)

    at_once(enter)
    assert len(refused) == 4


def in_a_child(work: Callable[[], None]) -> bool:
    """Say whether work is refused in a forked process."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except DataError as error:
            os._exit(3 if "after the process was forked" in str(error) else 4)
        except BaseException:
            os._exit(5)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, 3)
    return code == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_after_a_fork_a_total_in_memory_refuses_and_a_count_without_one_goes_on() -> None:
    limited = ReleaseCount(PrivacyLoss(Fraction(4)))
    free = limited.under(None)
    with limited._book.lock:  # as if another thread were entering a release at the fork
        assert in_a_child(lambda: limited.charge(["a"], ONE))
        assert not in_a_child(lambda: free.charge(["a"], ONE))
    limited.charge(["a"], ONE)


def test_a_pickle_knows_what_was_spent_and_refuses_where_there_is_a_total() -> None:
    count = ReleaseCount(PrivacyLoss(Fraction(4)))
    count.charge(["a"], ONE)
    other = pickle.loads(pickle.dumps(count))
    assert other.spent("a") == ONE
    with pytest.raises(DataError, match=r"once a sanitiser was loaded.*charge_to\(ReleaseLedger"):
        other.charge(["a"], ONE)
    other.under(None).charge(["a"], ONE)
    count.charge(["a"], ONE)


def test_names_are_those_of_the_ledger() -> None:
    count = ReleaseCount(ONE)
    count.charge(["000012"], ONE)
    with pytest.raises(BudgetExceededError):
        count.charge([12], ONE)
