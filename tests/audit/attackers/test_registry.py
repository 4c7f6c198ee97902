"""Who is in the panel: attackers of images only where there are images."""

import pytest

from withhold.audit.attackers.registry import choose_panel
from withhold.contracts.errors import InvalidParameterError


def names(*given: object) -> set[str]:
    return {member.name for member in choose_panel(*given)}


def test_attackers_of_images_join_for_images_only() -> None:
    assert names(None, True) - names(None) == {"cnn", "pixels"}
    assert names(["cnn"], True) == {"cnn"}
    with pytest.raises(InvalidParameterError, match="'cnn'"):
        choose_panel(["cnn"])
    with pytest.raises(InvalidParameterError, match="'\\+pixels'"):
        choose_panel(["+pixels"])
