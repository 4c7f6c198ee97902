"""Who is in the panel: attackers of images, or of words, only where there are some."""

import pytest

from withhold.audit.attackers.registry import choose_panel
from withhold.contracts.errors import InvalidParameterError


def names(*given: object) -> set[str]:
    return {member.name for member in choose_panel(*given)}


def test_attackers_of_images_join_for_images_only() -> None:
    assert names(None, ["images"]) - names(None) == {"cnn", "pixels"}
    assert names(["cnn"], ["images"]) == {"cnn"}
    with pytest.raises(InvalidParameterError, match="'cnn'"):
        choose_panel(["cnn"])
    with pytest.raises(InvalidParameterError, match="'\\+pixels'"):
        choose_panel(["+pixels"])


def test_the_attacker_of_words_joins_where_there_are_words() -> None:
    assert names(None, ["words"]) - names(None) == {"words"}
    with pytest.raises(InvalidParameterError, match="only reads words, and the release has none"):
        choose_panel(["words"])
