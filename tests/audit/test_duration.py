"""The time that is foretold: it grows with what is asked, and stands near what was measured."""

from dataclasses import replace

import numpy as np
import pytest

from withhold.audit.duration import Sizes, announcement, estimate_seconds, sizes_of
from withhold.audit.effort import EFFORTS
from withhold.audit.leakage.material import make_material
from withhold.audit.request import read_request
from withhold.contracts.timetable import in_words

QUICK = EFFORTS["quick"]


def test_more_of_anything_takes_longer():
    plain = Sizes(20_000, 16, 16, attacks=1)
    asked = ({"rows": 40_000}, {"columns": 32}, {"codes": 32}, {"attacks": 2}, {"sensitive": 2}, {"utility": 1})
    for more in (*asked, {"original": 16}):
        assert estimate_seconds(replace(plain, **more), QUICK) > estimate_seconds(plain, QUICK)
    in_order = [estimate_seconds(plain, EFFORTS[name]) for name in ("quick", "standard", "thorough")]
    assert in_order == sorted(in_order)
    assert in_order[2] > 3 * in_order[0]


@pytest.mark.parametrize("rows", [4, 100, 1_000_000])
def test_any_size_has_a_time(rows):
    for effort in EFFORTS.values():
        assert 1 < estimate_seconds(Sizes(rows, 0, 0, attacks=1), effort) < 1e6


def test_sizes_count_what_is_attacked():
    rng = np.random.default_rng(0)
    s, u, x = rng.integers(0, 2, 60), rng.integers(0, 2, 60), rng.normal(size=(60, 3))
    request = read_request(x, s, u, None, x, None, None)
    sizes = sizes_of(request, make_material(request, True))
    assert (sizes.attacks, sizes.sensitive, sizes.utility, sizes.original) == (2, 1, 1, 3)
    kept_back = sizes_of(request, make_material(request, False))
    assert kept_back.attacks == 1


def test_words_never_promise_less_than_was_estimated_by_much():
    for seconds in np.geomspace(1, 2e4, 60):
        number, unit = in_words(seconds).split()
        said = float(number) * {"second": 1, "minute": 60, "hour": 3600}[unit.removesuffix("s")]
        assert 0.7 < said / max(seconds, 5) < 1.6


def test_announcement_is_said_in_plain_words():
    said = announcement([("attacking", 200.0), ("planting", 50.0)], "1.2 GB")
    assert said == "Estimated time: 4 minutes of one processor core, about 1.2 GB of memory."


def test_images_cost_more_than_their_columns() -> None:
    plain, pictures = Sizes(10_000, 196, 196, attacks=1), Sizes(10_000, 196, 196, attacks=1, pixels=784)
    for effort in EFFORTS.values():
        assert estimate_seconds(pictures, effort) > 1.2 * estimate_seconds(plain, effort)
    assert estimate_seconds(pictures, EFFORTS["quick"]) < 120


# Processor seconds of quick audits of the release alone, with the columns it was read as, measured on one core.
@pytest.mark.parametrize(
    ("rows", "columns", "codes", "seconds"),
    [(300, 40_350, 11_809, 71.5), (2000, 4295, 1309, 26.2), (50_000, 237, 132, 55), (60_000, 1186, 517, 242.5)],
)
def test_wide_and_long_tables(rows, columns, codes, seconds):
    foretold = estimate_seconds(Sizes(rows, columns, codes, attacks=1), QUICK)
    assert seconds / 1.5 < foretold < 1.5 * seconds


# Processor seconds of quick audits by `pixels` alone on smooth colour images, measured on one core.
@pytest.mark.parametrize(
    ("rows", "side", "classes", "seconds"),
    [
        (3000, 32, 2, 2.7),
        (3000, 64, 2, 9.4),
        (2000, 96, 2, 12.2),
        (2000, 32, 12, 4.6),
        (2000, 64, 6, 7.1),
        (4000, 64, 6, 14.7),
    ],
)
def test_regressions_on_colour_images(rows, side, classes, seconds):
    sizes = Sizes(rows, 257, 257, attacks=1, pixels=3 * side**2, classes=classes, panel=("pixels",))
    assert 0.8 < estimate_seconds(sizes, QUICK) / seconds < 2.2
    assert estimate_seconds(replace(sizes, panel=None), QUICK) > 1.5 * estimate_seconds(sizes, QUICK)


def test_who_is_not_in_the_panel_takes_no_time():
    request = read_request(np.random.default_rng(0).normal(size=(60, 3)), [0, 1, 2] * 20, None, None, None, None, None)
    material = make_material(request, True)
    sizes = sizes_of(request, material, ["logistic"])
    assert (sizes.panel, sizes.classes) == (("logistic",), 3)
    whole = estimate_seconds(replace(sizes, rows=50_000, panel=None), QUICK)
    assert estimate_seconds(replace(sizes, rows=50_000), QUICK) < 0.5 * whole
