"""What an audit of the rows can see, once the advice is taken too."""

from types import SimpleNamespace

import numpy as np

from withhold.audit.planning.outlook import foretell
from withhold.audit.request import read_request
from withhold.workflow.foreseen import power_ahead, power_told, utility_told, without_utility

N = 600
S = np.random.default_rng(0).integers(0, 2, N)
X = np.random.default_rng(1).normal(size=(N, 2))


def foretold(makers=None):
    parted = np.arange(N) % 10 < 7 if makers is None else None
    return foretell(read_request(X, S, S, None, None, parted, None, makers=makers), "quick", read_raw=False)


def test_u_that_is_left_out_takes_no_room_and_folds_have_a_budget_of_their_own():
    found, crossed = foretold(), foretold(np.arange(N) % 5)
    assert power_told(found, 0.2).decidable_budget is None
    assert power_told(found, 0.2).cross_fit_budget is None
    ahead = power_ahead("utility_reveals", found, 0.2, crossed)
    assert ahead.decidable_budget == without_utility(found).power.decidable_budget(N)
    assert ahead.cross_fit_budget == without_utility(crossed).power.decidable_budget(N)
    assert power_ahead("too_few_rows", found, 0.2, crossed) == power_told(found, 0.2, crossed)


def test_what_u_tells_is_said_with_the_budget_that_it_does_not_break():
    job = SimpleNamespace(roles=SimpleNamespace(utility=("u",)), request=SimpleNamespace(drop_utility=False))
    told = utility_told(job, foretold())
    assert (told.utility, told.handed_over, told.holds == told.told.high) == (["u"], True, True)
    nothing = foretell(read_request(X, S, None, None, None, None, None), "quick", read_raw=False)
    assert utility_told(job, nothing) is None
