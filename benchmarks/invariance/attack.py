"""Fresh attackers on a released representation, the paper's probe among them, and the entropy they leave."""

import numpy as np
import pyarrow as pa

from withhold.audit.attackers.logistic import Logistic
from withhold.audit.attackers.neighbours import Neighbours
from withhold.audit.attackers.network import Network
from withhold.audit.attackers.posthoc import PostHoc
from withhold.audit.effort import find_effort
from withhold.audit.view.view import AttackView

# Name, attacker, view. The paper's probe belongs to the panel here: with few records of many classes it learns most.
ATTACKERS = (
    ("logistic", Logistic, "whitened"),
    ("neighbours", Neighbours, "whitened"),
    ("network", Network, "dense"),
    ("posthoc", PostHoc, "dense"),
)


def attack(Z: np.ndarray, s: np.ndarray, learn: np.ndarray, score: np.ndarray, seed: int) -> dict:
    """Return accuracy and entropy left of each attacker that learns from the rows `learn` and guesses `score`.

    Whitened inputs make a direction that was merely shrunk as large as any other. `best` is the largest accuracy,
    `hidden` the smallest cross-entropy over H(S) of the scored rows, at most 1.
    """
    codes = np.unique(s, return_inverse=True)[1]
    table = pa.table({f"z{j}": np.ascontiguousarray(column) for j, column in enumerate(np.asarray(Z, np.float32).T)})
    view = AttackView.fit(table, row_order=False)
    shares = np.bincount(codes[score]) / len(score)
    entropy = float(-(shares[shares > 0] * np.log(shares[shares > 0])).sum())
    found, left = {}, []
    for name, kind, seen in ATTACKERS:
        matrix = getattr(view, seen)
        with np.errstate(divide="ignore"):  # neighbours give a class none of them has probability 0
            model = kind(find_effort("quick")).fit(matrix[learn], codes[learn], np.random.default_rng([seed, 1]))
            log_q = model.log_proba(matrix[score])
        found[name] = float((log_q.argmax(axis=1) == codes[score]).mean())
        left.append(_entropy_left(log_q, codes[score], shares))
    return {
        **found,
        "best": max(found.values()),
        "chance": float(shares.max()),
        "hidden": min(1.0, min(left) / entropy),
    }


def _entropy_left(log_q: np.ndarray, codes: np.ndarray, shares: np.ndarray) -> float:
    """Cross-entropy in nats of the attacker mixed with the shares, at the weight that reads it smallest.

    The weight is chosen on the scored rows, in favour of the attacker: of a handful of weights, on a thousand rows.
    """
    q, own = np.exp(log_q), np.arange(len(codes))
    mixed = [w * q[own, codes] + (1 - w) * shares[codes] for w in (0.1, 0.3, 0.5, 0.7, 0.9, 0.99)]
    return min(float(-np.log(part).mean()) for part in mixed)
