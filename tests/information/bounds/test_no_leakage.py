"""k = 0 is solved to rounding on joints where any S matters, and the release is independent of S."""

import numpy as np
import pytest

from withhold.information.bounds.envelope import Envelope
from withhold.information.bounds.mechanism import leakage, uncertainty
from withhold.information.bounds.no_leakage import solve_no_leakage


@pytest.mark.parametrize("shape", [(3, 2), (4, 4), (6, 3)])
def test_both_sides_meet(shape: tuple[int, int]) -> None:
    joint = np.random.default_rng(5).dirichlet(np.ones(shape[0] * shape[1])).reshape(shape)
    found = solve_no_leakage(Envelope(joint.sum(axis=0)), joint, 0.3)
    assert leakage(found.atoms) < 1e-12
    np.testing.assert_allclose(found.atoms.sum(axis=0), joint, atol=1e-9)
    assert uncertainty(found.atoms) - found.lower == pytest.approx(0.0, abs=1e-8)
