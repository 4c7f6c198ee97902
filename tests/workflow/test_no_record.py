"""The control and the latents are tested with whole runs in `test_private_release`."""

import math
from fractions import Fraction

from withhold.contracts.audit_record import AuditRecord
from withhold.contracts.differential_privacy import DifferentialPrivacy
from withhold.contracts.guarantee import Guarantee
from withhold.workflow.no_record import with_promise


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
    assert f"more than {0.2 * math.tanh(0.1):.3g} nat" in finding.text
    # The bound is that of two outputs one of which is exp(eps) times as likely under either record.
    p = math.exp(0.2) / (1 + math.exp(0.2))
    assert math.isclose(p * 0.2 - (1 - p) * 0.2, 0.2 * math.tanh(0.1))


def test_no_promise_and_an_approximate_one_claim_less():
    nothing = Guarantee(claim="None.", against="nobody")
    assert with_promise(record(), nothing) == record()
    said = with_promise(record(), promise(1, "approximate"))
    assert said.claim == "any_attacker"
    assert said.findings == []
