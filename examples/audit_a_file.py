"""A colleague deletes the column `marr` from a survey and calls the file safe. Is it?"""

import matplotlib

matplotlib.use("Agg")
from withhold import audit_release, load_401k

shared, married, plan = load_401k(n_samples=4000)
shared["e401k"] = plan  # all columns but one are in the file

record = audit_release(shared, sensitive_features=married, budget=0.05, effort="quick")
print(record.statement)
for finding in record.findings:
    if finding.severity != "info":
        print("-", finding.text)

figure = record.plot().figure
figure.savefig("audit_a_file.png", dpi=120, bbox_inches="tight")
