"""How strong each attacker is alone, and what it costs: three interactions with a known best AUC.

    python benchmarks/audit/attackers.py [--effort quick standard] [--world A B C]

50,000 rows to learn from, 10,000 to be scored on, 64 standard normal columns, S a coin whose log-odds are a function
of few directions: A an interaction of two columns, B a smooth interaction of two directions that lie across all
columns, C the length within four such directions. The size of each is set so that the best possible AUC, that of the
log-odds themselves, is .899, .874 and .922.
"""

import argparse
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from sklearn.metrics import roc_auc_score

sys.path.insert(0, str(Path(__file__).parents[1]))

from ledger import Ledger, cpu_seconds

from withhold.audit.attackers.registry import all_attackers, choose_panel
from withhold.audit.effort import EFFORTS
from withhold.audit.view.view import whiten
from withhold.training.session import one_thread

FITTED, SCORED, WIDTH = 50_000, 10_000, 64
# Rows by which the best AUC is set.
REFERENCE = 400_000

Shape = Callable[[np.ndarray], np.ndarray]


def on_axes(z: np.ndarray) -> np.ndarray:
    """Sign of the product of two columns, and a little of a third."""
    return np.sign(z[:, 0] * z[:, 1]) + 0.12 * z[:, 2]


def rotated_smooth(z: np.ndarray) -> np.ndarray:
    """A saturating product of two directions, and a little of a third."""
    u, v, w = directions(3) @ z.T
    return np.tanh(4 * u) * np.tanh(4 * v) + 0.3 * w


def rotated_radius(z: np.ndarray) -> np.ndarray:
    """Length within four directions, about its mean."""
    length = np.sqrt(((directions(4) @ z.T) ** 2).sum(axis=0))
    return length - 1.88


WORLDS: dict[str, tuple[Shape, float]] = {
    "A": (on_axes, 0.899),
    "B": (rotated_smooth, 0.874),
    "C": (rotated_radius, 0.922),
}


def directions(count: int) -> np.ndarray:
    """Orthonormal directions that use all columns alike; always the same."""
    return np.linalg.qr(np.random.default_rng(0).standard_normal((WIDTH, count)))[0].T


def draw(shape: Shape, size: float, rows: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return columns, S and log-odds."""
    z = rng.standard_normal((rows, WIDTH)).astype(np.float32)
    odds = size * shape(z)
    return z, (rng.random(rows) < 1 / (1 + np.exp(-odds))).astype(np.int64), odds


@cache
def size_for(world: str) -> float:
    """Factor of the log-odds at which they themselves reach the AUC of the world."""
    shape, best = WORLDS[world]

    def gap(size: float) -> float:
        _, s, odds = draw(shape, size, REFERENCE, np.random.default_rng(1))
        return float(roc_auc_score(s, odds)) - best

    return float(brentq(gap, 0.5, 12.0, xtol=1e-2))


def nats(log_odds: np.ndarray, s: np.ndarray) -> float:
    """H(S) less the cross-entropy of a guess given as log-odds."""
    share = s.mean()
    entropy = -(share * np.log(share) + (1 - share) * np.log(1 - share))
    return float(entropy - np.logaddexp(0, np.where(s == 1, -log_odds, log_odds)).mean())


def measure(world: str, effort: str, member: str, seed: int) -> dict:
    """Fit one attacker and score it."""
    rng = np.random.default_rng([seed, ord(world)])
    z, s, odds = draw(WORLDS[world][0], size_for(world), FITTED + SCORED, rng)
    attacker = all_attackers()[member](EFFORTS[effort])
    X = whiten(z) if attacker.inputs == "whitened" else z
    with one_thread():
        start = cpu_seconds()
        attacker.fit(X[:FITTED], s[:FITTED], np.random.default_rng(seed))
        fit = cpu_seconds() - start
        guess = attacker.log_proba(X[FITTED:])
        score = cpu_seconds() - start - fit
    log_odds, truth = guess[:, 1] - guess[:, 0], s[FITTED:]
    return {
        "auc": round(float(roc_auc_score(truth, log_odds)), 4),
        "best_auc": round(float(roc_auc_score(truth, odds[FITTED:])), 4),
        "nats": round(nats(log_odds, truth), 4),
        "best_nats": round(nats(odds[FITTED:], truth), 4),
        "fit_cpu_seconds": round(fit, 2),
        "score_cpu_seconds": round(score, 2),
        "seed": seed,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--effort", nargs="+", choices=EFFORTS, default=["quick", "standard"])
    parser.add_argument("--world", nargs="+", choices=WORLDS, default=list(WORLDS))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    ledger = Ledger("audit_attackers")
    for effort in options.effort:
        for world in options.world:
            for member in choose_panel():
                key = f"{world} / {effort} / {member.name} / seed {options.seed}"
                ledger.measure(key, lambda w=world, e=effort, m=member.name: measure(w, e, m, options.seed))


if __name__ == "__main__":
    main()
