"""Households of a survey: hide who is married, keep who has a pension plan."""

import matplotlib

matplotlib.use("Agg")
from withhold import DeepMinMax, audit_release, load_401k

X, married, plan = load_401k(n_samples=5000)
fitted = X.index < 3000
sanitizer = DeepMinMax(rounds=200, random_state=0, noise_seed=0).fit(X[fitted], sensitive_features=married[fitted])
Z = sanitizer.transform(X)
print("before:", X.iloc[-1].to_dict())
print("after: ", Z.iloc[-1].to_dict())

record = audit_release(
    Z, sensitive_features=married, utility=plan, original=X, fit_rows=fitted, utility_in_release=False,
    budget=0.05, effort="quick",
)  # fmt: skip
print(record.statement)
kept = record.utility["e401k"].score
print(f"plan predicted for {100 * kept.raw:.0f} of 100 before, for {100 * kept.release:.0f} after")

figure = record.plot().figure
figure.savefig("share_a_table.png", dpi=120, bbox_inches="tight")
