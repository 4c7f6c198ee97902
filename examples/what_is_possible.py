"""Before anything is trained: what must be lost of one thing where another is hidden?"""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from withhold.information.bounds import check_certificate, frontier

# p(u, s): how often each diagnosis u occurs at each hospital s.
joint = np.array([[0.30, 0.05], [0.10, 0.15], [0.05, 0.35]])
budgets = np.linspace(0, 0.3, 16)
found = frontier(joint, budgets.tolist())
for budget, low, high in list(zip(budgets, found.lower_bound, found.upper_bound, strict=True))[::5]:
    print(
        f"{budget:.2f} nat of the hospital allowed: at least {low:.3f} nat of the diagnosis lost, {high:.3f} is enough"
    )
shown = check_certificate(found.certificates[5], joint, budgets[5])
print(f"The certificate of {budgets[5]:.2f} nat, checked without the solver: H(U|Z) is at least {shown:.3f} nat.")

figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
axes.fill_between(budgets, 0, found.lower_bound, color="0.9", label="impossible")
axes.plot(budgets, found.lower_bound, color="black", label="certified lower bound")
axes.plot(budgets, found.upper_bound, "o", mfc="none", label="reached by a known mechanism")
axes.set(xlabel="allowed to be told of the hospital (nat)", ylabel="lost of the diagnosis (nat)", ylim=(0, None))
axes.legend(frameon=False)
figure.savefig("what_is_possible.png", dpi=120)
