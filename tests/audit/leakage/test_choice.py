import numpy as np

from withhold.audit.leakage.choice import choice_note
from withhold.audit.run import audit_release
from withhold.contracts.audit_record import AttackerResult
from withhold.contracts.quantity import Quantity


def one(value, accuracy=0.55, area=0.6):
    return AttackerResult(leakage=Quantity(value=value, kind="lower_bound"), balanced_accuracy=accuracy, auc=area)


def chosen(value, attacker="mlp"):
    return Quantity(value=value, kind="lower_bound", attacker=attacker)


def test_nothing_is_said_where_the_headline_stands_highest():
    assert choice_note(chosen(0.03), {"mlp": one(0.03, 0.6, 0.7), "qda": one(0.02, 0.59, 0.69)}) is None
    # Alike as printed, and a headline without a name (the chain of several attributes).
    assert choice_note(chosen(0.03), {"mlp": one(0.03), "qda": one(0.0302)}) is None
    assert choice_note(chosen(0.03, None), {"mlp": one(0.03), "qda": one(0.09)}) is None


def test_whoever_stands_higher_is_named_with_the_reason():
    note = choice_note(
        chosen(0.03), {"mlp": one(0.03, 0.55, 0.6), "qda": one(0.041, 0.58, 0.6), "trees": one(0.01, 0.5, 0.7)}
    )
    assert "'mlp' reads 0.030 nat, on the same rows 'qda' 0.041" in note
    assert "highest balanced accuracy, 0.580, is that of 'qda'" in note
    assert "and the highest AUC, 0.700, is that of 'trees'" in note
    assert "interval covers all of them" in note


def test_an_audit_explains_each_number_above_its_headline():
    rng = np.random.default_rng(3)
    notes = 0
    for _ in range(4):
        s = rng.integers(0, 2, 300)
        z = rng.normal(size=(300, 3)) + 0.25 * s[:, None]
        record = audit_release(z, sensitive_features=s, effort="quick", attackers=["logistic", "qda", "neighbours"])
        result = record.sensitive["sensitive_features"]
        best = result.leakage_total
        higher = [a for a in result.attackers.values() if round(a.leakage.value, 3) > round(best.value, 3)]
        accurate = result.balanced_accuracy - result.attackers[best.attacker].balanced_accuracy
        assert bool(result.choice_note) >= bool(higher or round(accurate, 3) > 0)
        notes += bool(result.choice_note)
    assert notes  # small samples: choices and scores do differ
