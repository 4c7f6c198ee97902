"""Laws of a pass: the whole panel did its work on the whole release, and no column tells by itself.

Each release here passes as it is; with one thing wanting it must not, whoever or whatever that is.
"""

import numpy as np
import pyarrow as pa
import pytest

from withhold.audit.attackers.attacker import Attacker, ScoreAttacker
from withhold.audit.attackers.registry import all_attackers, all_score_attackers
from withhold.audit.run import audit_release
from withhold.contracts.audit_record import AuditRecord
from withhold.contracts.errors import MissingExtraError
from withhold.contracts.images import image_column

N, BUDGET = 600, 0.4
RNG = np.random.default_rng(0)
NOISE = pa.table({"a": RNG.normal(size=N), "b": RNG.integers(0, 5, N)})
PICTURES = pa.table({"image": image_column(RNG.integers(0, 255, (N, 4, 4)).astype(np.uint8))})
CLASSES, NUMBERS = RNG.integers(0, 2, N), RNG.normal(size=N)


def audit(table: pa.Table, s: np.ndarray, *panel: str, **options) -> AuditRecord:
    attackers = list(dict.fromkeys([*panel, "logistic", "pairs"]))  # who find all planted leaks
    return audit_release(
        table, sensitive_features=s, budget=BUDGET, effort="quick", attackers=attackers, alignment="given", **options
    )


def failing_once(monkeypatch: pytest.MonkeyPatch, member: type[Attacker | ScoreAttacker]) -> None:
    """Let a member fail in the second fold it is fitted on, and work everywhere else."""
    fit, calls = member.fit, []

    def fails(self, X, s, rng):
        calls.append(1)
        if len(calls) == 2:
            raise ValueError("no convergence")
        return fit(self, X, s, rng)

    monkeypatch.setattr(member, "fit", fails)


def words(rng: np.random.Generator) -> pa.Array:
    vocabulary = np.array(["pain", "fever", "mild", "acute", "knee", "left", "cough"])
    return pa.array([" ".join(rng.choice(vocabulary, rng.integers(4, 15))) for _ in range(N)])


def check(record: AuditRecord, name: str) -> None:
    """A record in which `name` failed says so everywhere."""
    assert record.verdict == "inconclusive"
    assert record.failed[name] == "no convergence"
    assert f"'{name}' failed in some fold" in record.statement
    assert name not in record.panel
    (found,) = [f for f in record.findings if f.code == "attacker_failed"]
    assert found.severity == "warning"
    assert name in found.text


@pytest.mark.parametrize("member", all_attackers().values(), ids=lambda m: m.name)
def test_nobody_of_the_panel_may_fail(member: type[Attacker], monkeypatch: pytest.MonkeyPatch) -> None:
    noted = NOISE.append_column("note", words(np.random.default_rng(1)))
    named = NOISE.append_column("id", pa.array(range(N))).append_column("of", pa.array(RNG.permutation(N)))
    table = {"images": PICTURES, "words": noted, "links": named, "relations": NOISE}.get(member.inputs, NOISE)
    try:
        passed = audit(table, CLASSES, member.name)
    except MissingExtraError:
        pytest.skip(f"{member.name} is an extra that is not installed")
    assert (passed.verdict, passed.failed) == ("pass", {})
    assert member.name in passed.panel
    failing_once(monkeypatch, member)
    check(audit(table, CLASSES, member.name), member.name)


@pytest.mark.parametrize("member", all_score_attackers().values(), ids=lambda m: m.name)
def test_nobody_who_guesses_numbers_may_fail(member: type[ScoreAttacker], monkeypatch: pytest.MonkeyPatch) -> None:
    assert audit(NOISE, NUMBERS).verdict == "pass"
    failing_once(monkeypatch, member)
    check(audit(NOISE, NUMBERS), member.name)


def test_nobody_may_fail_on_one_of_several_attributes(monkeypatch: pytest.MonkeyPatch) -> None:
    both = pa.table({"s": CLASSES, "t": RNG.permutation(CLASSES)}).to_pandas()
    assert audit(NOISE, both).verdict == "pass"
    failing_once(monkeypatch, all_attackers()["logistic"])
    record = audit(NOISE, both)
    check(record, "logistic")
    assert [one.verdict for one in record.sensitive.values()] == ["inconclusive", "pass", "inconclusive"]


@pytest.mark.parametrize("where", ["release", "also", "surfaces"])
def test_no_content_may_go_unread(where: str) -> None:
    rng = np.random.default_rng(1)
    column = pa.array([rng.bytes(60 + i % 7) for i in range(N)])
    noted = NOISE.append_column("note", column)
    given = {"release": (noted, {}), "also": (NOISE, {"also": {"may": noted}})}
    table, options = given.get(where, (NOISE, {"surfaces": {"decoded": noted}}))
    record = audit(table, CLASSES, **options)
    assert record.verdict == "inconclusive"
    assert "no attacker was given all that" in record.statement
    assert "note'" in record.statement
    assert "partly_read" in {finding.code for finding in record.findings}


def test_no_column_may_tell_by_itself() -> None:
    """Numbers of products that belong to one class each: a linear reader learns nothing, a lookup all."""
    rng = np.random.default_rng(2)
    owner = rng.permutation(40) % 2
    product = rng.integers(0, 40, N)
    number = rng.permutation(10**6)[:40]
    for told, verdict in ((owner[product], "inconclusive"), (rng.permutation(owner[product]), "pass")):
        record = audit(pa.table({"product": number[product], "a": NOISE["a"]}), told)
        assert record.verdict == verdict
        assert ("'product' alone tells more about" in record.statement) == (verdict == "inconclusive")
        assert ("column_" in str([f.code for f in record.findings])) == (verdict == "inconclusive")
