"""K Gaussians on a half circle (iwasawa2020iidm, section 2.2), with a second attribute inside each to be kept.

Component i = 1..K stands at (sin(i pi / K), cos(i pi / K)) with standard deviation .3, which the paper does not state.
S is the component. U says whether a record lies further out than its component's centre: the components are turned
copies of each other, so the distance from the origin tells nothing about S, and a map exists that hides S and keeps U.
"""

from dataclasses import dataclass

import numpy as np
import torch

SIGMA = 0.3
# Cells along each side of the grid on which the attacker counts; z has two directions.
CELLS = 40


@dataclass(frozen=True)
class Sample:
    """Records `x` (n, 2), component `s` in 0..K-1 and `u` in {0, 1}."""

    x: np.ndarray
    s: np.ndarray
    u: np.ndarray


def centres(k: int) -> np.ndarray:
    """Centres of the components, (k, 2)."""
    angle = np.arange(1, k + 1) * np.pi / k
    return np.stack([np.sin(angle), np.cos(angle)], axis=1)


def draw(k: int, n: int, seed: int) -> Sample:
    """Draw n records of K equally likely components."""
    rng = np.random.default_rng(seed)
    s, noise = rng.integers(k, size=n), rng.normal(size=(n, 2))
    middle = centres(k)[s]
    u = ((noise * middle).sum(axis=1) > 0).astype(np.int64)
    return Sample((middle + SIGMA * noise).astype(np.float32), s, u)


def whitened(z: np.ndarray, like: np.ndarray) -> np.ndarray:
    """Turn and scale z so that `like` has unit covariance: what any scale was, an attacker undoes."""
    values, vectors = np.linalg.eigh(np.cov(like.T) + 1e-12 * np.eye(like.shape[1]))
    return (z - like.mean(axis=0)) @ vectors / np.sqrt(np.maximum(values, 1e-12))


def conditional_entropy(z: np.ndarray, s: np.ndarray, z_new: np.ndarray, s_new: np.ndarray, k: int) -> float:
    """Return an upper bound on H(S|Z) in nats, the smaller cross-entropy of two attackers of two-dimensional z.

    One counts on a grid of equal-mass cells of whitened z, the other is a network; both learn from (z, s) and are
    scored on new records.
    """
    low, high = whitened(z, z), whitened(z_new, z)
    return min(_grid(low, s, high, s_new, k), _network(low, s, high, s_new, k))


def _grid(z: np.ndarray, s: np.ndarray, z_new: np.ndarray, s_new: np.ndarray, k: int) -> float:
    cuts = [np.quantile(z[:, j], np.arange(1, CELLS) / CELLS) for j in range(2)]
    cell = lambda a: np.searchsorted(cuts[0], a[:, 0]) * CELLS + np.searchsorted(cuts[1], a[:, 1])  # noqa: E731
    counts = np.full((CELLS * CELLS, k), 1.0)
    np.add.at(counts, (cell(z), s), 1)
    log_q = np.log(counts / counts.sum(axis=1, keepdims=True))
    return float(-log_q[cell(z_new), s_new].mean())


def _network(z: np.ndarray, s: np.ndarray, z_new: np.ndarray, s_new: np.ndarray, k: int, steps: int = 250) -> float:
    keep = torch.get_rng_state()
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(2, 64), torch.nn.ReLU(), torch.nn.Linear(64, k))
    adam = torch.optim.Adam(net.parameters(), 1e-2, fused=True)
    inputs, codes = torch.from_numpy(z.astype(np.float32)), torch.from_numpy(s)
    with torch.enable_grad():
        for step in range(steps):
            for group in adam.param_groups:
                group["lr"] = 1e-2 * (1 - step / steps)
            rows = torch.randint(len(z), (512,))
            loss = torch.nn.functional.cross_entropy(net(inputs[rows]), codes[rows])
            adam.zero_grad(set_to_none=True)
            loss.backward()
            adam.step()
    with torch.no_grad():
        out = net(torch.from_numpy(z_new.astype(np.float32)))
        found = torch.nn.functional.cross_entropy(out, torch.from_numpy(s_new)).item()
    torch.set_rng_state(keep)
    return found


def exact_conditional_entropy(weights: np.ndarray, noise: float, k: int, n: int = 100_000, seed: int = 0) -> float:
    """Return H(S|Z) for z = weights x + noise e, from the densities of the mixture that z then is."""
    sample, rng = draw(k, n, seed), np.random.default_rng([seed, 1])
    z = sample.x @ weights.T + noise * rng.normal(size=(n, len(weights)))
    covariance = SIGMA**2 * weights @ weights.T + noise**2 * np.eye(len(weights))
    far = z[:, None] - (centres(k) @ weights.T)[None]
    log_p = -0.5 * np.einsum("nki,ij,nkj->nk", far, np.linalg.inv(covariance), far)
    log_p -= np.logaddexp.reduce(log_p, axis=1, keepdims=True)
    return float(-(np.exp(log_p) * log_p).sum(axis=1).mean())
