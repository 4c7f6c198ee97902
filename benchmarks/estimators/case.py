"""One fit: a problem is drawn, an estimator fitted, and what it says is put beside the truth."""

import time
from collections.abc import Callable

import numpy as np
from problems import PROBLEMS

from withhold.information.estimators.classifier import ClassifierBound
from withhold.information.estimators.club import CLUB
from withhold.information.estimators.conditionals import ConditionalTraining
from withhold.information.estimators.critics import CriticTraining
from withhold.information.estimators.discrete import DiscreteInformation
from withhold.information.estimators.estimator import InformationEstimator
from withhold.information.estimators.gaussian import GaussianInformation
from withhold.information.estimators.infonce import InfoNCE
from withhold.information.estimators.ksg import KSG
from withhold.information.estimators.mine import MINE
from withhold.information.estimators.nwj import NWJ
from withhold.information.estimators.smile import SMILE

# The critic of the paper's kind, with small batches: one net for the pair, two hidden layers.
SMALL = CriticTraining(critic="joint", hidden=(64, 64), batch=16, steps=800)

ESTIMATORS: dict[str, Callable[[int], InformationEstimator]] = {
    "MINE": lambda seed: MINE(random_state=seed),
    "MINE, average": lambda seed: MINE(average=0.01, random_state=seed),
    "MINE, batches of 16": lambda seed: MINE(training=SMALL, random_state=seed),
    "NWJ": lambda seed: NWJ(random_state=seed),
    "InfoNCE": lambda seed: InfoNCE(random_state=seed),
    "SMILE": lambda seed: SMILE(random_state=seed),
    "CLUB": lambda seed: CLUB(random_state=seed),
    "CLUB, sampled": lambda seed: CLUB(sampled=True, random_state=seed),
    "CLUB, poor q": lambda seed: CLUB(training=ConditionalTraining(hidden=(), steps=25), random_state=seed),
    "classifier": lambda seed: ClassifierBound(random_state=seed),
    "KSG": lambda seed: KSG(),
    "Gaussian": lambda seed: GaussianInformation(),
    "counts": lambda seed: DiscreteInformation(),
}


def applies(estimator: str, problem: str) -> bool:
    """Whether an estimator takes a problem's kind of pair."""
    return PROBLEMS[problem].kind in ESTIMATORS[estimator](0).takes


def draw(problem: str, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The pair of a problem, size and seed: the same for every estimator."""
    return PROBLEMS[problem].draw(n, np.random.default_rng([seed, n, list(PROBLEMS).index(problem)]))


def run_case(problem: str, estimator: str, n: int, seed: int) -> tuple[dict, float, float]:
    """Fit once in a worker; return what it gave with its processor and wall seconds."""
    import torch

    torch.set_num_threads(1)
    a, b = draw(problem, n, seed)
    method = ESTIMATORS[estimator](seed)
    cpu, wall = time.process_time(), time.perf_counter()
    found = method.fit(a, b).estimate()
    seconds = time.process_time() - cpu, time.perf_counter() - wall
    values = {
        "problem": problem,
        "estimator": estimator,
        "n": n,
        "seed": seed,
        "truth": round(PROBLEMS[problem].truth, 6),
        "value": round(found.value, 5),
        "low": None if found.low is None else round(found.low, 5),
        "high": None if found.high is None else round(found.high, 5),
        "kind": found.kind,
    }
    for name in ("batch_value_", "gain_"):
        if hasattr(method, name):
            values[name.rstrip("_")] = round(float(getattr(method, name)), 5)
    return values, *seconds
