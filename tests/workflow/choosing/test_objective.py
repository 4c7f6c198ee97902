"""What is chosen among trials: the most utility within a budget, or the least leakage at a utility."""

from withhold.contracts.choice_record import TrialRecord
from withhold.contracts.quantity import Quantity
from withhold.workflow.choosing.objective import Objective


def trial(most: float, kept: float, method: str = "m", failed: str = "") -> TrialRecord:
    leak = None if failed else Quantity(value=most / 2, low=0.0, high=most, kind="lower_bound")
    return TrialRecord(method=method, fitted=10, n=20, leakage=leak, utility={"u": kept}, failed=failed)


def test_the_most_utility_within_the_budget_wins_and_the_upper_end_decides():
    asked = Objective(0.05, None)
    low, high, over = trial(0.01, 0.7), trial(0.05, 0.8), trial(0.051, 0.9)
    assert asked.best([low, high, over]) is high
    assert [asked.held(one) for one in (low, high, over)] == [True, True, False]


def test_of_equally_useful_ones_the_one_that_leaks_less_wins():
    less, more = trial(0.01, 0.797), trial(0.04, 0.8)
    assert Objective(0.05, None).best([more, less]) is less


def test_where_none_holds_the_closest_is_chosen():
    near, far = trial(0.06, 0.5), trial(0.2, 0.9)
    assert Objective(0.05, None).best([far, near]) is near
    assert Objective(None, 0.95).best([far, near]) is far


def test_a_target_is_reached_with_the_least_leakage():
    cheap, dear, short = trial(0.1, 0.84), trial(0.02, 0.83), trial(0.001, 0.5)
    assert Objective(None, 0.83).best([cheap, dear, short]) is dear


def test_failed_trials_never_win():
    lost = trial(0.0, 1.0, failed="no")
    assert Objective(0.05, None).best([lost]) is None
    assert not Objective(0.05, None).held(lost)


def test_without_an_interval_nothing_holds():
    bare = trial(0.01, 0.5).model_copy(update={"leakage": Quantity(value=0.0, kind="lower_bound")})
    assert not Objective(0.05, None).held(bare)


def test_which_way_to_go_on():
    asked = Objective(0.05, None)
    assert asked.upwards(trial(0.01, 0.5))
    assert not asked.upwards(trial(0.2, 0.5))
    assert not Objective(None, 0.8).upwards(trial(0.2, 0.9))
    best = trial(0.04, 0.8)
    # Settings that hide more keep no more than this, and the best keeps more already.
    assert asked.cannot_win(trial(0.2, 0.79), best)
    assert not asked.cannot_win(trial(0.2, 0.81), best)
    assert not asked.cannot_win(trial(0.01, 0.5), best)


def test_nothing_can_beat_what_keeps_all_there_is():
    asked = Objective(0.05, None)
    assert asked.settled(trial(0.01, 0.8), cap=0.803)
    assert not asked.settled(trial(0.01, 0.8), cap=0.81)
    assert not asked.settled(trial(0.2, 0.8), cap=0.8)


def test_each_attribute_counts_by_its_own_budget_where_it_has_one():
    asked = Objective(0.33, None, {"sex": 0.03, "race": 0.3})

    def told(sex: float, race: float, kept: float = 0.5) -> TrialRecord:
        each = {
            name: Quantity(value=0.0, low=0.0, high=high, kind="lower_bound")
            for name, high in (("sex", sex), ("race", race))
        }
        return trial(sex + race, kept).model_copy(update={"each": each})

    within, over = told(0.03, 0.2), told(0.04, 0.1, 0.9)
    assert [asked.held(one) for one in (within, over, trial(0.1, 0.9))] == [True, False, False]
    assert asked.best([within, over]) is within
    assert asked.best([over, told(0.06, 0.01)]) is over  # the closest to its own budget, not the one that tells least
