"""Images as vectors: hide how thick the stroke is, from a linear reader and from one that is not."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from withhold import LEACE, DeepMinMax, load_thick_digits

X, thick, digit = load_thick_digits()
X = StandardScaler().fit_transform(X)
half = len(X) // 2

releases = {"as they are": X}
for name, method in {"LEACE": LEACE(), "DeepMinMax": DeepMinMax(rounds=150, random_state=0, noise_seed=0)}.items():
    releases[name] = method.fit(X[:half], sensitive_features=thick[:half]).transform(X)

readers = {
    "thickness, linear reader": (LogisticRegression(max_iter=5000), thick),
    "thickness, boosted trees": (HistGradientBoostingClassifier(random_state=0, max_iter=60), thick),
    "digit, linear reader": (LogisticRegression(max_iter=5000), digit),
}
figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
for i, (name, Z) in enumerate(releases.items()):
    right = [100 * model.fit(Z[:half], y[:half]).score(Z[half:], y[half:]) for model, y in readers.values()]
    print(f"{name}: " + ", ".join(f"{who} right for {r:.0f} of 100" for who, r in zip(readers, right, strict=True)))
    drawn = axes.bar(np.arange(3) + 0.27 * (i - 1), right, 0.25, label=name)
    axes.bar_label(drawn, fmt="%.0f", fontsize=8)
axes.axhline(50, color="black", linestyle=":", linewidth=1)
axes.set(xticks=range(3), xticklabels=readers, ylabel="right, of 100", ylim=(0, 118))
axes.legend(ncols=3, frameon=False, loc="upper left")
figure.savefig("hide_in_embeddings.png", dpi=120)
