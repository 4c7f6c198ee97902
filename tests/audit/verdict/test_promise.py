import math
from fractions import Fraction

from withhold.audit.beside import Promise
from withhold.audit.verdict.promise import Promised, promised
from withhold.contracts.audit_record import SensitiveResult
from withhold.contracts.differential_privacy import DifferentialPrivacy
from withhold.contracts.guarantee import Guarantee
from withhold.contracts.quantity import Quantity
from withhold.contracts.rounding import rounded_up


def secret(entropy):
    nothing = Quantity(value=0.0, unit="nat", kind="lower_bound")
    return SensitiveResult.model_construct(
        entropy=entropy, leakage=nothing, leakage_total=nothing, conditional_entropy_ratio=1.0, verdict=None
    )


def promise(epsilon, notion="pure", **how):
    delta = 0.0 if notion == "pure" else 1e-6
    terms = DifferentialPrivacy(
        notion=notion, epsilon=float(epsilon), delta=delta, unit="record", covers=("it",), float_safe=True
    )
    return Promise(Guarantee(claim=terms.sentence(), against="anyone", privacy=terms), **how)


def test_a_pure_promise_bounds_what_anyone_learns():
    said = promised(promise(Fraction(1, 5)), {})
    assert said.claim == "any_attacker"
    assert said.statement.startswith("Whatever the record was")
    (finding,) = said.findings
    assert f"more than {rounded_up(0.2 * math.tanh(0.1), 3)} nat" in finding.text
    assert finding.severity == "info"
    # The bound is that of two outputs one of which is exp(eps) times as likely under either record.
    p = math.exp(0.2) / (1 + math.exp(0.2))
    assert math.isclose(p * 0.2 - (1 - p) * 0.2, 0.2 * math.tanh(0.1))


def test_rows_and_releases_of_one_person_are_bounded_together():
    once = promised(promise(1.0), {})
    assert [finding.code for finding in once.findings] == ["bounded_for_any_attacker"]
    again = promised(promise(3.0, row_epsilon=1.0), {})
    found = {finding.code: finding for finding in again.findings}
    assert (found["released_again"].severity, "epsilon 3" in found["released_again"].text) == ("critical", True)
    assert f"more than {rounded_up(3 * math.tanh(1.5), 3)} nat" in found["bounded_for_any_attacker"].text
    assert f"{math.tanh(0.5):.3g} nat" not in found["bounded_for_any_attacker"].text
    assert "20.1 times" in again.statement  # exp(3)
    by_content = promised(promise(3.0, row_epsilon=1.0, named=False), {}).findings
    assert all("--key" in finding.text for finding in by_content)


def test_a_bound_beyond_what_there_is_to_learn_protects_nothing():
    known = {"sex": secret(math.log(2))}
    (held,) = promised(promise(0.5), known).findings
    assert (held.severity, "not protected" in held.text) == ("info", False)
    (gone,) = promised(promise(400.0), known).findings
    assert gone.severity == "warning"
    assert "0.694 nat about 'sex'" in gone.text  # H(S), rounded up
    assert "not protected" in gone.text
    (unknown,) = promised(promise(400.0), {}).findings
    assert "an attribute with two values: it is not protected" in unknown.text
    number = known["sex"].model_copy(update={"conditional_entropy_ratio": None})
    (of_bins,) = promised(promise(400.0), {"age": number}).findings
    assert "nat about 'age'" not in of_bins.text


def test_no_promise_and_an_approximate_one_claim_less():
    nothing = Guarantee(claim="None.", against="nobody")
    assert promised(Promise(nothing), {}) == promised(None, {}) == Promised()
    said = promised(promise(1, "approximate"), {})
    assert said.claim == "any_attacker"
    assert said.findings == ()
