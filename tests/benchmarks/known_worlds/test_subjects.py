import numpy as np
import pytest
from known_worlds.quadrature import distance_for
from known_worlds.registry import WORLDS
from scipy.stats import norm

from exact_information import agrees, log_ratio, matrix, sample

DISTANCE = distance_for(0.06) * np.sqrt(2)


def test_one_record_and_one_subject():
    drawn = sample("repeated_subjects")
    z, s, groups = matrix(drawn)[:, 0], drawn.sensitive["s"], drawn.groups
    densities = np.column_stack([norm.logpdf(z, DISTANCE * k, np.sqrt(2)) for k in (0, 1)])
    agrees("repeated_subjects", log_ratio(densities, s))
    size = np.bincount(groups)
    mean, own = np.bincount(groups, z) / size, np.bincount(groups, s) / size
    assert set(own) == {0.0, 1.0}
    densities = np.column_stack([norm.logpdf(mean, DISTANCE * k, np.sqrt(1 + 1 / size)) for k in (0, 1)])
    ratios = log_ratio(densities, own.astype(int))
    agrees("repeated_subjects", ratios, WORLDS["repeated_subjects"].subject_truth)


@pytest.mark.parametrize("name", ["repeated_subjects", "subject_signatures"])
def test_records_of_a_subject_are_not_side_by_side(name):
    groups = sample(name, n=5000).groups
    assert np.bincount(groups).max() == 5
    assert (groups[1:] == groups[:-1]).mean() < 0.01


def test_signatures_name_the_subject_and_not_s():
    drawn = sample("subject_signatures", n=2000)
    z, groups = matrix(drawn), drawn.groups
    nearest = [np.argsort(((z - row) ** 2).sum(1))[1] for row in z[:200]]
    assert (groups[nearest] == groups[:200]).mean() > 0.95
