"""The tables of plans: what they promise, beside what was found and what it took."""

from collections.abc import Iterator

from results_page import results

WITHIN = 1.5  # the factor that is asked of a promise


def heading(line: str) -> list[str]:
    """Return the first two lines of a table."""
    return [line, "|" + "---|" * (line.count("|") - 1)]


def limit_cases() -> Iterator[tuple[tuple[str, int, str], float | None, float | None]]:
    """Yield columns, rows and effort of each case, what is promised and what is found in half of the plantings."""
    cases = results("choice_limits")
    keys = {key: key.split(" / ")[1:4] for key, case in cases.items() if "promised" in case}
    for key, (name, rows, effort) in sorted(keys.items(), key=lambda one: (one[1][0], one[1][2], int(one[1][1]))):
        # What the code promises now, where that was asked again.
        promised = cases.get(key.replace("limit", "promise", 1), {}).get("limit", cases[key]["promised"])
        yield (name, int(rows), effort), promised, cases[key]["found"]


def agreeing(ratios: list[float], what: str) -> str:
    """Say in how many cases a promise is within the factor that is asked."""
    within = sum(1 / WITHIN <= one <= WITHIN for one in ratios)
    span = f"{min(ratios):.2f} to {max(ratios):.2f}"
    return f"Within a factor of {WITHIN:g} in {within} of {len(ratios)} cases; {what} {span}."


def limits() -> list[str]:
    """Promised detection limits beside those that are found."""
    lines = heading("| columns and S | rows | effort | promised | found in half | promised / found |")
    ratios = []
    for (name, rows, effort), *pair in limit_cases():
        both = all(pair)
        ratios += [pair[0] / pair[1]] if both else []
        shown = " | ".join(f"{one:.3g}" if one else "none" for one in pair)
        lines.append(f"| {name} | {rows:,} | {effort} | {shown} | {f'{ratios[-1]:.2f}' if both else '–'} |")
    return [*lines, "", agreeing(ratios, "promised / found is")]


def chances() -> list[str]:
    """How often leaks of the smallest decidable budget, and of shares of it, are found."""
    lines = heading("| columns and S | rows | decidable | foretold at .6, .75 and 1 times that | found |")
    cases = {key: case for key, case in results("choice_limits").items() if "foretold" in case}
    for key, case in cases.items():
        name, rows, _ = key.split(" / ")[1:4]
        told, seen = (", ".join(map(str, some)) for some in (case["foretold"], case["seen"]))
        lines.append(f"| {name} | {rows} | {case['decidable']:.3g} | {told} | {seen} of {case['plantings']} |")
    plantings = sum(case["plantings"] for case in cases.values())
    totals = [
        f"{sum(case['seen'][i] for case in cases.values())} of {plantings} are found {where}, foretold are "
        f"{sum(case['foretold'][i] * case['plantings'] for case in cases.values()):.0f}"
        for i, where in enumerate(("at .6 of the decidable budget", "at .75 of it", "at it"))
    ]
    return [*lines, "", f"Of all plantings {'; '.join(totals)}."]


def enough_rows() -> list[str]:
    """Audits with S permuted that pass at the rows asked for, and at half of them."""
    lines = heading("| columns and S | budget | share of the rows asked for | rows | audits | passed |")
    whole: dict[tuple[str, ...], list[dict]] = {}
    ends: dict[str, list[int]] = {}
    for key, case in results("choice_limits").items():
        if "verdict" in case:
            whole.setdefault(tuple(key.split(" / ")[1:4]), []).append(case)
    for (name, budget, share), some in sorted(whole.items()):
        passed = sum(case["verdict"] == "pass" for case in some)
        ends[share] = [ends.get(share, [0, 0])[0] + passed, ends.get(share, [0, 0])[1] + len(some)]
        lines.append(f"| {name} | {budget} | {share} | {some[0]['rows']:,} | {len(some)} | {passed} |")
    at_all, at_half = (f"{passed} of {audits}" for passed, audits in (ends["1"], ends["0.5"]))
    return [*lines, "", f"At the rows asked for {at_all} audits pass, at half of them {at_half}."]


def seconds() -> list[str]:
    """CPU seconds that a plan promises of a run, beside those that it took."""
    lines = heading("| table | effort | promised | took | took / promised |")
    ratios = []
    for key, case in sorted(results("choice_times").items()):
        name, effort = key.split(" / ")
        ratios.append(case["took"] / case["promised"])
        lines.append(f"| {name} | {effort} | {case['promised']:.0f} | {case['took']:.0f} | {ratios[-1]:.2f} |")
    return [*lines, "", agreeing(ratios, "took / promised is")]


def newcomer() -> list[str]:
    """How a newcomer's way ended."""
    lines = heading("| file | commands typed | last verdict | shared | CPU seconds |")
    for name, case in sorted(results("choice_newcomer").items()):
        verdicts = [end["said"].split("  ")[0] for end in case["ends"]]
        last = next((one for one in reversed(verdicts) if one.isupper()), "none")
        shared = "yes" if case["shared"] else "no"
        lines.append(f"| {name} | {len(case['typed'])} | {last} | {shared} | {case['cpu_seconds']:.0f} |")
    return lines
