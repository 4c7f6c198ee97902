"""Digits released one by one under differential privacy; what do the records add to the generator?"""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from withhold import CADP

X, digit = load_digits(return_X_y=True)
X = (X / 16).astype("float32")
public, shared, test = slice(0, 800), slice(800, 1400), slice(1400, None)


def worth(rows: object) -> float:
    """Per cent of unseen originals that a model trained on these rows reads right."""
    return 100 * LogisticRegression(max_iter=3000).fit(rows, digit[shared]).score(X[test], digit[test])


found = {}
for epsilon in (1, 4, 10):
    method = CADP(epsilon=epsilon, random_state=0).fit(X[public], digit[public])  # these rows are not released
    found[epsilon] = worth(method.transform(X[shared], digit[shared]))
    print(f"epsilon {epsilon}: {found[epsilon]:.0f} of 100")
    print(method.guarantee())
originals, none = worth(X[shared]), worth(method.control(digit[shared]))
print(f"originals: {originals:.0f} of 100; no record at all: {none:.0f} of 100")

figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
axes.plot(list(found), list(found.values()), "o-", label="released records")
axes.axhline(originals, color="black", linestyle="--", label="originals")
axes.axhline(none, color="gray", linestyle=":", label="no record at all")
axes.set(xlabel="epsilon (smaller is stronger)", ylabel="digits read, of 100", ylim=(0, 104))
axes.legend(frameon=False, loc="lower right")
figure.savefig("private_records.png", dpi=120)
