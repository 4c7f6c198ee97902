"""AIOI on faces: who it is stays readable, glasses are hidden; and the identity of those who did not consent is hidden.

`glasses`: U = person, S = glasses. Attackers learn from other persons than they are scored on (five folds of persons),
because glasses are a habit: who knows the person knows the glasses.

`within`: 15 persons consent, 15 do not, 10 more do not and are never seen in training. U is the person among those who
consent, S the person among those who do not; a face is one or the other, and the value that does not apply is missing.
Images 8 to 10 of every person are for scoring. The attacker trained anew on released faces of all persons is stated
first; the fixed one, trained on original faces, is the one in the paper's Table 2.

    python benchmarks/aioi/faces.py
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

SIDE = (28, 23)
BUDGETS = (0.2, 0.05)
CONSENT, PRIVATE = 15, 15
STEPS, BATCH, RATE, DECAY = 1_500, 64, 3e-3, 1e-2


def faces() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return images (n, 28, 23) in [0, 1] (means of blocks of 4 x 4), person 0-39, number 1-10, glasses."""
    with np.load(data_dir() / "orl_faces.npz") as file:
        x, person, image, glasses = (file[name] for name in ("x", "person", "image", "glasses"))
    blocks = x.astype(np.float32).reshape(len(x), SIDE[0], 4, SIDE[1], 4).mean(axis=(2, 4)) / 255
    return blocks, person.astype(int) - 1, image.astype(int), glasses.astype(int)


def attacker(x: np.ndarray, labels: np.ndarray, outputs: int, seed: int) -> nn.Module:
    """Train a network on images: two convolutions and two layers, with small shifts and mirrored images."""
    torch.manual_seed(seed)
    net = nn.Sequential(
        nn.Conv2d(1, 16, 5, stride=2, padding=2),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(32 * 7 * 6, 128),
        nn.ReLU(),
        nn.Dropout(0.4),
        nn.Linear(128, outputs),
    )
    images, targets = tensor(x), torch.from_numpy(labels)
    optimiser = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, STEPS)
    for _ in range(STEPS):
        rows = torch.randint(len(images), (min(BATCH, len(images)),))
        shift = [int(v) for v in torch.randint(-1, 2, (2,))]
        batch = torch.roll(images[rows], shift, dims=(2, 3))
        if torch.rand(()) < 0.5:
            batch = batch.flip(3)
        optimiser.zero_grad()
        functional.cross_entropy(net(batch), targets[rows]).backward()
        optimiser.step()
        schedule.step()
    return net.eval().requires_grad_(False)


def tensor(x: np.ndarray) -> torch.Tensor:
    """Images as (n, 1, height, width), centred."""
    return (torch.from_numpy(np.ascontiguousarray(x, dtype=np.float32))[:, None] - 0.45) / 0.2


def top(net: nn.Module, x: np.ndarray, labels: np.ndarray, best: int) -> float:
    """Share of images whose true label is among the `best` likeliest."""
    if not len(x):
        return float("nan")
    order = net(tensor(x)).topk(best, dim=1).indices.numpy()
    return round(float((order == labels[:, None]).any(axis=1).mean()), 3)


def glasses(budget: float, seed: int) -> dict:
    """Return accuracies of attackers and readers on a release that hides glasses."""
    x, person, number, worn = faces()
    seen = number <= 7
    method = AIOI(budget=budget, random_state=seed, noise_seed=seed)
    start = cpu_seconds()
    method.fit(x[seen], person[seen].astype(str), sensitive_features=worn[seen])
    seconds = cpu_seconds() - start
    shown, fold = method.transform(x), np.arange(40) % 5
    found = {}
    for name, images in (("re-trained", shown), ("raw", x)):
        right = []
        for held in range(5):
            inside = fold[person] == held
            net = attacker(images[~inside], worn[~inside], 2, seed)
            right.append(net(tensor(images[inside])).argmax(1).numpy() == worn[inside])
        found[f"glasses, {name}"] = round(float(np.concatenate(right).mean()), 3)
        reader = attacker(images[seen], person[seen], 40, seed)
        found[f"person, {name}"] = top(reader, images[~seen], person[~seen], 1)
    found["majority"] = round(float(max(worn.mean(), 1 - worn.mean())), 3)
    return {**found, "own": method.diagnostics_["leakage_lower_bound"], "training_cpu_seconds": round(seconds, 1)}


def within(budget: float | None, seed: int) -> dict:
    """Return top-1 and top-5 of consenting, observed private and unobserved private persons; None: original faces."""
    x, person, number, _ = faces()
    order = np.random.default_rng(seed).permutation(40)
    role = np.empty(40, int)
    role[order] = np.repeat([0, 1, 2], [CONSENT, PRIVATE, 40 - CONSENT - PRIVATE])
    seen = number <= 7
    inside = seen & (role[person] < 2)
    names = np.array([f"p{i:02d}" for i in range(40)], dtype=object)[person]
    consenting = np.where(role[person] == 0, names, None)
    private = np.where(role[person] == 1, names, None)
    shown, found, nets = x, {}, {"fixed": attacker(x[seen], person[seen], 40, seed)}
    if budget is not None:
        method = AIOI(budget=budget, random_state=seed, noise_seed=seed)
        start = cpu_seconds()
        method.fit(x[inside], consenting[inside], sensitive_features=private[inside])
        found = {"training_cpu_seconds": round(cpu_seconds() - start, 1)}
        shown, found["own"] = method.transform(x), method.diagnostics_["leakage_lower_bound"]
        nets["re-trained"] = attacker(shown[seen], person[seen], 40, seed)
    for name, net in nets.items():
        for number_, who in enumerate(("consenting", "observed private", "unobserved private")):
            rows = ~seen & (role[person] == number_)
            found[f"{who}, {name}"] = [top(net, shown[rows], person[rows], best) for best in (1, 5)]
    return found


def main() -> None:
    """Measure what is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=1)
    given = parser.parse_args()
    torch.set_num_threads(1)
    ledger = Ledger("aioi_faces")
    for seed in range(given.seeds):
        ledger.measure(f"within, raw, seed {seed}", lambda i=seed: within(None, i))
        for budget in BUDGETS:
            for task in (glasses, within):
                ledger.measure(f"{task.__name__}, {budget:g}, seed {seed}", lambda t=task, k=budget, i=seed: t(k, i))


if __name__ == "__main__":
    main()
