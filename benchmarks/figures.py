"""Draw the figures of the methods' pages in docs/methods from the committed results, into docs/img.

python benchmarks/figures.py
"""

import json
import re
import shutil
import statistics
from collections.abc import Callable, Iterable
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

ROOT = Path(__file__).parents[1]
RESULTS, IMAGES = ROOT / "benchmarks" / "results", ROOT / "docs" / "img"
INK, OURS, OTHERS = "#333333", "#1b6ca8", "#b5b5b5"
SIMPLE = 5  # filters drawn beside AIOI; benchmarks/aioi has all
# Figures that a benchmark has drawn itself.
DRAWN = {"discrete-channel": "aioi_figure_4", "iidm": "invariance_toy_figure_1"}


def results(name: str) -> dict:
    """Cases of one benchmark."""
    return json.loads((RESULTS / f"{name}.json").read_text())


def bars(axes: Axes, values: dict[str, float], ours: Iterable[str], chance: float, label: str) -> None:
    """Horizontal bars, those of the method in colour, with a line for guessing."""
    names = list(values)[::-1]
    drawn = axes.barh(names, [values[name] for name in names], color=[OURS if n in ours else OTHERS for n in names])
    axes.bar_label(drawn, fmt="%.0f", padding=3, color=INK)
    axes.axvline(chance, color=INK, linestyle=":", linewidth=1)
    axes.set(xlabel=label, xlim=(0, 112))
    axes.spines[["top", "right"]].set_visible(False)


def deepminmax(figure: Figure) -> None:
    """Adult: what attackers learn and what is kept."""
    names = {
        "raw": "raw data",
        "CorrelationRemover (fairlearn)": "CorrelationRemover",
        "LEACE, table": "LEACE",
        "DeepMinMax": "DeepMinMax",
    }
    groups: dict[str, list[dict]] = {}
    for key, case in results("deepminmax_adult").items():
        name, _, *effort = key.split(" / ")
        if name in names and not effort:
            groups.setdefault(names[name], []).append(case.get("table", case))
    left, right = figure.subplots(1, 2, sharey=True)
    for axes, field, label, chance in (
        (left, "balanced_accuracy", "sex guessed right, of 100 (guessing: 50)", 50),
        (right, "retention", "other columns kept, per cent", 0),
    ):
        found = {name: 100 * statistics.median(c[field] for c in groups[name]) for name in names.values()}
        bars(axes, found, ["DeepMinMax"], chance, label)


def leace(figure: Figure) -> None:
    """Adult as a table: a linear reader and the best one."""
    cases = {key.split(" / ")[1]: case for key, case in results("peers").items() if key.startswith("Adult / ")}
    left, right = figure.subplots(1, 2, sharey=True)
    names = ("raw", "LEACE", "DeepMinMax")
    linear = {name: 100 * cases[name]["attackers"]["logistic"][0] for name in names}
    bars(left, linear, ["LEACE"], 50, "linear attacker right, of 100")
    best = {name: 100 * cases[name]["balanced_accuracy"] for name in names}
    bars(right, best, ["LEACE"], 50, "best attacker right, of 100")


def aioi(figure: Figure) -> None:
    """Digits: what is left of the hidden attribute and of the kept one, beside simple filters."""
    found: dict[str, list[dict]] = {}
    for key, case in (results("aioi_baselines") | results("aioi_mnist")).items():
        name = key.split(", seed")[0].removesuffix(" / 0")
        found.setdefault(f"AIOI, budget {name}" if name[0].isdigit() else name, []).append(case)
    axes = figure.subplots()
    for name in ("original", "noise .5", "blur 3", "attribute rewritten at random", "pixelation, blocks of 7", *found):
        cases = found[name]
        if not (name.startswith("AIOI") or len(axes.texts) < SIMPLE):
            continue
        hidden = [100 * max(one["accuracy"] for one in case["thick"].values()) for case in cases]
        kept = [100 * case["fixed_digit"]["accuracy"] for case in cases]
        ours = name.startswith("AIOI")
        axes.scatter(statistics.median(hidden), statistics.median(kept), color=OURS if ours else OTHERS, zorder=2)
        below = name in ("AIOI, budget 0.2", "original")  # beside a neighbour whose name stands above
        place = (statistics.median(hidden) + 0.6, statistics.median(kept) + (-6 if below else 1.8))
        axes.annotate(name, place, color=OURS if ours else INK, fontsize=8)
    axes.set(xlabel="thickness guessed right by a network trained anew, of 100", xlim=(50, 105), ylim=(25, 107))
    axes.set_ylabel("digit read by a fixed network, of 100")


def mi_backprop(figure: Figure) -> None:
    """Coloured digits: accuracy where colours are drawn anew, by how closely they went with the class."""
    labels = {"ERM": "plain training", "RevGrad": "gradient reversal", "MINE": "MIBackprop", "oracle": "unbiased data"}
    curves: dict[str, dict[float, list[float]]] = {}
    for key, case in results("coloured").items():
        name, variance, _ = key.split(" / ")
        if name in labels:
            curves.setdefault(name, {}).setdefault(float(variance), []).append(100 * case["palette"])
    axes = figure.subplots()
    for name, label in labels.items():
        points = sorted((variance, statistics.mean(values)) for variance, values in curves[name].items())
        style = {"color": OURS, "linewidth": 2.5} if name == "MINE" else {"color": INK, "linestyle": "--", "alpha": 0.6}
        axes.plot(*zip(*points, strict=True), marker="o", **style)
        above = name in ("oracle", "ERM")
        axes.annotate(
            label,
            points[-1],
            xytext=(7, 1 if above else {"MINE": -4}.get(name, -9)),
            textcoords="offset points",
            fontsize=8,
        )
    axes.set(xlabel="variance of the colour within a class (small: colour gives the class away)", ylim=(40, 105))
    axes.set_ylabel("right where colours are drawn anew, of 100")
    axes.margins(x=0.18)


def cadp(figure: Figure) -> None:
    """Digits: what a classifier learns from releases, from no record at all, and from originals."""
    found: dict[tuple[str, float], list[float]] = {}
    flat: dict[str, list[float]] = {}
    for key, case in results("cadp_mnist").items():
        at = re.fullmatch(r"(privunit 16|paper), epsilon ([\d.]+), 10000 records, seed \d", key)
        if at:
            found.setdefault((at[1], float(at[2])), []).append(100 * case["accuracy"])
        elif re.match(r"(no record|original), 10000", key):
            flat.setdefault(key.split(",")[0], []).append(100 * case["accuracy"])
    axes = figure.subplots()
    for name, label, colour in (("privunit 16", "CADP", OURS), ("paper", "as in the paper (true epsilon twice)", INK)):
        points = sorted((epsilon, statistics.mean(values)) for (who, epsilon), values in found.items() if who == name)
        axes.plot(*zip(*points, strict=True), marker="o", color=colour, label=label)
    for name, label in (("original", "trained on originals"), ("no record", "trained on no record at all")):
        axes.axhline(statistics.mean(flat[name]), color=OTHERS, linestyle="--", zorder=0)
        axes.annotate(label, (0.2, statistics.mean(flat[name])), xytext=(0, 4), textcoords="offset points", fontsize=8)
    axes.set(xscale="log", xlabel="epsilon (smaller is stronger)", ylabel="digits read by a classifier, of 100")
    axes.set_xticks([0.2, 1, 4, 10], ["0.2", "1", "4", "10"])
    axes.set_ylim(80, 100)
    axes.legend(frameon=False, loc="lower left")


FIGURES: dict[str, Callable[[Figure], None]] = {
    "deepminmax": deepminmax,
    "leace": leace,
    "aioi": aioi,
    "mi-backprop": mi_backprop,
    "cadp": cadp,
}


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    for name, file in DRAWN.items():
        shutil.copyfile(RESULTS / f"{file}.svg", IMAGES / f"{name}.svg")
    # The same results give the same file: no date, no random names inside.
    with mpl.rc_context({"svg.hashsalt": "withhold", "font.size": 9, "svg.fonttype": "none"}):
        for name, draw in FIGURES.items():
            figure = Figure(figsize=(7.2, 3.2), layout="constrained")
            draw(figure)
            figure.savefig(IMAGES / f"{name}.svg", metadata={"Date": None})
            print(IMAGES / f"{name}.svg")


if __name__ == "__main__":
    main()
