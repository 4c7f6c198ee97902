"""MNIST under CADP: the two halves, what a release keeps of a record, and a classifier trained on releases."""

import numpy as np
import torch
from torch import nn

HALF = 30_000


def read(folder, seed):
    """Return (public, private, test) as pairs of images and labels; `seed` decides which half is which."""
    data = np.load(folder / "mnist.npz")
    order = np.arange(2 * HALF) if seed == 0 else np.random.default_rng(seed).permutation(2 * HALF)
    images, labels = data["x_train"][order], data["y_train"][order]
    return (images[:HALF], labels[:HALF]), (images[HALF:], labels[HALF:]), (data["x_test"], data["y_test"])


def ink_and_slant(images):
    """Return the ink of each image and the slant of its stroke (covariance of place over variance of height)."""
    mass = images.reshape(len(images), 28, 28).astype(np.float64) / 255
    ink = mass.sum(axis=(1, 2))
    up, across = np.mgrid[:28, :28] - 13.5
    safe = np.maximum(ink, 1e-9)[:, None, None]
    share = mass / safe
    y, x = (share * up).sum(axis=(1, 2)), (share * across).sum(axis=(1, 2))
    dy, dx = up - y[:, None, None], across - x[:, None, None]
    return ink, -(share * dy * dx).sum(axis=(1, 2)) / np.maximum((share * dy**2).sum(axis=(1, 2)), 1e-9)


def kept(before, after, labels):
    """Return the mean over classes of the correlation of ink and of slant, before against after."""
    pairs = zip(ink_and_slant(before), ink_and_slant(after), strict=True)
    means = [np.mean([np.corrcoef(a[labels == c], b[labels == c])[0, 1] for c in range(10)]) for a, b in pairs]
    return {"ink": round(float(means[0]), 4), "slant": round(float(means[1]), 4)}


class Classifier(nn.Sequential):
    """Two convolutions and two linear layers, as in the paper's table."""

    def __init__(self):
        super().__init__(
            nn.Conv2d(1, 16, 5, stride=2, padding=2),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(32 * 49, 128),
            nn.ReLU(),
            nn.Linear(128, 10),
        )


def accuracy(images, labels, test, seed, steps=800, batch=128, rate=1e-3):
    """Train a classifier on `images` and return its accuracy on `test`: in so many steps, so that n does not decide."""
    torch.manual_seed(seed)
    net, generator = Classifier(), torch.Generator().manual_seed(seed)
    optimiser = torch.optim.Adam(net.parameters(), lr=rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    X, y = torch.from_numpy(images.astype(np.float32) / 255)[:, None], torch.from_numpy(labels.astype(np.int64))
    for _ in range(steps):
        rows = torch.randint(len(X), (batch,), generator=generator)
        loss = nn.functional.cross_entropy(net(X[rows]), y[rows])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    with torch.no_grad():
        shown = torch.from_numpy(test[0].astype(np.float32) / 255)[:, None]
        guess = torch.cat([net(part).argmax(dim=1) for part in torch.split(shown, 1000)]).numpy()
    return round(float((guess == test[1]).mean()), 4)
