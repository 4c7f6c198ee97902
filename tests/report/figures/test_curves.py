from withhold.report.figures.curves import curve


def test_curve_says_where_it_began_and_ended() -> None:
    drawn = curve("game_estimate", [0.2, 0.1, 0.02], "c0")
    assert ">start 0.200<" in drawn
    assert ">0.020<" in drawn
    assert "game estimate went from 0.200 to 0.020 over 3 points" in drawn


def test_audited_value_is_drawn_and_described() -> None:
    assert "the audit measured 0.064" in curve("game_estimate", [0.2, 0.018], "c0", 0.064)


def test_flat_short_and_negative_curves() -> None:
    for values in ([0.0], [0.3] * 4, [-1.0, -2.0], [0.1] * 20_000):
        assert "<svg" in curve("loss", values, "c0")


def test_long_curves_stay_small() -> None:
    assert len(curve("loss", [1 / (1 + i) for i in range(20_000)], "c0")) < 60_000
