"""Sentences of docs/results.md with figures in them, so that no figure is typed; `documents.py` writes them."""

import statistics
import textwrap
from collections import Counter
from collections.abc import Iterable

import tables
from results_page import results, table
from worlds import rates


def paragraph(text: str) -> list[str]:
    """Lines as long as those of the page."""
    return textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False)


def mean(values: Iterable[float], digits: int = 3) -> str:
    """Mean of several figures."""
    return tables.figure(statistics.mean(values), digits)


def nonlinear() -> list[str]:
    """Problems that only a nonlinear reader solves, and COMPAS, where little is to be won."""
    labels = {
        "raw": "raw",
        "LEACE": "LEACE",
        "DeepMinMax": "**DeepMinMax**",
        "DeepMinMax with y": "**DeepMinMax** with y",
        "DeepMinMax, y guessed, small budget": "**DeepMinMax**, labels guessed, small budget",
        "hard prediction of U": "hard prediction of U",
    }
    cases, rows = results("peers"), []
    for problem in ("xor2", "xor3", "COMPAS"):
        for name, label in labels.items():
            case = cases.get(f"{problem} / {name} / 7")
            if case is not None:
                figures = (max(0.0, case["leakage"]), max(case["utility"], case["utility_network"]), case["retention"])
                rows.append([problem, label, tables.figure(case["balanced_accuracy"]), *map(tables.figure, figures)])
    return table(["data", "release", "best attacker", "leakage (nat)", "U", "kept"], rows)


def worlds_run() -> list[str]:
    """Say of how many worlds the committed runs are, and of which panel."""
    cases = list(results("worlds").values())
    runs = [case for case in cases if "world" in case]
    by_rows: dict[int, Counter[str]] = {}
    for case in cases:
        by_rows.setdefault(case["n"], Counter())[case.get("world") or case["alignment"]] += 1
    rows = " and ".join(
        f"{n:,} rows ({' or '.join(map(str, sorted(set(seeds.values()))))} seeds)"
        for n, seeds in sorted(by_rows.items())
    )
    commits = sorted({str(case["commit"]) for case in cases})
    aligned = len({case["alignment"] for case in cases if "world" not in case})
    return paragraph(
        f"{len({case['world'] for case in runs})} worlds and {aligned} ways in which S belongs to the rows, or does "
        f"not, at {rows}, quick effort: {len(cases)} audits, at {' and '.join(commits)}."
    )


def former() -> list[str]:
    """What an earlier panel did on the worlds."""
    cases = list(results("worlds_former_panel").values())
    runs = rates.judgements(case for case in cases if "world" in case)
    return rates.bars(runs, [case for case in cases if not case.get("alignment", "in order").startswith("in order")])


def clean() -> list[str]:
    """Releases that tell nothing, under today's panel."""
    cases = [case for key, case in results("audit_clean").items() if key.startswith("now / ")]
    verdicts = [case["verdict"] for case in cases]
    passed, failed, grave = (
        verdicts.count("pass"),
        verdicts.count("fail"),
        sum(bool(case["critical"]) for case in cases),
    )
    text = (
        f"Of {len(cases)} clean releases of varied shape {failed} fail, {grave} have a critical finding and {passed} "
        f"pass{'es' if passed == 1 else ''}; the others have too few rows to decide."
    )
    return paragraph(text)


def detection() -> list[str]:
    """The smallest test leaks that are found in every form, in the worst case."""
    worst: dict[str, list[float]] = {}
    for key, case in results("audit_detection").items():
        worst.setdefault(key.split(" / ")[1], []).append(case["worst"])
    found = [
        f"{max(cases):g} nat beside {shape.split(' x ')[1]} dense columns ({int(shape.split(' x ')[0]):,} rows)"
        for shape, cases in worst.items()
    ]
    return paragraph(
        f"In the worst of several audits test leaks of every form are found from {' and '.join(found)} on."
    )


def fair() -> list[str]:
    """Equal opportunity by the lambda with most runs."""
    groups: dict[tuple[str, str], list[dict]] = {}
    for key, case in results("fairness").items():
        data, weight, _ = key.rsplit(" / ", 2)
        groups.setdefault((data, weight), []).append(case)
    names = {"adult": "Adult", "german": "German credit"}
    rows = [
        [
            names[data],
            weight,
            mean(case["accuracy"] for case in cases),
            mean(case["equal_opportunity"] for case in cases),
            len(cases),
        ]
        for (data, weight), cases in groups.items()
        if data in names
    ]
    return table(["data", "lambda", "accuracy", "difference in true-positive rates", "runs"], rows)


def private_table() -> list[str]:
    """A private table as training data."""
    case = results("cadp_tables")["adult, epsilon 4, seed 0"]["income predicted"]
    told = {name: tables.figure(case[name]) for name in ("release", "no_record", "original")}
    return paragraph(
        f"Adult at epsilon 4: income is predicted with {told['release']} from releases, {told['no_record']} from no "
        f"record, {told['original']} from originals."
    )
