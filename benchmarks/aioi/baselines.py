"""What one would do without a learned filter: black out, pixelate, blur, add noise, or rewrite the attribute at random.

Each is a function from images (n, 28, 28) in [0, 1] to images. `rewriter` is in the manner of Fader networks, written
from the description in the paper's Section 5.3: an autoencoder whose code a discriminator cannot tell the attribute
from, and whose decoder is given the attribute; released with an attribute drawn at random.

    python benchmarks/aioi/baselines.py [--case NAME ...] [--seed N ...]    rows of `digits.judge`, into results/
    python benchmarks/aioi/baselines.py --table                             print them
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

import digits
import numpy as np
import torch
from ledger import Ledger, cpu_seconds
from scipy.ndimage import gaussian_filter
from torch import nn
from torch.nn import functional

NAME = "aioi_baselines"
CODE, STEPS, BATCH, RATE = 48, 1_600, 128, 2e-3
RAMP, PULL = 500, 0.02  # steps over which the discriminator's weight rises, and the weight, in units of mean square


def blackout(images: np.ndarray, rows: slice, columns: slice = slice(None)) -> np.ndarray:
    """Set a region to black paper: the images' background."""
    out = np.array(images)
    out[:, rows, columns] = 0.0
    return out


def pixelate(images: np.ndarray, block: int) -> np.ndarray:
    """Replace each block of pixels by its mean."""
    side = images.shape[1] // block
    means = images.reshape(len(images), side, block, side, block).mean(axis=(2, 4))
    return means.repeat(block, axis=1).repeat(block, axis=2)


def blur(images: np.ndarray, sigma: float) -> np.ndarray:
    """Convolve with a Gaussian."""
    return gaussian_filter(images, (0, sigma, sigma))


def noise(images: np.ndarray, sigma: float, rng: np.random.Generator) -> np.ndarray:
    """Add Gaussian noise and clip to the pixel range."""
    return np.clip(images + sigma * rng.standard_normal(images.shape, dtype=np.float32), 0.0, 1.0)


class Autoencoder(nn.Module):
    """A code of the image without the attribute, and a decoder that is given the attribute."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 16, 4, stride=2, padding=1),
            nn.LeakyReLU(0.2),
            nn.Conv2d(16, 32, 4, stride=2, padding=1),
            nn.LeakyReLU(0.2),
            nn.Flatten(),
            nn.Linear(32 * 49, CODE),
            nn.BatchNorm1d(CODE, affine=False),
        )
        self.decoder = nn.Sequential(
            nn.Linear(CODE + 2, 32 * 49),
            nn.ReLU(),
            nn.Unflatten(1, (32, 7, 7)),
            nn.ConvTranspose2d(32, 16, 4, stride=2, padding=1),
            nn.ReLU(),
            nn.ConvTranspose2d(16, 1, 4, stride=2, padding=1),
            nn.Sigmoid(),
        )

    def decode(self, code: torch.Tensor, attribute: torch.Tensor) -> torch.Tensor:
        """Images of a code and an attribute."""
        return self.decoder(torch.cat([code, functional.one_hot(attribute, 2).float()], dim=1))


def rewriter(images: np.ndarray, attribute: np.ndarray, seed: int, steps: int = STEPS) -> Autoencoder:
    """Train the autoencoder against a discriminator of its code."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        net = Autoencoder().train()
        judge = nn.Sequential(nn.Linear(CODE, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 2))
        own = torch.optim.Adam(net.parameters(), lr=RATE, betas=(0.5, 0.99))
        other = torch.optim.Adam(judge.parameters(), lr=RATE, betas=(0.5, 0.99))
        x, s = digits.tensor(images), torch.from_numpy(attribute)
        for step in range(steps):
            rows = torch.randint(len(x), (BATCH,))
            code = net.encoder(x[rows])
            loss = functional.cross_entropy(judge(code.detach()), s[rows])
            other.zero_grad()
            loss.backward()
            other.step()
            pull = PULL * min(1.0, step / RAMP)
            # The code is to be taken for that of the other value.
            fooled = functional.cross_entropy(judge(code), 1 - s[rows])
            loss = functional.mse_loss(net.decode(code, s[rows]), x[rows]) + pull * fooled
            own.zero_grad()
            loss.backward()
            own.step()
    return net.eval().requires_grad_(False)


@torch.no_grad()
def rewritten(net: Autoencoder, images: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Release images with an attribute drawn at random."""
    drawn = torch.from_numpy(rng.integers(2, size=len(images)))
    parts = [
        net.decode(net.encoder(digits.tensor(images[i : i + 2_000])), drawn[i : i + 2_000])
        for i in range(0, len(images), 2_000)
    ]
    return torch.cat(parts)[:, 0].numpy()


def releases(seed: int) -> dict[str, Callable[[], digits.Release]]:
    """Return what makes each baseline's release; a release draws its noise from the seed and the part."""

    def rng(part: str) -> np.random.Generator:
        return np.random.default_rng([seed, *part.encode()])

    def fixed(function: Callable[..., np.ndarray], *settings) -> Callable[[], digits.Release]:
        return lambda: lambda images, part: function(images, *settings)

    def noisy(sigma: float) -> Callable[[], digits.Release]:
        return lambda: lambda images, part: noise(images, sigma, rng(part))

    def rewrite() -> digits.Release:
        fit = digits.load()["fit"]
        net = rewriter(fit.x, fit.thick, seed)
        return lambda images, part: rewritten(net, images, rng(part))

    return {
        "original": fixed(np.array),
        "blackout, lower half": fixed(blackout, slice(14, 28)),
        "blackout, middle 12 x 12": fixed(blackout, slice(8, 20), slice(8, 20)),
        "pixelation, blocks of 4": fixed(pixelate, 4),
        "pixelation, blocks of 7": fixed(pixelate, 7),
        "blur 1.5": fixed(blur, 1.5),
        "blur 3": fixed(blur, 3.0),
        "noise .5": noisy(0.5),
        "noise 1": noisy(1.0),
        "attribute rewritten at random": rewrite,
    }


def measure(name: str, seed: int, part: str) -> dict:
    """Make one release and judge it."""
    start = cpu_seconds()
    release = releases(seed)[name]()
    made = round(cpu_seconds() - start, 1)
    return digits.judge(release, seed, part) | {"make_cpu_seconds": made}


def table() -> list[str]:
    """Return the rows in the form of the paper's Table 1."""
    lines = [
        "| release | fixed S: conf, acc | re-trained S: conf, acc (by) | leakage (nat) "
        "| fixed digit: conf, acc | re-trained digit | seeds |",
        "|---|---|---|---|---|---|---|",
    ]
    rows: dict[str, list[dict]] = {}
    for key, case in Ledger(NAME).cases.items():
        if case["part"] == "test":
            rows.setdefault(key.split(" / ")[0], []).append(case)

    def mean(cases: list[dict], *path: str) -> float:
        values = []
        for case in cases:
            for step in path:
                case = case[step]
            values.append(case)
        return float(np.mean(values))

    for name in (name for name in releases(0) if name in rows):
        cases = rows[name]
        both = lambda what: f"{mean(cases, what, 'confidence'):.2f}, {100 * mean(cases, what, 'accuracy'):.1f} %"  # noqa: E731, B023
        by = "/".join(sorted({case["adversarial"]["attacker"] for case in cases}))
        cells = [both("fixed_thick"), f"{both('adversarial')} ({by})", f"{mean(cases, 'adversarial', 'leakage'):.3f}"]
        cells += [both("fixed_digit"), f"{100 * mean(cases, 'digit', 'accuracy'):.1f} %", str(len(cases))]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", action="append", choices=list(releases(0)), help="default: all")
    parser.add_argument("--seed", action="append", type=int, help="default: 0")
    parser.add_argument("--part", default="test", choices=["valid", "test"], help="valid: to choose settings")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    if options.table:
        print("\n".join(table()))
        return
    ledger = Ledger(NAME)
    for seed in options.seed or (0,):
        for name in options.case or releases(0):
            key = f"{name} / {seed}" if options.part == "test" else f"{name} / {seed} / valid"
            ledger.measure(key, lambda n=name, r=seed: measure(n, r, options.part))


if __name__ == "__main__":
    main()
