"""Digits whose colour goes with the digit in training and with nothing afterwards."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from withhold import ERM, MIBackprop

rng = np.random.default_rng(0)
digits = load_digits()
label = (digits.target >= 5).astype(int)
half = len(label) // 2
with_label = np.where(rng.random(len(label)) < 0.98, label, 1 - label)  # 98 of 100 have the colour of their class
anew = rng.integers(2, size=len(label))


def coloured(colour: np.ndarray) -> np.ndarray:
    """Return each digit beside two numbers that hold its colour."""
    pixels = digits.data / 16
    return np.column_stack([pixels, 2 * colour, 2 * (1 - colour)]).astype("float32")


train, biased, unbiased = coloured(with_label)[:half], coloured(with_label)[half:], coloured(anew)[half:]
found = {}
methods = {
    "plain training": ERM(rounds=300, random_state=0, noise_seed=0),
    "MIBackprop": MIBackprop(rounds=300, decorrelate=True, random_state=0, noise_seed=0),
}
for name, method in methods.items():
    model = method.fit(train, label[:half], sensitive_features=with_label[:half])
    found[name] = [100 * (model.predict(X) == label[half:]).mean() for X in (biased, unbiased)]
    print(f"{name}: right for {found[name][0]:.0f} of 100 with the bias, for {found[name][1]:.0f} without")

figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
for i, (name, values) in enumerate(found.items()):
    drawn = axes.bar(np.arange(2) + 0.36 * (i - 0.5), values, 0.34, label=name)
    axes.bar_label(drawn, fmt="%.0f")
axes.set(xticks=range(2), xticklabels=["colour as in training", "colour drawn anew"])
axes.set(ylabel="right, of 100", ylim=(0, 125))
axes.legend(frameon=False, loc="upper right", ncols=2)
figure.savefig("biased_training.png", dpi=120)
