"""Why the attacker in the headline need not be the highest one on the same page."""

from collections.abc import Mapping

from withhold.contracts.audit_record import AttackerResult
from withhold.contracts.quantity import Quantity

# What is printed with this many decimals is the same for a reader.
SHOWN = 3
SCORES = (
    ("balanced_accuracy", "balanced accuracy"),
    ("auc", "AUC"),
    ("tpr_at_1pct_fpr", "rate of true positives"),
)


def choice_note(total: Quantity, attackers: Mapping[str, AttackerResult]) -> str | None:
    """Return one sentence where another attacker stands higher than the one in the headline, else None.

    Parameters
    ----------
    total : Quantity
        What the chosen attacker learned; its name is `total.attacker`.
    attackers : mapping of str to AttackerResult
        Everyone's results on the scored rows.

    Examples
    --------
    >>> def one(value, auc):
    ...     return AttackerResult(leakage=Quantity(value=value, kind="lower_bound"), auc=auc)
    >>> chosen = Quantity(value=0.02, kind="lower_bound", attacker="mlp")
    >>> choice_note(chosen, {"mlp": one(0.02, 0.6), "qda": one(0.01, 0.5)}) is None
    True
    >>> choice_note(chosen, {"mlp": one(0.02, 0.6), "qda": one(0.024, 0.5)})[:58]
    "Here 'mlp' reads 0.020 nat, on the same rows 'qda' 0.024. "
    """
    chosen = total.attacker
    if chosen is None or chosen not in attackers:
        return None
    higher = []
    top = max(attackers, key=lambda name: attackers[name].leakage.value)
    if round(attackers[top].leakage.value, SHOWN) > round(total.value, SHOWN):
        more = attackers[top].leakage.value
        higher.append(f"'{chosen}' reads {total.value:.3f} nat, on the same rows '{top}' {more:.3f}")
    for field, words in SCORES:
        known = {name: getattr(one, field) for name, one in attackers.items() if getattr(one, field) is not None}
        best = max(known, key=lambda name: known[name], default=chosen)
        if best != chosen and round(known[best], SHOWN) > round(known.get(chosen, 0.0), SHOWN):
            higher.append(f"the highest {words}, {known[best]:.3f}, is that of '{best}'")
    if not higher:
        return None
    listed = higher[0] if len(higher) == 1 else f"{', '.join(higher[:-1])}, and {higher[-1]}"
    return (
        f"Here {listed}. The headline attacker was chosen beforehand, on other rows; the interval covers all of them."
    )
