import numpy as np
import pytest
import torch
from torch.nn import functional

from withhold.methods.iidm.centroids import Centroids
from withhold.methods.iidm.iidm_plus import IIDMPlus, semantic_matching


def test_compares_within_the_label_alone():
    draw = torch.Generator().manual_seed(0)
    a, y = torch.arange(24) % 3, torch.arange(24) % 4 // 2
    log_q = functional.log_softmax(torch.randn(24, 3, generator=draw), -1)
    centroids = Centroids(3, 2)
    centroids.start(torch.softmax(torch.randn(24, 3, generator=draw), -1), a, y)
    total = 0.0
    for n in range(24):
        for i in range(3):
            if i != a[n]:
                Q = centroids.values[y[n], i]
                total += float((Q * (Q.log() - log_q[n])).sum())
    assert float(semantic_matching(log_q, a, y, centroids, total=True)) == pytest.approx(total / 24, rel=1e-5)


def test_empty_cells_pull_nothing():
    """Label 1 has attribute 0 alone: no centroid but its own, so no loss and no gradient."""
    a, y = torch.tensor([0, 1, 0, 0]), torch.tensor([0, 0, 1, 1])
    logits = torch.randn(4, 2, generator=torch.Generator().manual_seed(0)).requires_grad_(True)
    centroids = Centroids(2, 2)
    centroids.start(torch.softmax(logits.detach(), -1), a, y)
    loss = semantic_matching(functional.log_softmax(logits, -1), a, y, centroids)
    loss.backward()
    assert logits.grad[2:].abs().max() == 0
    assert logits.grad[:2].abs().max() > 0  # positive control
    nothing = semantic_matching(functional.log_softmax(logits, -1), a, torch.full((4,), -1), centroids)
    assert nothing.item() == 0.0


def test_a_label_with_one_attribute_is_pointed_out():
    rng = np.random.default_rng(0)
    s = rng.integers(2, size=200)
    y = np.where(s == 0, rng.integers(2, size=200), rng.integers(1, 3, size=200))  # label 0 has attribute 0 alone
    X = np.c_[s, y] + 0.1 * rng.normal(size=(200, 2))
    sizes = {"rounds": 8, "hidden": 8, "dimensions": 3, "random_state": 0, "noise_seed": 0}
    method = IIDMPlus(**sizes).fit(X, y, sensitive_features=s)
    found = [finding.text for finding in method.findings_ if finding.code == "cells_empty"]
    assert len(found) == 1
    assert found[0].startswith("2 of 3 labels")
    assert np.isfinite(method.transform(X)).all()
    y = rng.integers(3, size=200)
    clean = IIDMPlus(**sizes).fit(X, y, sensitive_features=s)
    assert "cells_empty" not in {finding.code for finding in clean.findings_}
