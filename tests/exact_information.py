"""The referee of a world: its truth against the mean of the exact log-ratio over records that it draws itself.

The log-ratios are written here from the definition of each world, not taken from its module, so that a wrong draw and
a wrong truth both show.
"""

import numpy as np
from known_worlds.registry import WORLDS
from scipy.special import log_softmax

N = 200_000


def sample(name, n=N, seed=5):
    return WORLDS[name].draw(n, np.random.default_rng(seed))


def matrix(drawn):
    return np.column_stack([drawn.release.column(c).to_numpy() for c in drawn.release.column_names])


def log_ratio(log_densities, s, shares=None):
    """log p(s | z) / p(s) of each record from log f_s(z), shape (n, k)."""
    k = log_densities.shape[1]
    prior = np.log(np.full(k, 1 / k) if shares is None else np.asarray(shares))
    return log_softmax(log_densities + prior, axis=1)[np.arange(len(s)), s] - prior[s]


def agrees(name, ratios, truth=None):
    """The mean log-ratio is the truth, up to four standard errors and what the truth itself may be off."""
    world = WORLDS[name]
    error = ratios.std() / np.sqrt(len(ratios))
    assert error < 0.003
    assert abs(ratios.mean() - (world.truth if truth is None else truth)) < 4 * error + world.truth_error
