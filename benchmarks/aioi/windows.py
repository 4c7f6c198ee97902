"""AIOI on two-dimensional signals: hide the speaker and keep the digit, hide the user and keep the activity.

`speech`: log-mel spectra of spoken digits (32 bands, 40 frames); recordings 0 to 4 of each speaker and digit are for
scoring. `watch`: five seconds of a wrist's acceleration (100 samples, 3 axes); windows 12 and later of each user and
activity are for scoring, the earlier ones for fitting and for attackers, so that neighbours in time lie on one side.

S is the person, so a group cannot be a person: whoever is scored must have been seen. Attackers are trained on the
released fit part and scored on the released rest; the best of two is stated, beside the fixed one and the raw records.

    python benchmarks/aioi/windows.py
"""

import argparse
import os
import sys
from pathlib import Path

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")
sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np  # noqa: E402
import torch  # noqa: E402
from ledger import Ledger, cpu_seconds, data_dir  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402

from withhold.methods.aioi.aioi import AIOI  # noqa: E402

BUDGETS = (0.5, 0.1)
STEPS, BATCH, RATE, DECAY = 1_500, 128, 3e-3, 1e-2


def records(task: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return records as float32 (n, a, b), person, what is kept, and which rows are for fitting."""
    name = {"speech": "fsdd_logmel.npz", "watch": "wisdm_watch_accel.npz"}[task]
    with np.load(data_dir() / name) as file:
        data = {key: file[key] for key in file.files}
    person = np.unique(data["speaker" if task == "speech" else "user"], return_inverse=True)[1]
    fitted = data["index"] >= 5 if task == "speech" else data["index"] < 12
    return data["x"].astype(np.float32), person, data["y"].astype(int), fitted


def network(kind: str, shape: tuple[int, int], outputs: int) -> nn.Module:
    """Return convolutions in two dimensions, or along the longer side only."""
    if kind == "image":
        body: list[nn.Module] = [nn.Unflatten(1, (1, *shape)), nn.Conv2d(1, 16, 5, 2, 2), nn.ReLU()]
        body += [nn.Conv2d(16, 32, (5, min(3, shape[1])), 2, (2, 1)), nn.ReLU(), nn.AdaptiveAvgPool2d((8, 2))]
        return nn.Sequential(
            *body, nn.Flatten(), nn.Linear(512, 128), nn.ReLU(), nn.Dropout(0.3), nn.Linear(128, outputs)
        )
    layers = [nn.Linear(shape[0] * shape[1], 256), nn.ReLU(), nn.Dropout(0.3), nn.Linear(256, 256), nn.ReLU()]
    return nn.Sequential(*layers, nn.Dropout(0.3), nn.Linear(256, outputs))


def accuracy(
    kind: str, shown: tuple[np.ndarray, np.ndarray], labels: np.ndarray, fitted: np.ndarray, seed: int
) -> float:
    """Train on the rows `fitted` of the first of two sets of records, and score the others of the second."""
    torch.manual_seed(seed)
    first, second = (torch.from_numpy(part).flatten(1) for part in shown)
    centre, spread = first.mean(), first.std()
    targets, rows = torch.from_numpy(labels), torch.from_numpy(np.flatnonzero(fitted))
    net = network(kind, shown[0].shape[1:], int(labels.max()) + 1)
    optimiser = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, STEPS)
    for _ in range(STEPS):
        chosen = rows[torch.randint(len(rows), (BATCH,))]
        optimiser.zero_grad()
        functional.cross_entropy(net((first[chosen] - centre) / spread), targets[chosen]).backward()
        optimiser.step()
        schedule.step()
    net.eval()
    with torch.no_grad():
        guessed = net((second[~fitted] - centre) / spread).argmax(1).numpy()
    return round(float((guessed == labels[~fitted]).mean()), 3)


def case(task: str, budget: float | None, seed: int) -> dict:
    """Return accuracies on a release, or on the records themselves without a budget."""
    x, person, kept, fitted = records(task)
    shown, found = x, {}
    if budget is not None:
        method = AIOI(budget=budget, random_state=seed, noise_seed=seed)
        start = cpu_seconds()
        method.fit(x[fitted], kept[fitted], sensitive_features=person[fitted].astype(str))
        found = {"training_cpu_seconds": round(cpu_seconds() - start, 1), "own": method.diagnostics_["fresh_leakage"]}
        shown = method.transform(x)
        found["person, fixed"] = accuracy("image", (x, shown), person, fitted, seed)
        found["kept, fixed"] = accuracy("image", (x, shown), kept, fitted, seed)
    tries = {kind: accuracy(kind, (shown, shown), person, fitted, seed) for kind in ("image", "perceptron")}
    found["person, re-trained"] = max(tries.values())
    found["kept, re-trained"] = accuracy("image", (shown, shown), kept, fitted, seed)
    return found


def main() -> None:
    """Measure what is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=1)
    given = parser.parse_args()
    torch.set_num_threads(1)
    ledger = Ledger("aioi_windows")
    for seed in range(given.seeds):
        for task in ("speech", "watch"):
            for budget in (None, *BUDGETS):
                name = "raw" if budget is None else f"{budget:g}"
                ledger.measure(f"{task}, {name}, seed {seed}", lambda t=task, k=budget, i=seed: case(t, k, i))


if __name__ == "__main__":
    main()
