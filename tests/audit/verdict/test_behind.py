from withhold.audit.verdict.behind import behind_findings
from withhold.contracts.audit_record import SensitiveResult
from withhold.contracts.quantity import Quantity


def found(table: float, inside: float, verdict: str | None = "pass") -> list[str]:
    def quantity(value: float) -> Quantity:
        return Quantity(value=value, low=value - 0.01, high=value + 0.01, kind="lower_bound")

    result = SensitiveResult(
        kind="categorical", entropy=0.7, leakage=quantity(table), leakage_total=quantity(table),
        percent_of_entropy=1.0, verdict=verdict, hypothetical={"Z": quantity(inside)}, budget=0.05,
    )  # fmt: skip
    return [finding.code for finding in behind_findings({"s": result}, "Z")]


def test_a_table_cannot_tell_more_than_what_it_was_made_from() -> None:
    assert found(0.2, 0.1, "fail") == ["table_tells_more"]
    assert not found(0.02, 0.03)


def test_a_pass_of_a_table_says_what_its_representation_tells() -> None:
    assert found(0.02, 0.1) == ["representation_tells_more"]
