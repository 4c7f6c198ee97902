"""What the mechanisms' epsilon is: by listing all outputs on small grids, and from below by attack on the real ones.

    OMP_NUM_THREADS=1 .venv/bin/python benchmarks/cadp/enumeration.py [--case NAME ...]

Listing: the largest log-ratio of output probabilities over all pairs of inputs, for every mechanism of the room and for
the paper's form (noise of scale Q / epsilon after dividing by the norm). Attack: releases of the two records that are
farthest apart, scored by the log-likelihood ratio; the threshold is chosen on releases of its own, the others are
counted, confidence .999: 1 million of each record at epsilon 1, 4 million at others (at .2 a million leaves randomised
response of ten answers, whose events are rare, at .88 of its epsilon). The mechanisms are those that CADP uses, on two
dimensions (Laplace) and 16 (PrivUnit).
"""

import argparse
import itertools
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from cadp.certain_epsilon import epsilon_lower_bound
from ledger import Ledger

from withhold.privacy.discrete_laplace import DiscreteLaplace
from withhold.privacy.mechanism import Enumeration
from withhold.privacy.privunit import PrivUnit
from withhold.privacy.randomised_response import RandomisedResponse

LEVEL = 0.999
BLOCK = 250_000
COUNTED = {0.2: 4_000_000, 1: 1_000_000, 4: 4_000_000, 10: 4_000_000}
CHOOSING = 0.2

Scores = Callable[[int], tuple[np.ndarray, np.ndarray]]


def laplace_grid(epsilon: float, paper: bool = False) -> Enumeration:
    """Two coordinates, radius 3; the paper divides by the norm and its noise is half as wide."""
    mechanism = DiscreteLaplace(2 * epsilon if paper else epsilon, 2, 3.0, normalise=paper, granularity=1.0)
    square = np.array(list(itertools.product(range(-3, 4), repeat=2)))
    outputs = np.array(list(itertools.product(range(-8, 9), repeat=2)))
    return Enumeration(mechanism, square, outputs, complete=False)


def plane(epsilon: float) -> Enumeration:
    """Directions of the plane and records that have none."""
    mechanism = PrivUnit(epsilon, 2, words=64)
    angle = np.arange(200) * (2 * np.pi / 200)
    odd = [[0.0, 0.0], [np.nan, 1.0], [np.inf, 1.0], [1e300, -1e300]]
    inputs = np.vstack([np.column_stack([np.cos(angle), np.sin(angle)]), odd])
    return Enumeration(mechanism, inputs, mechanism.codebook, complete=True)


def answers(epsilon: float) -> Enumeration:
    return Enumeration(RandomisedResponse(epsilon, 10), np.arange(10), np.arange(10), complete=True)


def listing(case: Enumeration) -> dict:
    log_p = np.array([case.mechanism.log_probabilities(value, case.outputs) for value in case.inputs])
    return {
        "largest_log_ratio": float((log_p.max(axis=0) - log_p.min(axis=0)).max()),
        "epsilon_of_the_mechanism": float(case.mechanism.epsilon),
        "inputs": len(case.inputs),
        "outputs": len(case.outputs),
    }


def laplace(epsilon: float, paper: bool = False) -> Scores:
    """Records far outside the ball at opposite corners; the score is the log-likelihood ratio but for a factor."""
    mechanism = DiscreteLaplace(2 * epsilon if paper else epsilon, 2, normalise=paper)
    worst = np.array([[1e9, 0.0], [-1e9, 0.0]])
    ends = mechanism.clip(worst) * mechanism.granularity

    def scores(n: int) -> tuple[np.ndarray, np.ndarray]:
        both = [mechanism.randomise(np.repeat(row[None], n, axis=0)) for row in worst]
        first, second = (np.abs(z - ends[1]).sum(axis=1) - np.abs(z - ends[0]).sum(axis=1) for z in both)
        return first, second

    return scores


def floating(epsilon: float) -> Scores:
    """NumPy's Laplace noise, records 0 and 1: small outputs that are no multiple of 2^-53 come from 0 alone."""

    def scores(n: int) -> tuple[np.ndarray, np.ndarray]:
        both = [record + np.random.default_rng().laplace(0.0, 1 / epsilon, n) for record in (0.0, 1.0)]
        first, second = (((y > 0) & (y < 0.25) & (y * 2.0**53 % 1 != 0)).astype(np.int8) for y in both)
        return first, second

    return scores


def direction(epsilon: float, words: int | None) -> Scores:
    """Opposite records in 16 dimensions; the log-likelihood ratio has three values."""
    mechanism = PrivUnit(epsilon, 16, words=words)
    record = np.random.default_rng(0).normal(size=16)
    worst = np.stack([record, -record])
    order = mechanism.near_first(worst)
    near = [np.isin(np.arange(mechanism.words), row[: mechanism.closest]) for row in order]
    side = near[0].astype(np.int8) - near[1].astype(np.int8)

    def scores(n: int) -> tuple[np.ndarray, np.ndarray]:
        if words is None:  # the whole codebook: the order of one record is computed once, the draws are the same
            first, second = (side[row[mechanism.ranks(n)]] for row in order)
        else:
            first, second = (side[mechanism.choose(np.repeat(row[None], n, axis=0))] for row in worst)
        return first, second

    return scores


def response(epsilon: float) -> Scores:
    mechanism = RandomisedResponse(epsilon, 10)

    def scores(n: int) -> tuple[np.ndarray, np.ndarray]:
        drawn = [mechanism.randomise(np.full(n, k)) for k in (0, 1)]
        first, second = ((z == 0).astype(np.int8) - (z == 1).astype(np.int8) for z in drawn)
        return first, second

    return scores


def attack(epsilon: float, scores: Scores) -> dict:
    total = int(COUNTED[epsilon] / (1 - CHOOSING))
    blocks = [scores(min(BLOCK, total - start)) for start in range(0, total, BLOCK)]
    first, second = (np.concatenate(part) for part in zip(*blocks, strict=True))
    found = epsilon_lower_bound(first, second, level=LEVEL, choosing=CHOOSING)
    return {"promised": epsilon, "lower_bound": found.value, "counted": found.n, "share": found.value / epsilon}


def cases() -> dict[str, Callable[[], dict]]:
    made: dict[str, Callable[[], dict]] = {}
    for epsilon in COUNTED:
        grids = {
            "laplace": lambda e=epsilon: laplace_grid(e),
            "paper": lambda e=epsilon: laplace_grid(e, paper=True),
            "privunit": lambda e=epsilon: plane(e),
            "randomised response": lambda e=epsilon: answers(e),
        }
        attacks = {
            "laplace": lambda e=epsilon: laplace(e),
            "paper": lambda e=epsilon: laplace(e, paper=True),
            "floating-point laplace": lambda e=epsilon: floating(e),
            "privunit": lambda e=epsilon: direction(e, None),
            "randomised response": lambda e=epsilon: response(e),
        }
        if epsilon in (1, 10):
            attacks["privunit of 512 words, every record anew"] = lambda e=epsilon: direction(e, 512)
        for name, grid in grids.items():
            made[f"listing | {name} | {epsilon:g}"] = lambda grid=grid: listing(grid())
        for name, scores in attacks.items():
            made[f"attack | {name} | {epsilon:g}"] = lambda scores=scores, e=epsilon: attack(e, scores())
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", action="append", help="only cases whose name contains this")
    wanted = parser.parse_args().case
    ledger = Ledger("cadp_enumeration")
    for key, work in cases().items():
        if not wanted or any(part in key for part in wanted):
            ledger.measure(key, work)


if __name__ == "__main__":
    main()
