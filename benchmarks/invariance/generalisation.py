"""Leave one domain out: seven methods trained on the others, read on the one they never saw (Table 2's form)."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

from collections.abc import Sequence  # noqa: E402
from dataclasses import dataclass  # noqa: E402

import numpy as np  # noqa: E402
from attack import attack  # noqa: E402
from ledger import Ledger  # noqa: E402

import withhold.methods as room  # noqa: E402

METHODS = ("ERM", "IIDM", "AII", "RevGrad", "IIDM+", "AII+GP", "CrossGrad")
PENALISED = "+GP"  # a name that ends so has the gradient penalty
MOST_LEARNED = 3_000  # rows an attacker learns from


@dataclass(frozen=True)
class Domains:
    """Images `x`, label, domain, and whether a row may be learned from; the others are for attackers and readings."""

    x: np.ndarray
    y: np.ndarray
    domain: np.ndarray
    learned: np.ndarray


def build(method: str, seed: int, *, rounds: int, lam: float, kappa: int, noise: float, penalty: float):
    """Return the unfitted method; the settings are the same for all."""
    common = {"rounds": rounds, "noise": noise, "random_state": seed, "noise_seed": seed}
    if method in ("ERM", "CrossGrad"):
        return getattr(room, method)(**common)
    if method == "RevGrad":
        return room.RevGrad(lam=lam, **common)
    kind = {"IIDM": room.IIDM, "IIDM+": room.IIDMPlus, "AII": room.AII}[method.removesuffix(PENALISED)]
    return kind(lam=lam, kappa=kappa, gradient_penalty=penalty if method.endswith(PENALISED) else 0.0, **common)


def read(model, data: Domains, left_out: int, seed: int) -> dict:
    """Fit on the other domains; accuracy there and on the one left out, and what attackers tell of the domain."""
    others = data.domain != left_out
    fit = data.learned & others
    model.fit(data.x[fit], data.y[fit], sensitive_features=data.domain[fit].astype(str))
    Z = model.transform(data.x)
    right = model.classes_[model._logits(Z).argmax(axis=1)] == data.y
    fresh, unseen = np.flatnonzero(~data.learned & others), data.domain == left_out
    learn = np.random.default_rng([seed, 2]).permutation(np.flatnonzero(fit))[:MOST_LEARNED]
    return {
        "unseen": float(right[unseen].mean()),
        "seen": float(right[fresh].mean()),
        "held_out": model.diagnostics_["held_out_accuracy"],
        "domain": attack(Z, data.domain, learn, fresh, seed),
        "beyond_maximum": model.diagnostics_["beyond_maximum"],
        "curves": {name: thinned(values) for name, values in model.curves_.items() if name != "discriminator"},
    }


def thinned(values: list[float]) -> list[float]:
    """Return a curve as the means of twenty equal parts of the training."""
    return [round(float(np.mean(part)), 4) for part in np.array_split(values, min(20, len(values))) if len(part)]


def table(name: str, variants: Sequence[str], columns: list[str], methods: Sequence[str] = METHODS) -> None:
    """Print accuracy on each unseen domain with its standard error over seeds, and what attackers found."""
    found = Ledger(name).cases
    for variant in variants:
        head = " ".join(f"{column:>12}" for column in columns)
        print(f"{variant:10} {head}  average; best attacker of the domain, H(S|Z)/H(S)")
        for method in methods:
            cells, means, runs = [], [], []
            for i in range(len(columns)):
                here = [v for k, v in found.items() if k.startswith(f"{variant} / {method} / {i} / ")]
                runs += here
                values = [100 * v["unseen"] for v in here]
                if not values:
                    cells.append(f"{'':>12}")
                    continue
                means.append(np.mean(values))
                error = f"±{np.std(values, ddof=1) / len(values) ** 0.5:.1f}" if len(values) > 1 else ""
                cells.append(f"{np.mean(values):6.1f}{error:>6}")
            if runs:
                average = f"{np.mean(means):.2f}" + ("" if len(means) == len(columns) else f" of {len(means)}")
                told = " ".join(f"{np.mean([v['domain'][what] for v in runs]):.3f}" for what in ("best", "hidden"))
                print(f"{method:10} " + " ".join(cells) + f"  {average}  {told}  ({len(runs)} runs)")


def curves(name: str, lengths: Sequence[str], methods: Sequence[str]) -> None:
    """Print what the game's own discriminator read, in nats, by tenths of the training, a mean over runs."""
    found = Ledger(name).cases
    for length in lengths:
        for method in methods:
            runs = [v["curves"]["leakage"] for k, v in found.items() if k.startswith(f"{length} / {method} / ")
                    and v["curves"].get("leakage")]  # fmt: skip
            if runs:
                tenths = np.mean([np.array_split(run, 10) for run in runs], axis=(0, 2))
                print(f"{length:>5} {method:8} " + " ".join(f"{value:6.2f}" for value in tenths))
