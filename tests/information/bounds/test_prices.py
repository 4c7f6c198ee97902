"""Prices found at a slope prove nearly what can be proven there; impossible cells stay impossible."""

import numpy as np

from withhold.information.bounds.envelope import Envelope
from withhold.information.bounds.prices import active, find_prices, first_prices, value

JOINT = np.array([[0.3, 0.1, 0.0], [0.0, 0.2, 0.4]])


def test_search_improves_on_the_start() -> None:
    envelope = Envelope(JOINT.sum(axis=0))
    start = first_prices(JOINT)
    found = find_prices(envelope, JOINT, 3.0, start, 0.5)
    assert value(envelope, JOINT, 3.0, found) > value(envelope, JOINT, 3.0, start) + 0.01


def test_active_families_avoid_impossible_cells() -> None:
    envelope = Envelope(JOINT.sum(axis=0))
    nu = find_prices(envelope, JOINT, 3.0, first_prices(JOINT), 0.5)
    families = active(envelope, JOINT, 3.0, nu, 0.02)
    assert families
    assert all((family.kernel[JOINT == 0] == 0).all() for family in families)
