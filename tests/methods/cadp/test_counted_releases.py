import threading
from types import SimpleNamespace

import numpy as np
import pytest

from withhold.contracts.errors import BudgetExceededError, DataError
from withhold.methods.cadp.counted_releases import CountedReleases
from withhold.privacy.composition import PrivacyLoss
from withhold.privacy.ledger import LedgerKey, ReleaseLedger

ROWS = np.arange(40, dtype=np.uint8).reshape(20, 2)


def counting(total=None, flow_training="public", **start):
    made = CountedReleases()
    made.settled_ = SimpleNamespace(epsilon=2, total=None if total is None else PrivacyLoss(total))
    made.release_ = SimpleNamespace(digest="0" * 64)
    made.noise_seed, made.flow_training = None, flow_training
    made._start_counting(**start)
    return made


def test_every_release_costs_and_what_is_paid_for_is_drawn_in_pieces():
    made = counting(total=4)
    made._charge(ROWS, list("abcdefghijklmnopqrst"))
    with made.charged("ab") as drawing:
        drawing._charge(ROWS[:1], "a")
        drawing._charge(ROWS[1:2], "b")
        with pytest.raises(DataError, match="entered with 2 rows"):
            drawing._charge(ROWS[2:3], "z")
    assert [made.count_.spent(name).epsilon for name in "abcz"] == [4, 4, 2, 0]
    with pytest.raises(BudgetExceededError), made.charged("zb"):
        pass
    assert made.count_.spent("z").epsilon == 0
    drawing._charge(ROWS[:1], "z")  # what is drawn after the pieces costs again
    assert made.count_.spent("z").epsilon == 2


def test_draws_that_can_be_repeated_are_not_counted_since_nothing_is_promised():
    made = counting(total=1)
    made.noise_seed = 3
    made._charge(ROWS)
    with made.charged("ab") as drawing:
        drawing._charge(ROWS[:1])
    assert made.count_.releases == 0


def test_after_an_error_releases_are_counted_again():
    made = counting()
    with made.uncounted() as drawing:
        drawing._charge(ROWS[:1])
    assert made.count_.releases == 0
    with pytest.raises(ValueError, match="broken"), made.uncounted() as other:
        raise ValueError("broken")
    for one in (drawing, other, made):
        one._charge(ROWS[:1])
    assert made.count_.releases == 3


def test_blocks_that_interleave_and_other_threads_are_counted_as_ever():
    made = counting()
    first, second = made.charged(["a"]), made.charged(["b"])
    drawing = first.__enter__()
    second.__enter__()
    made._charge(ROWS[:1], "c")  # within both, by somebody else
    drawing._charge(ROWS[:1], "a")
    first.__exit__(None, None, None)
    second.__exit__(None, None, None)
    made._charge(ROWS[:1], "d")
    assert made.count_.releases == 4
    with made.uncounted() as rehearsal:
        rehearsal._charge(ROWS)
        other = threading.Thread(target=made._charge, args=(ROWS[:1], "e"))
        other.start()
        other.join()
    assert made.count_.spent("e").epsilon == 2
    assert made.count_.releases == 5


def test_pieces_of_a_paid_release_are_compared_with_the_rows_of_the_fit():
    with (
        counting(fitted=ROWS).charged(range(20)) as drawing,
        pytest.raises(DataError, match="rows that trained the flow"),
    ):
        drawing._charge(ROWS)


def test_rows_of_the_fit_are_refused_only_where_they_are_said_to_be_public():
    with pytest.raises(DataError, match="rows that trained the flow"):
        counting(fitted=ROWS)._charge(ROWS)
    counting(fitted=ROWS, flow_training="same-data")._charge(ROWS)


def test_loaded_with_a_total_it_needs_a_ledger(tmp_path):
    counting(loaded=True)._charge(ROWS)
    with pytest.raises(DataError, match="once a sanitiser was loaded"):
        counting(total=4, loaded=True)._charge(ROWS)
    ledger = ReleaseLedger(tmp_path / "l.sqlite", LedgerKey.generate(), PrivacyLoss(4))
    counting(total=4, loaded=True).charge_to(ledger)._charge(ROWS)
    assert ledger.releases == 1
