"""The control and the latents are tested with whole runs in `test_private_release`."""

import numpy as np
import pandas as pd
import torch

from withhold.methods.cadp import latent_flow
from withhold.methods.cadp.cadp import CADP
from withhold.methods.cadp.training import train_flow
from withhold.workflow.job import prepare
from withhold.workflow.release import features_of
from withhold.workflow.request import Request
from withhold.workflow.run_audit import flow_membership


def fitted_on(path, rounds, monkeypatch=None):
    """A job of 60 rows that a flow is trained on and 240 others, and the flow; `monkeypatch`: it never stops early."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    frame = pd.DataFrame(X, columns=list("abcde")).assign(part=["train"] * 60 + ["test"] * 240)
    frame.to_csv(path, index=False)
    job = prepare(Request(path, (), method="cadp", split="part"))
    if monkeypatch is not None:

        def to_the_end(flow, rows, labels, held, *rest, **named):
            return train_flow(flow, rows, labels, torch.zeros_like(held), *rest, **named)

        monkeypatch.setattr(latent_flow, "train_flow", to_the_end)
    known = job.table.take(job.parts.fit_rows)
    method = CADP(rounds=rounds, hidden=64, input_noise=0.02, random_state=0)
    return job, method.fit(features_of(known, job.roles))


def test_a_flow_that_learned_its_rows_by_heart_is_found(tmp_path, monkeypatch):
    found, (finding,) = flow_membership(*fitted_on(tmp_path / "a.csv", 600, monkeypatch))
    assert found.auc.low > 0.75
    assert found.control.low < 0.5 < found.control.high
    assert finding.code == "flow_remembers"
    assert "60 rows that it was trained on" in finding.text


def test_one_that_stopped_in_time_is_not(tmp_path):
    found, (finding,) = flow_membership(*fitted_on(tmp_path / "a.csv", 20))
    assert found.auc.low < 0.5
    assert finding.code == "flow_membership"
    assert finding.severity == "info"
