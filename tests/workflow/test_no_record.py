"""The control and the latents are tested with whole runs in `test_private_release`."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import torch

from withhold.contracts.audit_record import AuditRecord, SensitiveResult
from withhold.contracts.differential_privacy import DifferentialPrivacy, rounded_up
from withhold.contracts.guarantee import Guarantee
from withhold.contracts.quantity import Quantity
from withhold.methods.cadp import latent_flow
from withhold.methods.cadp.cadp import CADP
from withhold.methods.cadp.training import train_flow
from withhold.workflow.job import prepare
from withhold.workflow.release import features_of
from withhold.workflow.request import Request
from withhold.workflow.run_audit import with_flow_membership, with_promise


def record():
    return AuditRecord(
        verdict=None,
        statement="nothing",
        budget=None,
        n=9,
        level=0.95,
        panel=[],
        effort="quick",
        splits={"audit": 9, "folds": 2},
        sensitive={},
    )


def secret(entropy):
    nothing = Quantity(value=0.0, unit="nat", kind="lower_bound")
    return SensitiveResult.model_construct(
        entropy=entropy, leakage=nothing, leakage_total=nothing, conditional_entropy_ratio=1.0, verdict=None
    )


def promise(epsilon, notion="pure"):
    delta = 0.0 if notion == "pure" else 1e-6
    terms = DifferentialPrivacy(
        notion=notion, epsilon=float(epsilon), delta=delta, unit="record", covers=("it",), float_safe=True
    )
    return Guarantee(claim=terms.sentence(), against="anyone", privacy=terms)


def test_a_pure_promise_bounds_what_anyone_learns():
    said = with_promise(record(), promise(Fraction(1, 5)))
    assert said.claim == "any_attacker"
    assert said.statement.startswith("Whatever the record was")
    (finding,) = said.findings
    assert f"more than {rounded_up(0.2 * math.tanh(0.1), 3)} nat" in finding.text
    assert finding.severity == "info"
    # The bound is that of two outputs one of which is exp(eps) times as likely under either record.
    p = math.exp(0.2) / (1 + math.exp(0.2))
    assert math.isclose(p * 0.2 - (1 - p) * 0.2, 0.2 * math.tanh(0.1))


def test_rows_and_releases_of_one_person_are_bounded_together():
    once = with_promise(record(), promise(1.0))
    assert [finding.code for finding in once.findings] == ["bounded_for_any_attacker"]
    again = with_promise(record(), promise(3.0), 1.0)
    found = {finding.code: finding for finding in again.findings}
    assert (found["released_again"].severity, "epsilon 3" in found["released_again"].text) == ("critical", True)
    assert f"more than {rounded_up(3 * math.tanh(1.5), 3)} nat" in found["bounded_for_any_attacker"].text
    assert f"{math.tanh(0.5):.3g} nat" not in found["bounded_for_any_attacker"].text
    assert "20.1 times" in again.statement  # exp(3)
    by_content = with_promise(record(), promise(3.0), 1.0, named=False).findings
    assert all("--key" in finding.text for finding in by_content)


def test_a_bound_beyond_what_there_is_to_learn_protects_nothing():
    known = record().model_copy(update={"sensitive": {"sex": secret(math.log(2))}})
    (held,) = with_promise(known, promise(0.5)).findings
    assert (held.severity, "not protected" in held.text) == ("info", False)
    (gone,) = with_promise(known, promise(400.0)).findings
    assert gone.severity == "warning"
    assert "0.694 nat about 'sex'" in gone.text  # H(S), rounded up
    assert "not protected" in gone.text
    (unknown,) = with_promise(record(), promise(400.0)).findings
    assert "an attribute with two values: it is not protected" in unknown.text
    number = known.sensitive["sex"].model_copy(update={"conditional_entropy_ratio": None})
    (of_bins,) = with_promise(known.model_copy(update={"sensitive": {"age": number}}), promise(400.0)).findings
    assert "nat about 'age'" not in of_bins.text


def test_no_promise_and_an_approximate_one_claim_less():
    nothing = Guarantee(claim="None.", against="nobody")
    assert with_promise(record(), nothing) == record()
    said = with_promise(record(), promise(1, "approximate"))
    assert said.claim == "any_attacker"
    assert said.findings == []


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
    said = with_flow_membership(record(), *fitted_on(tmp_path / "a.csv", 600, monkeypatch))
    assert said.flow_membership.auc.low > 0.75
    assert said.flow_membership.control.low < 0.5 < said.flow_membership.control.high
    (finding,) = said.findings
    assert finding.code == "flow_remembers"
    assert "60 rows that it was trained on" in finding.text


def test_one_that_stopped_in_time_is_not(tmp_path):
    said = with_flow_membership(record(), *fitted_on(tmp_path / "a.csv", 20))
    assert said.flow_membership.auc.low < 0.5
    assert said.findings[0].code == "flow_membership"
    assert said.findings[0].severity == "info"
