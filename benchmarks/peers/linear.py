"""INLP and R-LACE, linear erasers written from their papers: no maintained package offers them.

INLP: S. Ravfogel, Y. Elazar, H. Gonen, M. Twiton, Y. Goldberg, "Null It Out: Guarding Protected Attributes by Iterative
Nullspace Projection", ACL 2020. Fit a linear classifier of S, project onto the null space of its weights, repeat; the
final projection removes the span of all weights found.

R-LACE: S. Ravfogel, M. Twiton, Y. Goldberg, R. Cotterell, "Linear Adversarial Concept Erasure", ICML 2022. A minimax
game between a linear predictor of S and a projection of rank k; the set of projections is relaxed to its convex hull,
the Fantope {A : 0 <= A <= I, tr A = k}, and the strongest k directions of the solution are removed.
"""

import numpy as np
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

INLP_ITERATIONS = 35
RLACE_ITERATIONS, RLACE_BATCH, RLACE_LOOKS = 6_000, 256, 24
RATE, MOMENTUM, DECAY = 0.05, 0.9, 1e-4


def standardised(X: np.ndarray, fit: np.ndarray) -> np.ndarray:
    """Centre on the fit rows and divide by their spread, constants by one."""
    spread = X[fit].std(axis=0)
    return (X - X[fit].mean(axis=0)) / np.where(spread > 1e-8, spread, 1.0)


def removing(directions: np.ndarray) -> np.ndarray:
    """Return the orthogonal projection that removes the span of the rows of `directions`."""
    _, values, basis = np.linalg.svd(directions, full_matrices=False)
    basis = basis[values > 1e-8 * values.max()]
    return np.eye(directions.shape[1]) - basis.T @ basis


def inlp(X: np.ndarray, s: np.ndarray, iterations: int = INLP_ITERATIONS) -> np.ndarray:
    """Return the projection of INLP; rows of `X` are records, `s` are classes.

    Stops early where the classifier has no direction left.
    """
    found: list[np.ndarray] = []
    P = np.eye(X.shape[1])
    for _ in range(iterations):
        weights = LogisticRegression(max_iter=200).fit(X @ P, s).coef_ @ P
        if np.linalg.norm(weights) < 1e-6:
            break
        found.append(weights)
        P = removing(np.concatenate(found))
    return P


def onto_fantope(A: np.ndarray, k: int) -> np.ndarray:
    """Return the nearest matrix with eigenvalues in [0, 1] that sum to k."""
    values, vectors = np.linalg.eigh((A + A.T) / 2)
    low, high = values.min() - 1.0, values.max()
    for _ in range(60):
        shift = (low + high) / 2
        low, high = (shift, high) if np.clip(values - shift, 0, 1).sum() > k else (low, shift)
    return (vectors * np.clip(values - (low + high) / 2, 0, 1)) @ vectors.T


def rlace(X: np.ndarray, s: np.ndarray, seed: int, k: int = 1, iterations: int = RLACE_ITERATIONS) -> np.ndarray:
    """Return the projection of R-LACE for a binary `s` in {0, 1}.

    Of the projections met, the one after which a fresh logistic regression does worst on a tenth of the rows is kept.
    """
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(X))
    held, train = order[: len(X) // 10], order[len(X) // 10 :]
    d = X.shape[1]
    A = np.eye(d) * k / d
    w, b, pace_w, pace_A = np.zeros(d), 0.0, np.zeros(d), np.zeros((d, d))
    best, kept = -np.inf, np.eye(d)
    for i in range(1, iterations + 1):
        for player in ("predictor", "projection"):
            rows = rng.choice(train, RLACE_BATCH)
            left = X[rows] - X[rows] @ A
            error = expit(left @ w + b) - s[rows]
            if player == "predictor":
                pace_w = MOMENTUM * pace_w + left.T @ error / RLACE_BATCH + DECAY * w
                w, b = w - RATE * pace_w, b - RATE * error.mean()
            else:
                # The loss of the predictor rises along its gradient in A.
                pace_A = MOMENTUM * pace_A - np.outer(X[rows].T @ error, w) / RLACE_BATCH
                A = onto_fantope(A + RATE * pace_A, k)
        if i % (iterations // RLACE_LOOKS) == 0:
            P = removing(np.linalg.eigh(A)[1][:, -k:].T)
            fresh = LogisticRegression(max_iter=500).fit(X[train[:5_000]] @ P, s[train[:5_000]])
            loss = log_loss(s[held], fresh.predict_proba(X[held] @ P))
            if loss > best:
                best, kept = loss, P
    return kept
