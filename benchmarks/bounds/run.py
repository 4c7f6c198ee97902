"""Certified bounds against closed forms, against the paper's solver, and against `dit` where it applies.

python benchmarks/bounds/run.py [part of a case name]
"""

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from bounds.restricted import restricted_cardinality
from ledger import Ledger

from withhold.information.bounds.accuracy import attacker_accuracy
from withhold.information.bounds.certificate import check_certificate
from withhold.information.bounds.frontier import frontier
from withhold.information.measures.shannon import mutual_information

SYMMETRIC = np.array([[0.45, 0.05], [0.05, 0.45]])
BUDGETS = 30


def family(n_u, n_s, alpha):
    """The joint of the paper's Fig. 2: p(u, s) in proportion to 1 + alpha [u mod |S| = s]."""
    p = np.ones((n_u, n_s))
    p[np.arange(n_u), np.arange(n_u) % n_s] += alpha
    return p / p.sum()


def closed_form(n, budgets, alpha):
    own = (1 + alpha) / (n + alpha)
    t = np.linspace(1 / n, own, 200_001)
    spread = -t * np.log(t) - (1 - t) * np.log((1 - t) / (n - 1))
    return np.interp(budgets, (1 - own) / (1 - t) * (np.log(n) - spread), np.log(n) * (own - t) / (1 - t))


def curve(p, **options):
    """Both ends over thirty budgets: gaps, seconds, and whether every certificate and mechanism was found in order."""
    budgets = np.linspace(0.0, mutual_information(p), BUDGETS + 1)[:-1]
    start = time.process_time()
    found = frontier(p, budgets, **options)
    seconds = time.process_time() - start
    proven = [check_certificate(c, p, float(k)) for c, k in zip(found.certificates, budgets, strict=True)]
    leaks = [mutual_information((m.channel * p).sum(axis=1)) for m in found.mechanisms]
    return {
        "mean_gap": float(found.gap.mean()),
        "max_gap": float(found.gap.max()),
        "seconds": seconds,
        "certificates_agree": bool(np.allclose(np.maximum(0.0, proven), found.lower_bound)),
        "largest_violation": float(np.max(leaks - budgets)),
    }


def symmetric(n):
    budgets = np.linspace(0.0, mutual_information(family(n, n, 10.0)), 101)
    found, exact = frontier(family(n, n, 10.0), budgets), closed_form(n, budgets, 10.0)
    return {
        "lower_error": float(np.abs(found.lower_bound - exact).max()),
        "upper_error": float(np.abs(found.upper_bound - exact).max()),
    }


def no_leakage():
    known = {"fig2": (family(10, 5, 10.0), 1.0729586), "sec4_.2": (family(6, 2, 3.132755), 0.423059)}
    known["sec4_.4"] = (family(6, 2, 9.630029), 0.573947)
    out = {}
    for name, (p, published) in known.items():
        found = frontier(p, [0.0])
        out[name] = {"lower": found.lower_bound[0], "upper": found.upper_bound[0], "published": published}
    return out


def sizes():
    budgets = np.linspace(0.0, 0.6, 7)
    lower = {n: frontier(family(n, 5, 10.0), budgets).lower_bound for n in (5, 10, 100)}
    return {"largest_difference": float(max(np.abs(lower[n] - lower[5]).max() for n in (10, 100)))}


def functions():
    cases = {
        "U = S": np.diag([0.2, 0.3, 0.5]),
        "U = f(S)": np.array([[0.1, 0.2, 0.0], [0.0, 0.0, 0.7]]),
        "S = f(U)": np.repeat(np.eye(2), 100, axis=0) / 200,
        "independent": np.outer([0.3, 0.7], [0.2, 0.8]),
    }
    out = {}
    for name, p in cases.items():
        found = frontier(p, np.linspace(0.0, 1.0, 21))
        line = np.maximum(0.0, found.u_s - found.budgets)
        out[name] = float(max(np.abs(found.lower_bound - line).max(), np.abs(found.upper_bound - line).max()))
    return {"largest_error": out}


def reference():
    cases = {
        "symmetric .1": (SYMMETRIC, [0.05, 0.1, 0.2, 0.3], [0.273261, 0.351902, 0.487617, 0.611900]),
        "6x2 I=.2": (family(6, 2, 3.132755), [0.05, 0.1, 0.15], [1.541606, 1.635458, 1.716775]),
        "6x2 I=.4": (family(6, 2, 9.630029), [0.05, 0.1, 0.15], [1.345455, 1.421366, 1.489365]),
    }
    out = {}
    for name, (p, budgets, gains) in cases.items():
        found = frontier(p, budgets, tolerance=5e-5)
        out[name] = {
            "known": gains,
            "at_most": (found.entropy_u - found.lower_bound).tolist(),
            "at_least": (found.entropy_u - found.upper_bound).tolist(),
        }
    return out


def paper(p, values, penalty):
    """The published search on thirty budgets, beside the certified curve of the same run."""
    budgets = np.linspace(0.0, mutual_information(p), BUDGETS + 1)[:-1]
    start = time.process_time()
    ours = frontier(p, budgets)
    own_seconds = time.process_time() - start
    start = time.process_time()
    found = restricted_cardinality(p, budgets, values, penalty=penalty)
    seconds = time.process_time() - start
    gap = np.array([one.repaired.uncertainty for one in found]) - ours.lower_bound
    over = np.array([one.found.leakage - one.budget for one in found])
    # The kinder reading: each channel at the leakage it has, not at the budget it was asked to keep.
    least = frontier(p, [one.found.leakage for one in found]).lower_bound
    own = np.array([one.found.uncertainty for one in found]) - least
    return {
        "values": values,
        "penalty": penalty,
        "mean_gap": float(gap.mean()),
        "max_gap": float(gap.max()),
        "mean_gap_at_own_leakage": float(own.mean()),
        "max_gap_at_own_leakage": float(own.max()),
        "ratio_at_own_leakage": float(own.mean() / ours.gap.mean()),
        "largest_excess_leakage": float(over.max()),
        "seconds": seconds,
        "own_mean_gap": float(ours.gap.mean()),
        "own_max_gap": float(ours.gap.max()),
        "own_seconds": own_seconds,
        "gap_ratio": float(gap.mean() / ours.gap.mean()),
        "time_ratio": seconds / own_seconds,
    }


def dit_accuracy(prior):
    """The rate-distortion curve of `dit` with Hamming distortion is the best attacker's error at each rate."""
    import dit
    from dit.rate_distortion import RDCurve

    d = dit.Distribution([str(i) for i in range(len(prior))], list(prior))
    start = time.process_time()
    other = RDCurve(d, beta_min=0.5, beta_max=6.0, beta_num=8)
    seconds = time.process_time() - start
    rates = np.asarray(other.rates) * np.log(2)
    start = time.process_time()
    ours = np.array([attacker_accuracy(prior, float(max(0.0, r)))[1] for r in rates])
    own_seconds = time.process_time() - start
    return {
        "rates": rates.tolist(),
        "dit": (1.0 - np.asarray(other.distortions)).tolist(),
        "ours": ours.tolist(),
        "largest_difference": float(np.abs(ours - 1.0 + np.asarray(other.distortions)).max()),
        "seconds": seconds,
        "own_seconds": own_seconds,
    }


def random_joint(seed, n_u, n_s):
    return np.random.default_rng(seed).dirichlet(np.ones(n_u * n_s)).reshape(n_u, n_s)


def cases():
    for n in (2, 3, 5):
        yield f"symmetric |S|={n}", lambda n=n: symmetric(n)
    yield "no leakage", no_leakage
    yield "sizes", sizes
    yield "functions", functions
    yield "reference", reference
    yield "fig2", lambda: curve(family(10, 5, 10.0))
    for seed in range(20):
        yield f"random 10x5 #{seed}", lambda seed=seed: curve(random_joint(seed, 10, 5))
    yield "subjects S=f(U) 200x2", lambda: curve(np.repeat(np.eye(2), 100, axis=0) / 200)
    yield "random 200x2", lambda: curve(random_joint(0, 200, 2))
    yield "random 10x8", lambda: curve(random_joint(1, 10, 8))
    yield "random 10x12, merged", lambda: curve(random_joint(1, 10, 12))
    yield "dit accuracy 2", lambda: dit_accuracy([0.5, 0.5])
    yield "dit accuracy 3", lambda: dit_accuracy([0.2, 0.3, 0.5])
    for values in (10, 20):
        yield f"paper fig2 |Z|={values}", lambda values=values: paper(family(10, 5, 10.0), values, 100.0)
    yield "paper fig2 |Z|=10 penalty 10", lambda: paper(family(10, 5, 10.0), 10, 10.0)
    yield "paper random 10x5 #0 |Z|=20", lambda: paper(random_joint(0, 10, 5), 20, 100.0)


def main():
    ledger, wanted = Ledger("bounds"), sys.argv[1] if len(sys.argv) > 1 else ""
    for name, work in cases():
        if wanted in name:
            print(name, ledger.measure(name, work), flush=True)


if __name__ == "__main__":
    main()
