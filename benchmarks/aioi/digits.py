"""MNIST with stroke thickness as the sensitive attribute: data, fixed networks, attackers, one row a release.

U is the digit. S is whether the stroke is thick: ink area over perimeter, cut at the median of each digit over the fit
part, so that the digit tells nothing of it. Parts: the first 50,000 training images fit a filter and, released, train
the attackers; the last 10,000 are for choosing settings (`valid`); the official test part is for the figures.

A row has the form of the paper's Table 1: a fixed attacker and the fixed digit network, both trained once on original
images, and attackers trained on the release - at least three kinds, 1,600 steps each; the row states the best of them.
Confidence is the mean probability given to the true value, as read by the same network.

    python benchmarks/aioi/digits.py           what the original images give
"""

import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")
sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np  # noqa: E402
import torch  # noqa: E402
from ledger import data_dir  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402

FIT = 50_000
STEPS, BATCH, RATE, DECAY = 1_600, 128, 3e-3, 1e-2
FIXED_STEPS = 3_000
CHUNK = 2_000
INK = 128  # a pixel darker than half is ink

Release = Callable[[np.ndarray, str], np.ndarray]


@dataclass(frozen=True)
class Part:
    """Images as float32 (n, 28, 28) in [0, 1], digits and thickness as int64."""

    x: np.ndarray
    digit: np.ndarray
    thick: np.ndarray


def thickness(images: np.ndarray) -> np.ndarray:
    """Ink area over perimeter of uint8 images; the perimeter counts sides between ink and paper."""
    ink = np.pad(images >= INK, ((0, 0), (1, 1), (1, 1)))
    sides = (ink[:, 1:] != ink[:, :-1]).sum(axis=(1, 2)) + (ink[:, :, 1:] != ink[:, :, :-1]).sum(axis=(1, 2))
    return ink.sum(axis=(1, 2)) / np.maximum(sides, 1)


@lru_cache(maxsize=1)
def load() -> dict[str, Part]:
    """Return the parts "fit", "valid" and "test"."""
    with np.load(data_dir() / "mnist.npz") as file:
        data = {name: file[name] for name in file.files}
    ratio = thickness(data["x_train"])
    digits = data["y_train"].astype(np.int64)
    cut = np.array([np.median(ratio[:FIT][digits[:FIT] == d]) for d in range(10)])

    def part(x: np.ndarray, y: np.ndarray) -> Part:
        return Part(x.astype(np.float32) / 255, y, (thickness(x) > cut[y]).astype(np.int64))

    return {
        "fit": part(data["x_train"][:FIT], digits[:FIT]),
        "valid": part(data["x_train"][FIT:], digits[FIT:]),
        "test": part(data["x_test"], data["y_test"].astype(np.int64)),
    }


class Pooled(nn.Module):
    """Small filters and averages over the whole picture beside its largest values: textures and stroke widths."""

    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 16, 3, stride=2, padding=1),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, stride=2, padding=1),
            nn.BatchNorm2d(32),
            nn.ReLU(),
            nn.Conv2d(32, 32, 3, padding=1),
            nn.BatchNorm2d(32),
            nn.ReLU(),
        )
        self.head = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, outputs))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.body(x)
        return self.head(torch.cat([x.mean(dim=(2, 3)), x.amax(dim=(2, 3))], dim=1))


def convolutional(outputs: int) -> nn.Module:
    """Two convolutions and two layers, which see where things are; also the fixed networks."""
    return nn.Sequential(
        nn.Conv2d(1, 16, 5, stride=2, padding=2),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(32 * 49, 128),
        nn.ReLU(),
        nn.Dropout(0.3),
        nn.Linear(128, outputs),
    )


def perceptron(outputs: int) -> nn.Module:
    """Three layers on pixels."""
    return nn.Sequential(
        nn.Flatten(),
        nn.Linear(784, 512),
        nn.BatchNorm1d(512),
        nn.ReLU(),
        nn.Dropout(0.3),
        nn.Linear(512, 256),
        nn.BatchNorm1d(256),
        nn.ReLU(),
        nn.Dropout(0.3),
        nn.Linear(256, outputs),
    )


KINDS: dict[str, Callable[[int], nn.Module]] = {
    "convolutional": convolutional,
    "pooled": Pooled,
    "perceptron": perceptron,
}


def tensor(x: np.ndarray) -> torch.Tensor:
    """Images as a float tensor (n, 1, 28, 28)."""
    return torch.from_numpy(np.ascontiguousarray(x, dtype=np.float32)).reshape(-1, 1, 28, 28)


def train(kind: str, x: np.ndarray, labels: np.ndarray, outputs: int, seed: int, steps: int = STEPS) -> nn.Module:
    """Train a network of one of `KINDS` and return it frozen."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        net = KINDS[kind](outputs).to(memory_format=torch.channels_last).train()
        images, targets = tensor(x), torch.from_numpy(labels)
        centre, spread = float(images.mean()), max(float(images.std()), 1e-6)
        optimiser = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=DECAY)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps)
        order = torch.empty(0, dtype=torch.int64)
        for _ in range(steps):
            if len(order) < BATCH:
                order = torch.cat([order, torch.randperm(len(images))])
            rows, order = order[:BATCH], order[BATCH:]
            batch = ((images[rows] - centre) / spread).contiguous(memory_format=torch.channels_last)
            loss = functional.cross_entropy(net(batch), targets[rows])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
    return Scaled(net, centre, spread).eval().requires_grad_(False)


class Scaled(nn.Module):
    """A network on images scaled as those it was trained on; takes (n, 1, 28, 28) in [0, 1], differentiable."""

    def __init__(self, net: nn.Module, centre: float = 0.0, spread: float = 1.0) -> None:
        super().__init__()
        self.net = net
        self.register_buffer("scale", torch.tensor([centre, spread]))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.net((x - self.scale[0]) / self.scale[1])


@torch.no_grad()
def log_probabilities(net: nn.Module, x: np.ndarray) -> np.ndarray:
    """log p of each class, float64 (n, classes)."""
    parts = [net(tensor(x[start : start + CHUNK])) for start in range(0, len(x), CHUNK)]
    return functional.log_softmax(torch.cat(parts).double(), dim=1).numpy()


def fixed(what: str) -> nn.Module:
    """The fixed network of "digit" or "thick": trained once on original images, kept in a folder for temporary files.

    It takes (n, 1, 28, 28) in [0, 1] and returns logits.
    """
    outputs = {"digit": 10, "thick": 2}[what]
    folder = Path(os.environ.get("WITHHOLD_CACHE", tempfile.gettempdir())) / "withhold-benchmarks"
    path = folder / f"mnist-{what}-{FIXED_STEPS}.npz"
    if path.exists():
        net = Scaled(convolutional(outputs))
        with np.load(path) as file:
            net.load_state_dict({name: torch.from_numpy(file[name]) for name in file.files})
        return net.eval().requires_grad_(False)
    fit = load()["fit"]
    net = train("convolutional", fit.x, getattr(fit, what), outputs, seed=0, steps=FIXED_STEPS)
    folder.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{os.getpid()}.npz")
    np.savez(temporary, **{name: value.numpy() for name, value in net.state_dict().items()})
    os.replace(temporary, path)
    return net


def reading(net: nn.Module, x: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    """Accuracy, confidence and cross-entropy of one network."""
    log_p = log_probabilities(net, x)
    own = log_p[np.arange(len(labels)), labels]
    return {
        "accuracy": round(float((log_p.argmax(axis=1) == labels).mean()), 4),
        "confidence": round(float(np.exp(own).mean()), 4),
        "cross_entropy": round(float(-own.mean()), 4),
    }


def entropy(labels: np.ndarray) -> float:
    """Entropy of labels in nats."""
    share = np.bincount(labels) / len(labels)
    return float(-(share[share > 0] * np.log(share[share > 0])).sum())


def judge(release: Release, seed: int = 0, part: str = "test", steps: int = STEPS) -> dict:
    """One row: `release(images, part)` is called once for "fit" and once for `part`; images are (n, 28, 28) in [0, 1].

    Returns
    -------
    dict
        ``fixed_thick``, ``fixed_digit``: the fixed networks; ``thick``: each re-trained attacker; ``adversarial``: the
        one of highest accuracy, with ``leakage`` = H(S) minus the least cross-entropy of any, in nats (a lower bound on
        what the release tells, chosen on the rows it is stated for); ``digit``: a digit network trained on the release.
    """
    parts = load()
    fit, own = parts["fit"], parts[part]
    shown, judged = (np.asarray(release(p.x, name), np.float32) for p, name in ((fit, "fit"), (own, part)))
    thick = {kind: reading(train(kind, shown, fit.thick, 2, seed + 1, steps), judged, own.thick) for kind in KINDS}
    best = max(thick, key=lambda kind: thick[kind]["accuracy"])
    least = min(found["cross_entropy"] for found in thick.values())
    return {
        "fixed_thick": reading(fixed("thick"), judged, own.thick),
        "fixed_digit": reading(fixed("digit"), judged, own.digit),
        "adversarial": {"attacker": best, **thick[best], "leakage": round(max(0.0, entropy(own.thick) - least), 4)},
        "thick": thick,
        "digit": reading(train("convolutional", shown, fit.digit, 10, seed + 1, steps), judged, own.digit),
        "distance": round(float(np.sqrt(np.mean((judged - own.x) ** 2))), 4),
        "part": part,
    }


if __name__ == "__main__":
    torch.set_num_threads(1)
    for key, value in judge(lambda x, part: x, part="valid").items():
        print(f"{key}: {value}")
