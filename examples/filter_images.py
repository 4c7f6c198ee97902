"""Digits drawn again: the digit stays readable, the thickness of the stroke does not."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

from withhold import AIOI, load_thick_digits

images, thick, digit = load_thick_digits(images=True)
half = len(images) // 2

method = AIOI(budget=0.05, rounds=400, random_state=0, noise_seed=0)
filtered = method.fit(images[:half], digit[:half], sensitive_features=thick[:half]).transform(images)


def right(pictures: np.ndarray, answer: np.ndarray) -> float:
    """Per cent of the second half that a new linear reader gets right."""
    rows = pictures.reshape(len(pictures), -1)
    return 100 * LogisticRegression(max_iter=3000).fit(rows[:half], answer[:half]).score(rows[half:], answer[half:])


for name, pictures in {"originals": images, "filtered": filtered}.items():
    print(f"{name}: thickness read for {right(pictures, thick):.0f} of 100, digit for {right(pictures, digit):.0f}")

figure, axes = plt.subplots(2, 10, figsize=(8, 1.9), layout="constrained")
for row, pictures in zip(axes, (images, filtered), strict=True):
    for place, picture in zip(row, pictures[half : half + 10], strict=True):
        place.imshow(picture, cmap="gray_r", vmin=0, vmax=1)
        place.set(xticks=[], yticks=[])
axes[0, 0].set_ylabel("before")
axes[1, 0].set_ylabel("after")
figure.savefig("filter_images.png", dpi=120)
