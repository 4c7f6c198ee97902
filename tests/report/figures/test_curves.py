import re

from withhold.report.figures.curves import curve


def test_curve_says_where_it_began_and_ended() -> None:
    drawn = curve("game_estimate", [0.2, 0.1, 0.02])
    assert ">start 0.200<" in drawn
    assert ">end 0.020<" in drawn
    assert "game estimate went from 0.200 to 0.020 over 3 points" in drawn


def test_audited_value_is_drawn_and_described() -> None:
    assert "the audit measured 0.064" in curve("game_estimate", [0.2, 0.018], 0.064)


def test_flat_short_and_negative_curves() -> None:
    for values in ([0.0], [0.3] * 4, [-1.0, -2.0], [0.1] * 20_000):
        assert "<svg" in curve("loss", values)


def test_long_curves_stay_small() -> None:
    assert len(curve("loss", [1 / (1 + i) for i in range(20_000)])) < 12_000


def test_the_theoretical_maximum_is_drawn_and_described() -> None:
    low, high = (curve("discriminator", [0.6, last], maximum=0.69) for last in (0.66, 0.9))
    assert "the theoretical maximum is 0.690" in low
    assert 'class="l-limit"' in low
    assert 'class="l-limit"' not in curve("discriminator", [0.6, 0.66])
    # A loss beyond the maximum is drawn above the line.
    assert _heights(low)[0] < _heights(low)[1]
    assert _heights(high)[0] > _heights(high)[1]


def _heights(drawn: str) -> tuple[float, float]:
    """Return where on the page the line of the maximum and the end of the curve are; up is small."""
    line = re.search(r'class="l-limit" x1="0" x2="\d+" y1="([\d.]+)"', drawn)
    end = re.search(r'class="c-game" points="[^"]*,([\d.]+)"', drawn)
    return float(line[1]), float(end[1])
