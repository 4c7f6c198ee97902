"""DP-SGD on digits: the paper's comparator, a classifier, and a flow. Its epsilon is another promise than a release's.

    OMP_NUM_THREADS=1 .venv/bin/python benchmarks/cadp/dp_sgd.py      # needs the extra dp

DP-SGD promises that a trained *model* tells little of whether one record was among those it was trained on (central,
approximate: epsilon at a delta, for one record added or left out). A release under CADP promises that what is handed
over *instead of a record* tells little of the record, to whoever collects it (local, pure, for any two records of one
class). Neither follows from the other at an equal epsilon, so the two are never on one axis.

`classifier` rows: the classifier of `mnist.py` trained by Opacus on the 30,000 originals that `mnist.py` releases.
`flow` rows: a small flow trained with and without DP-SGD on the same digits; `held_out_nats` a dimension is its loss on
digits it never saw, `no record` what a classifier learns from its samples.
"""

import argparse
import os
import sys
import warnings
from pathlib import Path

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"
sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np  # noqa: E402
import torch  # noqa: E402
from digits import HALF, Classifier, accuracy, read  # noqa: E402
from ledger import Ledger, data_dir  # noqa: E402
from torch import nn  # noqa: E402

from withhold.methods.cadp.cadp import CADP  # noqa: E402
from withhold.privacy.composition import dp_sgd_loss, dp_sgd_terms  # noqa: E402

EPSILONS = (10, 1, 0.2)
DELTA = 1e-5
STEPS, BATCH, CLIP, RATE = 300, 128, 1.0, 0.5  # usual values, not tuned
FLOW = {"channels": 8, "hidden": 64, "rounds": 150, "directions": 16}
FLOW_RECORDS, MADE = 5_000, 5_000


def classifier(images, labels, test, epsilon, seed):
    """Train by DP-SGD with batches by Poisson sampling; return accuracy and what is promised."""
    from opacus import GradSampleModule
    from opacus.accountants.utils import get_noise_multiplier
    from opacus.optimizers import DPOptimizer

    rate = BATCH / len(images)
    # Noise that a quick account finds enough; what is reported is the tighter account of dp-accounting for it.
    multiplier = get_noise_multiplier(
        target_epsilon=epsilon, target_delta=DELTA, sample_rate=rate, steps=STEPS, accountant="rdp"
    )
    cost = dp_sgd_loss(multiplier, rate, STEPS, DELTA)
    torch.manual_seed(seed)
    net = GradSampleModule(Classifier())
    optimiser = DPOptimizer(
        torch.optim.SGD(net.parameters(), lr=RATE),
        noise_multiplier=multiplier,
        max_grad_norm=CLIP,
        expected_batch_size=BATCH,
    )
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser.original_optimizer, STEPS)
    X, y = torch.from_numpy(images.astype(np.float32) / 255)[:, None], torch.from_numpy(labels.astype(np.int64))
    for _ in range(STEPS):
        rows = torch.nonzero(torch.rand(len(X)) < rate).flatten()
        optimiser.zero_grad()
        nn.functional.cross_entropy(net(X[rows]), y[rows]).backward()
        optimiser.step()
        schedule.step()
    with torch.no_grad():
        shown = torch.from_numpy(test[0].astype(np.float32) / 255)[:, None]
        guess = torch.cat([net(part).argmax(dim=1) for part in torch.split(shown, 1000)]).numpy()
    terms = dp_sgd_terms(cost)
    return {
        "accuracy": round(float((guess == test[1]).mean()), 4),
        "noise_multiplier": round(multiplier, 4),
        "epsilon": round(terms.epsilon, 4),
        "delta": terms.delta,
        "promise": f"central, {terms.adjacency}; of the model, not of a release; not float-safe",
    }


def flow(images, labels, held, test, training, seed):
    """Train a small flow and see what it is worth."""
    method = CADP(flow_training=training, flow_epsilon=8, flow_delta=DELTA, random_state=seed, **FLOW)
    method.fit(images, labels)
    shown = np.resize(np.arange(10), MADE)
    nats = -method.log_likelihood(*held).mean() / held[0][0].size
    found = {"held_out_nats": round(float(nats), 4), "no record": accuracy(method.control(shown), shown, test, seed)}
    cost = method.flow_.cost
    return found if cost is None else {**found, "flow_epsilon": round(float(cost.epsilon), 4), "flow_delta": DELTA}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=["classifier", "flow"])
    parser.add_argument("--epsilons", type=float, nargs="+", default=list(EPSILONS))
    given = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    folder, ledger = data_dir(), Ledger("cadp_dp_sgd")
    public, private, test = read(folder, 0)
    if given.only != "flow":
        for epsilon in given.epsilons:
            key = f"classifier by DP-SGD, central epsilon {epsilon:g}, delta {DELTA:g}, {HALF} originals, seed 0"
            ledger.measure(key, lambda e=epsilon: classifier(*private, test, e, 0))
    if given.only != "classifier":
        held = private[0][:2_000], private[1][:2_000]
        few = public[0][:FLOW_RECORDS], public[1][:FLOW_RECORDS]
        for training in ("public", "dp-sgd"):
            key = f"flow, flow_training {training}, {FLOW_RECORDS} digits, seed 0"
            ledger.measure(key, lambda t=training: flow(*few, held, test, t, 0))


if __name__ == "__main__":
    main()
