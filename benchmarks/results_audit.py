"""Tables of what the audit reads by effort and of what its readers cost; `documents.py` writes them."""

from results_page import results, table


def effort() -> list[str]:
    """What is read at quick and at standard of each variant: means over its draws, and the least draw."""
    variants: dict[str, list[dict]] = {}
    for key, case in results("effort").items():
        variants.setdefault(key.rpartition(" / ")[0], []).append(case)
    head = ["variant", "draws", "truth", "quick", "standard", "its panel alone", "standard less quick (standard error)"]
    rows = []
    for name, draws in variants.items():
        truth, quick, standard, alone, off = (
            sum(one[word] for one in draws) / len(draws)
            for word in ("truth", "quick", "standard", "standard_alone", "difference")
        )
        error = sum(one["standard_error"] ** 2 for one in draws) ** 0.5 / len(draws)
        least = min(one["difference"] / max(one["standard_error"], 1e-5) for one in draws)
        numbers = [f"{value:.3f}" for value in (truth, quick, standard, alone)]
        rows.append([name, len(draws), *numbers, f"{off:+.4f} ({error:.4f})", f"{least:+.1f}"])
    return table([*head, "least of a draw, in standard errors"], rows)


def cost_kinds() -> list[str]:
    """CPU seconds of audits before there were readers of texts, dates, keys and subjects, and since."""
    found: dict[str, dict[str, list[dict]]] = {}
    for key, case in results("audit_cost_kinds").items():
        label, name, _ = key.split(" / ")
        found.setdefault(name, {}).setdefault(label, []).append(case)
    rows = []
    for name, labels in found.items():
        before, now = (sum(c["audit_cpu_seconds"] for c in labels[word]) for word in ("before", "now"))
        commits = " and ".join(", ".join(sorted({c["commit"] for c in labels[word]})) for word in ("before", "now"))
        runs = len(labels["now"])
        rows.append([name, runs, f"{before / runs:.1f}", f"{now / runs:.1f}", f"{now / before:.2f}", commits])
    return table(["audit at quick", "runs", "before (CPU s)", "now (CPU s)", "ratio", "commits"], rows)
