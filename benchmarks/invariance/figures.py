"""Figures 1 and 4 of iwasawa2020iidm from the toy's traced runs, as SVG without any library."""

import math

from ledger import Ledger

COLOURS = {3: "#1b6ca8", 5: "#2e8b57", 8: "#c46a00", 16: "#8b1e3f"}
WIDTH, HEIGHT, LEFT, TOP, GAP = 300, 210, 52, 34, 62


def draw_toy() -> None:
    """Write both figures beside the results."""
    ledger, traced = Ledger("invariance_toy"), {}
    for name, values in ledger.cases.items():
        method, k, kappa, _, kind = name.split(" / ")
        if kind == "traced":
            traced[method, int(k.split("=")[1]), int(kappa.split("=")[1])] = values
    folder = ledger.path.parent
    (folder / "invariance_toy_figure_1.svg").write_text(_figure_1(traced))
    (folder / "invariance_toy_figure_4.svg").write_text(_figure_4(traced))
    print(f"two figures in {folder}")


def _figure_1(traced: dict) -> str:
    """K = 3, kappa = 1: what the game's discriminator reads, and what fresh attackers find, beside the maximum."""
    panels = []
    for i, method in enumerate(("AII", "NS", "IIDM")):
        run, most = traced.get((method, 3, 1)), math.log(3)
        if run is None:
            continue
        game, top = run["game"], 2.5 * most
        lines = [
            ([(0, most), (200, most)], "#2e8b57", "", 1.2),
            ([(j, min(value, top)) for j, value in enumerate(game)], "#1b6ca8", "4 3", 1.0),
            ([(step, most * value) for step, value in run["trace"]], "#b22222", "", 1.8),
        ]
        panels.append(_panel(i, f"{method}, K = 3, kappa = 1", lines, (0, 200), (0, top), "H(S|Z), nat"))
    notes = "red: fresh attackers; blue, broken: the game's discriminator (cut off at 2.5 log K); green: log K"
    return _page(panels, 3, notes)


def _figure_4(traced: dict) -> str:
    """H(S|Z)/log K by fresh attackers over the iterations, for all K, kappa 1 (broken) and 8."""
    panels = []
    for i, method in enumerate(("AII", "NS", "IIDM")):
        lines = [([(0, 1), (200, 1)], "#888888", "2 2", 0.8)]
        for (which, k, kappa), run in sorted(traced.items()):
            if which == method:
                lines.append(([tuple(p) for p in run["trace"]], COLOURS[k], "" if kappa == 8 else "5 3", 1.5))
        panels.append(_panel(i, method, lines, (0, 200), (0, 1.05), "H(S|Z) / log K"))
    colours = ", ".join(f"{colour} K = {k}" for k, colour in COLOURS.items())
    legend = "".join(
        f'<text x="{LEFT + 90 * i}" y="{TOP + HEIGHT + 52}" fill="{colour}">K = {k}</text>'
        for i, (k, colour) in enumerate(COLOURS.items())
    )
    return _page([*panels, legend], 3, "whole lines: kappa = 8; broken: kappa = 1. One seed.", title=colours)


def _panel(place: int, title: str, lines: list, across: tuple, up: tuple, label: str) -> str:
    x0 = LEFT + place * (WIDTH + GAP)
    put = lambda x, y: (  # noqa: E731
        x0 + WIDTH * (x - across[0]) / (across[1] - across[0]),
        TOP + HEIGHT * (1 - (y - up[0]) / (up[1] - up[0])),
    )
    parts = [f'<text x="{x0}" y="{TOP - 12}" font-weight="bold">{title}</text>']
    for j in range(5):
        value = up[0] + j * (up[1] - up[0]) / 4
        _, y = put(0, value)
        parts.append(f'<line x1="{x0}" y1="{y:.1f}" x2="{x0 + WIDTH}" y2="{y:.1f}" stroke="#dddddd"/>')
        parts.append(f'<text x="{x0 - 6}" y="{y + 4:.1f}" text-anchor="end">{value:.2f}</text>')
    for step in (0, 50, 100, 150, 200):
        x, y = put(step, up[0])
        parts.append(f'<text x="{x:.1f}" y="{y + 16:.1f}" text-anchor="middle">{step}</text>')
    parts.append(
        f'<text transform="translate({x0 - 40},{TOP + HEIGHT / 2}) rotate(-90)" text-anchor="middle">{label}</text>'
    )
    for points, colour, dash, width in lines:
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (put(*point) for point in points))
        style = f'stroke-dasharray="{dash}"' if dash else ""
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}" {style}/>')
    return "\n".join(parts)


def _page(panels: list[str], count: int, notes: str, title: str = "") -> str:
    wide, high = LEFT + count * (WIDTH + GAP), TOP + HEIGHT + 80
    size = f'width="{wide}" height="{high}" font-family="sans-serif" font-size="11"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
        f"<title>{title or notes}</title>"
        f'<rect width="{wide}" height="{high}" fill="white"/>\n'
        + "\n".join(panels)
        + f'\n<text x="{LEFT}" y="{high - 8}">iterations of the encoder; {notes}</text></svg>\n'
    )
