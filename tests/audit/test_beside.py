import numpy as np
import pytest

from withhold.audit.beside import NOTHING_KNOWN, Context, Order, Recipient, Single, grouped
from withhold.audit.run import audit_release
from withhold.contracts.errors import InvalidTypeError
from withhold.contracts.finding import Finding


def test_a_keyword_of_its_own_is_the_field_of_a_group() -> None:
    given = Recipient(own=["s"], set_aside="kept"), Order(alignment="rows"), Context(title="ours")
    recipient, order, context = grouped(*given, {"also": {"x": 1}, "alignment": "key", "splits_source": "file"})
    assert recipient == Recipient(own=["s"], set_aside="kept", also={"x": 1})
    assert order == Order(alignment="key")
    assert context == Context(title="ours", splits_source="file")


def test_every_such_keyword_is_a_field() -> None:
    for name in Single.__annotations__:
        changed = grouped(Recipient(), Order(), Context(), {name: "it"})  # type: ignore[misc]
        assert [group for group in changed if getattr(group, name, None) == "it"]


def test_any_other_is_refused_as_python_would() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'effrot'"):
        audit_release(np.zeros((9, 1)), sensitive_features=[0, 1, 2] * 3, effrot="quick")


def test_weights_are_refused_with_the_reason_and_what_to_do() -> None:
    with pytest.raises(InvalidTypeError, match=r"how many people it stands for\. Draw the rows again in proportion"):
        audit_release(np.zeros((9, 1)), sensitive_features=[0, 1, 2] * 3, sample_weight=np.ones(9))


def test_what_the_caller_knows_stands_in_the_record() -> None:
    rng = np.random.default_rng(0)
    noted = Finding(code="noted", severity="critical", text="It was seen.")
    record = audit_release(
        rng.normal(size=(60, 1)), sensitive_features=rng.integers(0, 2, 60), effort="quick", attackers=["logistic"],
        context=Context(title="ours", release="sha256:0", findings=[noted], threats=["They know."]),
    )  # fmt: skip
    assert (record.title, record.release, record.findings[0]) == ("ours", "sha256:0", noted)
    assert record.threat_model[-1] == "They know."
    assert list(NOTHING_KNOWN.known()) == []
