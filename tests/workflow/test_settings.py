"""Tests of `--set KEY=VALUE`."""

from collections.abc import Sequence
from typing import Literal

import pytest

from withhold.contracts.errors import InvalidParameterError
from withhold.workflow.choice import parse


class Method:
    def __init__(
        self,
        *,
        rate: float = 0.1,
        epochs: int = 3,
        shape: Sequence[int] = (8, 8),
        mode: Literal["mode", "sample"] = "mode",
        limit: float | None = None,
        strict: bool = True,
        columns: Sequence[str] = (),
        device: str = "auto",
        noise_key: bytes | None = None,
    ) -> None: ...


@pytest.mark.parametrize(
    ("pair", "value"),
    [
        ("rate=0.5", 0.5),
        ("rate=1e-3", 1e-3),
        ("epochs=7", 7),
        ("limit=none", None),
        ("limit=2", 2.0),
        ("strict=false", False),
        ("mode=sample", "sample"),
    ],
)
def test_values_are_typed(pair: str, value: object) -> None:
    found = parse([pair], Method)
    assert found == {pair.split("=")[0]: value}
    assert type(next(iter(found.values()))) is type(value)


def test_sequences() -> None:
    assert list(parse(["shape=64,32"], Method)["shape"]) == [64, 32]
    assert list(parse(["shape=[64, 32]"], Method)["shape"]) == [64, 32]
    assert list(parse(["columns=a"], Method)["columns"]) == ["a"]


@pytest.mark.parametrize("pair", ["epochs=many", "epochs=1.5", "mode=loud", "rate", "strict=maybe"])
def test_wrong_values_are_refused(pair: str) -> None:
    with pytest.raises(InvalidParameterError):
        parse([pair], Method)


def test_unknown_key_lists_the_valid_ones() -> None:
    with pytest.raises(InvalidParameterError, match=r"Method has no setting 'epoch'. Did you mean 'epochs'"):
        parse(["epoch=3"], Method)


def test_secrets_and_own_options_are_not_settings() -> None:
    with pytest.raises(InvalidParameterError, match="--noise-key"):
        parse(["noise_key=abc"], Method)
    with pytest.raises(InvalidParameterError, match="--device"):
        parse(["device=cpu"], Method)
