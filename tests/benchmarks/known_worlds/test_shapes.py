import numpy as np
from known_worlds import shapes
from known_worlds.quadrature import distance_for
from scipy.special import softmax
from scipy.stats import cauchy, norm

from exact_information import agrees, log_ratio, matrix, sample


def test_clusters():
    drawn = sample("clusters")
    z = matrix(drawn)
    squares = (z**2).sum(1, keepdims=True) - 2 * z @ shapes.CENTRES.T + (shapes.CENTRES**2).sum(1)
    weight = softmax(-squares / (2 * 0.3**2), axis=1)
    p = weight @ np.where(shapes.CLASS_OF_CENTRE == 1, 0.9, 0.1)
    agrees("clusters", log_ratio(np.log(np.column_stack([1 - p, p])), drawn.sensitive["s"]))


def test_heavy_tails():
    drawn = sample("heavy_tails")
    z = matrix(drawn)[:, 1]
    densities = np.column_stack([cauchy.logpdf(z), cauchy.logpdf(z - shapes.CAUCHY_SHIFT)])
    agrees("heavy_tails", log_ratio(densities, drawn.sensitive["s"]))


def test_one_percent():
    drawn = sample("one_percent", n=1_000_000)
    z = matrix(drawn)[:, 0]
    densities = np.column_stack([norm.logpdf(z), norm.logpdf(z - 3.5)])
    agrees("one_percent", log_ratio(densities, drawn.sensitive["s"], (0.99, 0.01)))


def test_two_kinds():
    drawn = sample("two_kinds")
    z = matrix(drawn)
    distance, odd = distance_for(0.08), np.floor(z[:, 9]) % 2 == 1
    # The mean of the six shifted columns, to unit variance.
    score = z[:, :6].sum(axis=1) / np.sqrt(6)
    densities = np.column_stack(
        [
            norm.logpdf(score) + np.log(np.where(odd, 0.3, 0.7)),
            norm.logpdf(score - distance) + np.log(np.where(odd, 0.7, 0.3)),
        ]
    )
    agrees("two_kinds", log_ratio(densities, drawn.sensitive["s"]))
