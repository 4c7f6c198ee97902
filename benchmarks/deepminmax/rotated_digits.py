"""A frozen embedding in which a digit and its rotation are both written: the material of `embedding.py`.

Images are MNIST digits turned by an angle drawn from [-45, 45) degrees; S is the angle in six bins of 15 degrees. A
small CNN is trained on both, digit and bin; its 32-d penultimate layer is the embedding somebody wants to share.
"""

import numpy as np
import torch
from scipy.ndimage import affine_transform
from torch import nn

BINS = 6
SPAN = 90.0


def rotate(images: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Turn each image by its own angle about the centre, bilinear; return images and bins."""
    angles = rng.uniform(-SPAN / 2, SPAN / 2, len(images))
    centre = (np.array(images.shape[1:]) - 1) / 2
    turned = np.empty(images.shape, np.float32)
    for i, (image, angle) in enumerate(zip(images, np.deg2rad(angles), strict=True)):
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        turned[i] = affine_transform(image.astype(np.float32), turn, centre - turn @ centre, order=1)
    return turned / 255, ((angles + SPAN / 2) // (SPAN / BINS)).astype(np.int64).clip(0, BINS - 1)


class Encoder(nn.Module):
    """Two convolutions and a 32-d penultimate layer, two linear heads."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 5), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(512, 32), nn.ReLU(),
        )  # fmt: skip
        self.digit, self.bin = nn.Linear(32, 10), nn.Linear(32, BINS)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.body(x)


def embed(folder, seed: int, epochs: int = 2) -> dict[str, np.ndarray]:
    """Train the encoder with one seed and return z, digit and bin of the 60,000 training and 10,000 test images."""
    file = np.load(folder / "mnist.npz")
    rng = np.random.default_rng(seed)
    x, s = rotate(file["x_train"], rng)
    x_test, s_test = rotate(file["x_test"], rng)
    y, y_test = file["y_train"].astype(np.int64), file["y_test"].astype(np.int64)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        net = Encoder()
        optimiser = torch.optim.Adam(net.parameters(), 1e-3)
        images, digits, bins = torch.tensor(x)[:, None], torch.tensor(y), torch.tensor(s)
        for _ in range(epochs):
            for batch in torch.randperm(len(images)).split(128):
                z = net(images[batch])
                loss = nn.functional.cross_entropy(net.digit(z), digits[batch])
                loss = loss + nn.functional.cross_entropy(net.bin(z), bins[batch])
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
    with torch.no_grad():
        z = torch.cat([net(b) for b in images.split(5000)]).numpy()
        z_test = net(torch.tensor(x_test)[:, None]).numpy()
    return {"z": z, "y": y, "s": s, "z_test": z_test, "y_test": y_test, "s_test": s_test}
