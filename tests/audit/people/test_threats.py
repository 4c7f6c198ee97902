"""Linkage and membership of one release: found where they are, not where they are not."""

import numpy as np

from withhold.audit.attackers.registry import all_score_attackers, choose_panel
from withhold.audit.effort import find_effort
from withhold.audit.leakage.attack import Panel
from withhold.audit.people.threats import Threats, linkage_findings, measure_threats
from withhold.audit.request import make_design, read_request

PANEL = Panel(choose_panel(["logistic"]), list(all_score_attackers().values()))


def threats(release: np.ndarray, original: np.ndarray | None, fit_rows: np.ndarray | None) -> Threats:
    s = np.arange(len(release)) % 2
    request = read_request(release, s, None, None, original, fit_rows, None)
    design = make_design(request, find_effort("quick"), 0)
    return measure_threats(request, PANEL, design, 0.95, lambda text: None)


def test_a_copy_is_linked_and_noise_is_not() -> None:
    x = np.random.default_rng(0).normal(size=(300, 4))
    linked = threats(x, x, None)
    assert linked.linkage is not None
    assert linked.linkage["data"].found.value > 0.9
    assert [note.code for note in linked.findings()] == ["records_linked"]
    lost = threats(np.random.default_rng(1).normal(size=(300, 4)), x, None)
    assert not [*lost.findings()]
    assert threats(x, None, None).linkage is None
    # One number stands everywhere: that of the place where most were found.
    both = {name: made.linkage["data"] for name, made in (("data", lost), ("latent", linked)) if made.linkage}
    assert [note.text for note in linkage_findings(both)] == [note.text for note in linked.findings()]


def test_rows_learned_by_heart_are_told() -> None:
    x = np.random.default_rng(0).normal(size=(400, 3))
    fit = np.arange(400) % 2 == 0
    moved = x + np.random.default_rng(1).normal(size=x.shape) * np.where(fit, 0.01, 1.0)[:, None]
    told = threats(moved, x, fit)
    assert told.membership is not None
    assert "membership_told" in [note.code for note in told.findings()]
    same = threats(x + np.random.default_rng(1).normal(size=x.shape), x, fit)
    assert "membership_told" not in [note.code for note in same.findings()]
