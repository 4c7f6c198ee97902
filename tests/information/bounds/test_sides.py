"""Rows and columns without mass, and classes beyond eight, come back in place."""

import numpy as np

from withhold.information.bounds.certificate import check_certificate
from withhold.information.bounds.sides import both_sides


def test_empty_rows_and_columns() -> None:
    joint = np.zeros((3, 3))
    joint[np.ix_([0, 2], [0, 2])] = [[0.45, 0.05], [0.05, 0.45]]
    certificates, mechanisms = both_sides(joint, np.array([0.0, 0.1]), 1e-3)
    inner, _ = both_sides(np.array([[0.45, 0.05], [0.05, 0.45]]), np.array([0.0, 0.1]), 1e-3)
    small = np.array([[0.45, 0.05], [0.05, 0.45]])
    for k, whole, part, mechanism in zip((0.0, 0.1), certificates, inner, mechanisms, strict=True):
        assert abs(check_certificate(whole, joint, k) - check_certificate(part, small, k)) < 1e-9
        assert mechanism.channel.shape[1:] == (3, 3)


def test_nine_classes_leak_no_more_than_allowed() -> None:
    joint = np.random.default_rng(0).dirichlet(np.ones(18)).reshape(2, 9)
    certificates, mechanisms = both_sides(joint, np.array([0.0, 0.02]), 1e-2)
    for k, certificate, mechanism in zip((0.0, 0.02), certificates, mechanisms, strict=True):
        assert mechanism.leakage <= k + 1e-12
        assert check_certificate(certificate, joint, k) <= mechanism.uncertainty
    assert len(set(certificates[0].groups.tolist())) <= 8
