"""The search on candidates whose trials are known: what is tried, what is not, and why it ends."""

import numpy as np

from withhold.contracts.choice_record import TrialRecord
from withhold.contracts.quantity import Quantity
from withhold.workflow.choosing.candidates import Ladder
from withhold.workflow.choosing.objective import Objective
from withhold.workflow.choosing.search import Clock, Search
from withhold.workflow.choosing.trial import Candidate

# Leakage (upper end) and accuracy of each setting, from the one that hides most; in between, straight lines.
WORLDS = {
    "strong": [(0.01, 0.6), (0.02, 0.7), (0.04, 0.8), (0.09, 0.9)],
    "weak": [(0.03, 0.5), (0.3, 0.95)],
    "dull": [(0.01, 0.1), (0.3, 0.7)],
    "leace": [(0.03, 0.5)],
}
SLOW = Clock(measuring=1.0, usual=10.0, growth=1.0, judging=1000.0)


def ladder(name: str, start: int) -> Ladder:
    return Ladder(tuple(Candidate(name, (f"step={i}",)) for i in range(len(WORLDS[name]))), start)


def trial(candidate: Candidate, seconds: float = 10.0) -> TrialRecord:
    step = float(candidate.settings[0].partition("=")[2])
    most, kept = (np.interp(step, range(len(world)), world) for world in zip(*WORLDS[candidate.method], strict=True))
    leak = Quantity(value=most / 2, low=0.0, high=most, kind="lower_bound")
    about = {"method": candidate.method, "settings": list(candidate.settings), "fitted": 1, "n": 2}
    return TrialRecord(**about, leakage=leak, utility={"u": kept}, fit_seconds=seconds - 1.0, seconds=seconds)


def found(objective: Objective, *ladders: Ladder, clock: Clock = SLOW, cap: float = 1.0, known=None, attempt=trial):
    search = Search(objective, ladders, clock, cap, attempt, known or {})
    return search.run(), [str(one) for one in search.trials], search


def test_it_goes_up_while_the_budget_holds_and_then_stops():
    best, tried, search = found(Objective(0.05, None), ladder("strong", 1))
    assert tried == ["strong step=1", "strong step=2", "strong step=3", "strong step=2.45"]
    assert str(best) == "strong step=2"  # halfway to what breaks the budget is too much
    assert (search.ended, search.left) == ("nothing_left", [])


def test_where_it_turns_the_setting_halfway_is_tried_too():
    best, tried, _ = found(Objective(0.07, None), ladder("strong", 2))
    assert tried == ["strong step=2", "strong step=3", "strong step=2.45"]
    assert str(best) == "strong step=2.45"
    best, tried, _ = found(Objective(0.035, None), ladder("strong", 2))
    assert tried == ["strong step=2", "strong step=1", "strong step=1.41"]
    assert str(best) == "strong step=1.41"


def test_it_goes_down_until_the_budget_holds():
    best, tried, _ = found(Objective(0.015, None), ladder("strong", 2))
    assert tried == ["strong step=2", "strong step=1", "strong step=0"]
    assert str(best) == "strong step=0"


def test_a_method_that_would_have_to_hide_more_and_keeps_less_already_is_given_up():
    _, tried, _ = found(Objective(0.05, None), ladder("strong", 2), Ladder(ladder("weak", 1).rungs, 1))
    assert tried[-1] == "weak step=0"  # step 1 keeps more than the best so far: the method may win
    _, tried, _ = found(Objective(0.05, None), ladder("strong", 2), ladder("dull", 1))
    assert tried.count("dull step=1") == 1
    assert "dull step=0" not in tried


def test_each_method_is_tried_once_before_further_settings_of_the_best():
    _, tried, _ = found(Objective(0.05, None), ladder("weak", 0), ladder("dull", 0), ladder("strong", 1))
    assert tried[:5] == ["weak step=0", "dull step=0", "strong step=1", "strong step=2", "strong step=3"]


def test_nothing_is_tried_once_all_there_is_is_kept():
    _, tried, search = found(Objective(0.05, None), ladder("strong", 2), ladder("weak", 0), cap=0.8)
    assert tried == ["strong step=2"]
    assert search.ended == "cannot_win"


def test_it_goes_no_further_down_where_nothing_is_read_any_more():
    def silent(candidate: Candidate) -> TrialRecord:
        one = trial(candidate)
        return one.model_copy(update={"leakage": one.leakage.model_copy(update={"value": 0.0})})

    best, tried, search = found(Objective(0.005, None), ladder("strong", 2), attempt=silent)
    assert tried == ["strong step=2"]
    assert str(best) == "strong step=2"
    assert search.ended == "nothing_left"


def test_it_goes_no_further_where_a_setting_changed_nothing():
    def alike(candidate: Candidate) -> TrialRecord:
        one = trial(candidate)
        return one.model_copy(
            update={"leakage": trial(Candidate("strong", ("step=3",))).leakage, "utility": {"u": 0.7}}
        )

    assert found(Objective(0.005, None), ladder("strong", 3), attempt=alike)[1] == ["strong step=3", "strong step=2"]


def test_a_target_is_approached_from_both_sides():
    best, tried, _ = found(Objective(None, 0.65), ladder("strong", 2))
    assert tried == ["strong step=2", "strong step=1", "strong step=0"]
    assert str(best) == "strong step=1"
    assert str(found(Objective(None, 0.85), ladder("strong", 1))[0]) == "strong step=3"


def test_all_trials_take_at_most_twice_what_the_best_takes_alone():
    quick = Clock(measuring=1.0, usual=10.0, growth=1.0, judging=2.0)
    best, tried, search = found(Objective(0.05, None), ladder("strong", 1), clock=quick)
    assert len(tried) == 2  # 1 + 10 + 10 of 2 x 11
    assert search.ended == "time"
    assert search.left == ["strong step=3"]
    assert str(best) == "strong step=2"


def test_a_formula_that_is_tried_first_leaves_time_for_a_method_that_learns():
    def attempt(candidate: Candidate) -> TrialRecord:
        return trial(candidate, 10.0 if candidate.method == "strong" else 1.5)

    def asked(*ladders: Ladder) -> list[str]:
        quick = Clock(measuring=1.0, usual=10.0, growth=1.0, judging=2.0)
        return found(Objective(0.035, None), *ladders, clock=quick, attempt=attempt)[1]

    # 1 + 1.5 + 10 of 2 x 12, where the formula alone takes 2.5; what learns in half a second leaves 2 x 2.5.
    assert asked(ladder("leace", 0), ladder("strong", 3)) == ["leace step=0", "strong step=3"]
    assert "strong step=3" not in asked(ladder("dull", 0), ladder("strong", 3))


def test_a_time_limit_ends_it_but_one_is_always_tried():
    passed = Clock(measuring=1.0, usual=10.0, growth=1.0, judging=1000.0, until=5.0, now=lambda: 6.0)
    _, tried, search = found(Objective(0.05, None), ladder("strong", 1), clock=passed)
    assert tried == ["strong step=1"]
    assert (search.ended, search.left) == ("time", [])


def test_a_method_whose_trial_would_take_more_than_its_share_of_the_time_is_left_out_with_a_sentence():
    # DiscreteChannel is foretold a thirtieth of what AIOI takes: 1 s and 30 s of a share of 10 s each.
    clock, said = Clock(measuring=0.0, usual=10.0, growth=1.0, judging=1000.0, until=20.0, now=lambda: 0.0), []
    ladders = [Ladder((Candidate(name),)) for name in ("aioi", "discrete-channel")]

    def attempt(candidate: Candidate) -> TrialRecord:
        return trial(Candidate("strong", ("step=1",))).model_copy(update={"method": candidate.method, "settings": []})

    search = Search(Objective(0.05, None), ladders, clock, 1.0, attempt, log=said.append)
    search.run()
    assert (len(search.trials), search.left, search.ended) == (1, ["aioi"], "time")
    assert said == ["leaving out aioi: its trial is foretold to take 30 seconds, and its share of --time is 10 seconds"]


def test_finished_trials_are_not_repeated_and_the_choice_is_the_same():
    asked, tried = [], found(Objective(0.05, None), ladder("strong", 1))[1]

    def attempt(candidate: Candidate) -> TrialRecord:
        asked.append(str(candidate))
        return trial(candidate)

    known = {tried[0]: trial(Candidate("strong", ("step=1",)))}
    best, again, _ = found(Objective(0.05, None), ladder("strong", 1), known=known, attempt=attempt)
    assert again == tried
    assert asked == tried[1:]
    assert str(best) == "strong step=2"


def test_a_method_that_fails_is_left_and_the_next_one_tried():
    def attempt(candidate: Candidate) -> TrialRecord:
        if candidate.method == "weak":
            return TrialRecord(method="weak", settings=list(candidate.settings), fitted=1, n=2, failed="no")
        return trial(candidate)

    best, tried, _ = found(Objective(0.05, None), ladder("weak", 0), ladder("strong", 2), attempt=attempt)
    assert tried[:2] == ["weak step=0", "strong step=2"]
    assert best.method == "strong"
    assert found(Objective(0.05, None), ladder("weak", 0), attempt=attempt)[0] is None
