"""Digits from three scanners: read the digit, and do not tell which scanner it was."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingClassifier

from withhold import ERM, IIDM

rng = np.random.default_rng(0)
pixels, digit = load_digits(return_X_y=True)
scanner = rng.integers(3, size=len(pixels))
contrast, brightness = np.array([1.0, 0.7, 0.5])[scanner], np.array([0.0, 0.25, 0.5])[scanner]
X = pixels / 16 * contrast[:, None] + brightness[:, None] + 0.05 * rng.normal(size=pixels.shape)
X = X.astype("float32")
half = len(X) // 2

found = {}
for name, method in {"plain training": ERM, "IIDM": IIDM}.items():
    model = method(rounds=800, random_state=0, noise_seed=0)
    model.fit(X[:half], digit[:half], sensitive_features=scanner[:half])
    Z = model.transform(X)
    attacker = HistGradientBoostingClassifier(random_state=0, max_iter=60).fit(Z[:half], scanner[:half])
    found[name] = (
        100 * (model.predict(X[half:]) == digit[half:]).mean(),
        100 * attacker.score(Z[half:], scanner[half:]),
    )
    print(f"{name}: digit right for {found[name][0]:.0f} of 100, scanner guessed for {found[name][1]:.0f} (chance 33)")

figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
for i, (name, values) in enumerate(found.items()):
    drawn = axes.bar(np.arange(2) + 0.36 * (i - 0.5), values, 0.34, label=name)
    axes.bar_label(drawn, fmt="%.0f")
axes.axhline(100 / 3, xmin=0.5, color="black", linestyle=":", linewidth=1)
axes.set(xticks=range(2), xticklabels=["digit read", "scanner guessed (chance 33)"])
axes.set(ylabel="right, of 100", ylim=(0, 112))
axes.legend(frameon=False)
figure.savefig("invariant_domains.png", dpi=120)
