import numpy as np
from known_worlds import images
from known_worlds.quadrature import distance_for
from scipy.stats import multivariate_normal

from exact_information import log_ratio, sample


def test_watermark():
    drawn = sample("watermark", n=20_000)
    x = drawn.release.reshape(len(drawn.release), -1).astype(np.float64)
    law = multivariate_normal(cov=np.eye(144) + np.ones((144, 144)))
    shift = distance_for(0.15) * images.WATERMARK.ravel()
    ratios = log_ratio(np.column_stack([law.logpdf(x), law.logpdf(x - shift)]), drawn.sensitive["s"])
    error = ratios.std() / np.sqrt(len(ratios))
    assert abs(ratios.mean() - 0.15) < 4 * error
    # Brightness, the first thing an eye meets, tells nothing.
    assert abs(images.WATERMARK.sum()) < 1e-9


def test_stamp_is_seen_without_error():
    """The exact ratio over all 64 places."""
    drawn = sample("stamp", n=20_000)
    windows = np.lib.stride_tricks.sliding_window_view(drawn.release.astype(np.float64), (5, 5), axis=(1, 2))
    score = np.einsum("nijkl,kl->nij", windows, images.STAMP).reshape(len(windows), -1)
    energy = (images.STAMP**2).sum()
    there = np.logaddexp.reduce(2.0 * score - 2.0**2 * energy / 2, axis=1) - np.log(64)
    densities = np.column_stack([np.logaddexp(np.log(1 - p), np.log(p) + there) for p in (0.1, 0.9)])
    ratios = log_ratio(densities, drawn.sensitive["s"])
    error = ratios.std() / np.sqrt(len(ratios))
    assert abs(ratios.mean() - 0.368) < 4 * error + 1e-3
    assert (np.abs(there) > 3).mean() > 0.9999


def test_images_are_arrays():
    drawn = sample("stamp", n=7)
    assert drawn.release.shape == (7, 12, 12)
    assert drawn.release.dtype == np.float32
    assert drawn.flat.num_columns == 144
