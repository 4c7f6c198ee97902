"""Tables of docs/results.md that no benchmark prints itself; `documents.py` writes them."""

import json
import re
import statistics
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import tables
from scipy.stats import t as student

RESULTS = Path(__file__).parent / "results"

# Releases of benchmarks/fidelity/make.py, and what each is for.
RELEASES = {
    "adult": "Adult, hidden sex",
    "compas": "COMPAS, hidden race",
    "demo": "401(k) demo, hidden marr",
    "german": "German credit, hidden sex",
    "hospital": "5,000 hospital stays, hidden race, 3,500 fitted",
    "hospital_fitted": "5,000 hospital stays, hidden race, all fitted",
    "hospital_60k": "60,000 hospital stays, hidden race",
}
RELEASES |= {f"{one}_mode": f'{RELEASES[one]}, `decode="mode"`' for one in ("adult", "compas", "demo", "german")}
UTILITY = {"adult": "income", "compas": "two_year_recid", "demo": "e401k", "german": "credit"}
UTILITY |= {f"{one}_mode": name for one, name in UTILITY.items()}
UTILITY |= dict.fromkeys(("hospital", "hospital_fitted", "hospital_60k"), "readmitted")


def results(name: str) -> dict:
    """Cases of one benchmark."""
    return json.loads((RESULTS / f"{name}.json").read_text())


def per_cent(values: Iterable[float]) -> str:
    """Mean in per cent, with the range where there are several."""
    found = [100 * value for value in values]
    return f"{found[0]:.1f}" if len(found) == 1 else f"{statistics.mean(found):.1f} ({min(found):.1f}-{max(found):.1f})"


def table(head: list[str], rows: list[list[object]]) -> list[str]:
    """One Markdown table."""
    return [f"| {' | '.join(map(str, line))} |" for line in [head, ["---"] * len(head), *rows]]


def filters() -> list[str]:
    """AIOI on Adult without the income column: medians over seeds."""
    lines = [line.split(" | ") for line in tables.aioi()]
    names = {
        "Adult / raw": "raw",
        "Adult / hard prediction": "hard prediction of income alone",
        "Adult / utility / 0.015": '**AIOI**, `output="representation"`, budget .015',
        "Adult / columns / 0.025": "**AIOI**, the same with `retention=.3`, budget .025",
        "Adult / table / 0.03": '**AIOI**, `output="table"`, `retention=.2`, budget .03',
    }
    head = ["release", "best attacker", "leakage (nat)", "income, model trained anew", "kept", "own column", "seeds"]
    found = {cells[0].removeprefix("| "): cells for cells in lines}
    places = (1, 2, 4, 7, 8, 10)
    rows = [[label, *(found[name][i].removesuffix(" |") for i in places)] for name, label in names.items()]
    return table(head, rows)


def images() -> list[str]:
    """Digits without the stroke's thickness: AIOI beside simple filters."""
    groups: dict[str, list[dict]] = {}
    for key, case in (results("aioi_mnist") | results("aioi_baselines")).items():
        name = key.split(", seed")[0].removesuffix(" / 0")
        groups.setdefault(f"**AIOI**, budget {name}" if name[0].isdigit() else name, []).append(case)
    rows = []
    for name, cases in groups.items():
        thick = [max(one["accuracy"] for one in case["thick"].values()) for case in cases]
        fixed = [case["fixed_digit"]["accuracy"] for case in cases]
        rows.append([name, per_cent(thick), per_cent(fixed), len(cases)])
    head = ["release", "thickness, network trained anew (%)", "digit, fixed network (%)", "seeds"]
    return table(head, sorted(rows, key=lambda row: float(row[1].split()[0])))


def windows() -> list[str]:
    """Spoken digits and smartwatch windows: who spoke or wore it, and what was said or done."""
    groups: dict[tuple[str, str], list[dict]] = {}
    for key, case in results("aioi_windows").items():
        data, budget, *rest = key.split(", ")
        if len(rest) == 1:  # the default noise
            groups.setdefault((data, budget), []).append(case)
    head = ["data", "budget", "person, trained anew (%)", "digit or activity, trained anew (%)", "seeds"]
    rows = [
        [
            data,
            budget,
            *(per_cent(c[key] for c in cases) for key in ("person, re-trained", "kept, re-trained")),
            len(cases),
        ]
        for (data, budget), cases in groups.items()
    ]
    return table(head, rows)


def rotated() -> list[str]:
    """Rotated digits by the length of training, one angle left out in turn."""
    groups: dict[tuple[str, str], list[dict]] = {}
    for key, case in results("invariance_rotated_lengths").items():
        length, name, *_ = key.split(" / ")
        groups.setdefault((name, length), []).append(case)
    head = [
        "method", "iterations", "digit at the angle left out (%)", "angle, best attacker (%; chance 20)",
        "H(S\\|Z)/H(S)", "runs"
    ]  # fmt: skip
    rows = []
    for (name, length), cases in sorted(groups.items()):
        unseen = 100 * statistics.mean(case["unseen"] for case in cases)
        attack = 100 * statistics.mean(case["domain"]["best"] for case in cases)
        hidden = statistics.mean(case["domain"]["hidden"] for case in cases)
        rows.append([name, f"{int(length):,}", f"{unseen:.1f}", f"{attack:.1f}", tables.figure(hidden), len(cases)])
    return table(head, rows)


def coloured() -> list[str]:
    """Coloured digits at variance .03: accuracy on digits whose colours were drawn anew, as published and uniform."""
    names = {
        "ERM": "plain training",
        "ERM, equal CPU": "plain training, as much CPU",
        "RevGrad": "gradient reversal",
        "MINE": "**MIBackprop**",
        "MINE, weights": "**MIBackprop**, `decorrelate=True`",
        "ERM, weights": "plain training on decorrelated batches",
        "oracle": "plain training on unbiased data",
    }
    rows = []
    for name, label in names.items():
        cases = [case for key, case in results("coloured").items() if key.startswith(f"{name} / 0.030 / ")]
        rows.append([label, *(per_cent(case[key] for case in cases) for key in ("palette", "uniform")), len(cases)])
    return table(["method", "right, colours of other classes (%)", "right, any colours (%)", "seeds"], rows)


def private_digits() -> list[str]:
    """What a classifier learns from 10,000 released digits, and what is left of their style."""
    groups: dict[tuple[str, str], list[dict]] = {}
    for key, case in results("cadp_mnist").items():
        at = re.fullmatch(r"(privunit 16|paper|no record|original)(?:, epsilon ([\d.]+))?, 10000 records, seed \d", key)
        if at:
            groups.setdefault((at[1], at[2] or "–"), []).append(case)
    names = {
        "privunit 16": "**CADP**",
        "paper": "as in the paper",
        "no record": "no record at all",
        "original": "originals",
    }
    head = ["trained on", "epsilon", "originals read (%)", "ink, correlation", "slant, correlation", "seeds"]
    rows = []
    order = list(names)
    for (name, epsilon), cases in sorted(
        groups.items(), key=lambda g: (order.index(g[0][0]), g[0][1] == "10", g[0][1])
    ):
        style = [tables.figure(statistics.mean(case[key] for case in cases), 2) for key in ("ink", "slant")]
        rows.append([names[name], epsilon, per_cent(case["accuracy"] for case in cases), *style, len(cases)])
    return table(head, rows)


def cost() -> list[str]:
    """CPU seconds and memory of audits."""
    rows = []
    for name, case in results("audit_cost").items():
        effort, size, given = name.split(" / ")
        rows.append([effort, size, given, f"{case['audit_cpu_seconds']:.0f}", f"{case['peak_memory_mb']:.0f}"])
    return table(["effort", "rows x columns", "given", "CPU seconds", "MB"], rows)


def released_tables(about: str = "demo", called: str = "the 401(k) survey", utility: str = "e401k") -> list[str]:
    """A table as others would hand it over, and as ours: what attackers read, and how alike it is."""
    head = [f"release of {called}", "leakage (nat)", "best attacker", "column shapes", "pair trends"]
    head += ["usable columns", f"`{utility}` predicted", "lost by models of a column"]
    rows = []
    for key, case in results("fidelity_peers").items():
        data, name = key.split(" / ")
        if data != about:
            continue
        leakage = case.get("leakage")
        usable, compared = case["usable"]
        rows.append(
            [
                f"**{name}**" if name.startswith("DeepMinMax") else name,
                tables.figure(leakage),
                tables.figure(case.get("balanced_accuracy")),
                *(tables.figure(case[one]) for one in ("column_shapes", "pair_trends")),
                f"{usable} of {compared + case['absent']}",
                tables.figure(case["utility"][1]),
                tables.figure(case["prediction_loss"]),
            ]
        )
    return table(head, sorted(rows, key=lambda row: -float(row[1]) if row[1] != "\N{EN DASH}" else 1.0))


def membership() -> list[str]:
    """Rows of the fit told from others: means over seeds, and what a release adds to the originals' own reading."""
    groups: dict[tuple[int, str], list[dict]] = {}
    for key, case in results("fidelity_membership").items():
        rows, name, _ = re.fullmatch(r"(\d+) rows, (.*), seed (\d+)", key).groups()
        groups.setdefault((int(rows), name), []).append(case)
    lines = []
    for (rows, name), cases in sorted(groups.items(), key=lambda one: (one[0][0], "control" in one[0][1], one[0][1])):
        told, of_originals = (np.array([case[side] for case in cases]) for side in ("release", "originals"))
        excess, interval = told - of_originals, "–"
        if len(cases) > 1:
            half = student.ppf(0.975, len(cases) - 1) * excess.std(ddof=1) / len(cases) ** 0.5
            interval = f"{excess.mean() - half:+.3f} to {excess.mean() + half:+.3f}"
        means = [f"{told.mean():.3f}", f"{of_originals.mean():.3f}", f"{excess.mean():+.3f}", interval]
        lines.append([f"{rows:,}", name, len(cases), *means])
    return table(["rows", "release", "seeds", "told", "from originals alone", "excess", "95 % interval"], lines)


def agreement() -> list[str]:
    """Our scores of fidelity beside those of sdmetrics on the same releases."""
    rows = []
    for name, case in results("fidelity_agreement").items():
        ours, theirs = case["ours"], case["sdmetrics"]
        scores = [f"{ours[one]:.4f}, {theirs[one]:.4f}" for one in ("column_shapes", "pair_trends", "all_pair_trends")]
        rows.append([RELEASES[name], f"{case['rows']:,}", *scores, f"{case['usable']} of {case['columns']}"])
    head = ["release", "rows", "column shapes: ours, sdmetrics", "pair trends: ours, sdmetrics"]
    return table([*head, "all pairs: ours, sdmetrics", "usable as they are"], rows)


def moves() -> list[str]:
    """How far the shares of common values moved, and which columns moved more than a finding allows."""
    rows = []
    for name, case in results("fidelity_agreement").items():
        if "moved" in case:
            moved = [f"`{column}` {by:.3f}: {', '.join(said)}" for column, (by, *said) in case["moved"].items()]
            rows.append([RELEASES[name], f"{100 * case['level_moved']:.1f}", "; ".join(moved) or "none"])
    return table(["release", "points that a common value moved at most", "columns moved by more than .08"], rows)


def draws() -> list[str]:
    """Several tables drawn from one Z beside its most likely values, and beside Z: means, and ranges of the draws."""
    rows = []
    for name, case in results("fidelity_draws").items():
        u, leakage = case["utility"], case["leakage"]
        drawn = (u["drawn"], leakage["drawn"])
        shown = [f"{statistics.mean(one):.3f} ({min(one):.3f}-{max(one):.3f})" for one in drawn]
        told = [f"{leakage[one]:.3f}" for one in ("representation", "mode")]
        rows.append([name, f"{u['original']:.3f}", f"{u['mode']:.3f}", shown[0], *told, shown[1]])
    head = ["fit", "U by originals", "by `mode`", f"by {len(u['drawn'])} draws"]
    lines = table([*head, "leakage of Z (nat)", "of `mode`", f"of {len(leakage['drawn'])} draws"], rows)
    return [*lines, "", *(drawn_beside(data) for data in ("compas", "german"))]


def drawn_beside(data: str) -> str:
    """Say how drawn tables of a data set compare, on average over its fits."""
    cases = [case for name, case in results("fidelity_draws").items() if name.startswith(data)]
    better = statistics.mean(statistics.mean(one["utility"]["drawn"]) - one["utility"]["mode"] for one in cases)
    more = statistics.mean(statistics.mean(one["leakage"]["drawn"]) - one["leakage"]["representation"] for one in cases)
    words = "better" if better > 0 else "worse", "more" if more > 0 else "less"
    return (
        f"- {data}, {len(cases)} fits: a drawn table predicts U by {abs(better):.3f} {words[0]} than the most likely "
        f"values, and tells {abs(more):.3f} nat {words[1]} than Z."
    )


def ceiling() -> list[str]:
    """What shares and pairs of hospital stays can come to, and what ours come to."""
    cases = {key.split(" / ")[0]: case for key, case in results("fidelity_ceiling").items()}
    ours = results("fidelity_agreement")["hospital"]
    cases["**DeepMinMax, defaults**"] = ours["ours"] | {"usable": [ours["usable"], ours["columns"]]}
    rows = []
    for name, case in cases.items():
        scores = [tables.figure(case[one]) for one in ("column_shapes", "pair_trends")]
        rows.append([name, *scores, "{} of {}".format(*case["usable"])])
    return table(["compared with 5,000 stays", "column shapes", "pair trends", "usable columns"], rows)


def predicted() -> list[str]:
    """Models of each column trained on the release and on originals, both tested on other originals."""
    rows = []
    for name, case in results("fidelity_predicted").items():
        utility = case["columns"].get(UTILITY[name])
        most = max(case["columns"], key=lambda one: case["columns"][one][0] - case["columns"][one][1])
        shown = [
            f"`{one}` {a:.3f}, {b:.3f}" for one, (a, b) in ((UTILITY[name], utility), (most, case["columns"][most]))
        ]
        rows.append([RELEASES[name], tables.figure(case["median_loss"]), *shown])
    return table(
        ["release", "median loss over columns", "U: originals, release", "most lost: originals, release"], rows
    )


def behind_tables() -> list[str]:
    """Leakage of a table beside that of the representation it is drawn from, by the same attackers."""
    rows = []
    for key, case in results("fidelity_peers").items():
        if "of_representation" in case:
            data, name = key.split(" / ")
            behind = case["of_representation"]
            figures = [case["leakage"], behind["leakage"], case["leakage_worse_part"], behind["leakage_worse_part"]]
            rows.append([data, name, *map(tables.figure, figures)])
    head = ["data", "release", "table: rows never fitted", "Z: rows never fitted", "table: worse part", "Z: worse part"]
    return table(head, rows)
