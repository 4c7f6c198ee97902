import pytest

from withhold.contracts.wording import printable


@pytest.mark.parametrize(
    "text", ["\x1b[31m", "\x9b2J", "\x07", "\r", "\x7f", "\u202egnp", "\u2066", "\udcff", "\x00", "\u2028"]
)
@pytest.mark.parametrize("lines", [True, False])
def test_what_a_terminal_acts_on_is_spelled_out(text, lines):
    shown = printable(f"a{text}b", lines)
    assert shown.isascii()
    assert shown.isprintable()
    assert shown.startswith("a\\")


@pytest.mark.parametrize("text", ["age", "Köln", "東京", "naïve – “x”", "👩‍⚕️", ""])
def test_words_stay(text):
    assert printable(text) == text


def test_lines():
    assert printable("a\n\tb", lines=True) == "a\n\tb"
    assert printable("a\n\tb") == "a\\n\\tb"
