"""One attack on one attribute of any kind, and the chain of attacks on several attributes together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from withhold.audit.attackers.attacker import Attacker, Inputs, ScoreAttacker
from withhold.audit.attackers.mixture import NAME as MIXTURE
from withhold.audit.design import Design
from withhold.audit.leakage.continuous import attack_continuous
from withhold.audit.leakage.crossfit import cross_fit
from withhold.audit.leakage.log_ratios import LogRatios
from withhold.audit.leakage.places import BEFORE
from withhold.audit.leakage.row_order import NAME as ORDER
from withhold.audit.view.features import as_column
from withhold.audit.view.view import AttackView
from withhold.data.attribute import Attribute, Attributes


@dataclass(frozen=True)
class Panel:
    """Who attacks categorical attributes, and who attacks normal scores of continuous ones."""

    classes: Sequence[type[Attacker]]
    scores: Sequence[type[ScoreAttacker]]

    def only(self, *names: str) -> "Panel":
        """Return the members with these names; the whole panel where it has none of them."""
        return Panel(
            [a for a in self.classes if a.name in names] or self.classes,
            [a for a in self.scores if a.name in names] or self.scores,
        )

    def inputs(self) -> dict[str, str]:
        """Return what each member reads."""
        read = {**{a.name: a.inputs for a in self.classes}, **{a.name: a.inputs for a in self.scores}}
        return {**read, MIXTURE: "guesses", ORDER: "row order"}

    def names(self) -> list[str]:
        """Return who attacks a categorical attribute, the pool of two members or more included."""
        members = [a.name for a in self.classes]
        return [*members, MIXTURE] if len(members) > 1 else members


def attack(inputs: Inputs, attribute: Attribute, panel: Panel, design: Design, purpose: str) -> LogRatios:
    """Attack `attribute` in `inputs` with the part of the panel that fits its kind."""
    purpose = f"{purpose} {attribute.name}"
    if attribute.kind == "categorical":
        return cross_fit(inputs, attribute.codes, attribute.n_classes, panel.classes, design, purpose)
    return attack_continuous(inputs, attribute.values, panel.classes, panel.scores, design, purpose)


def attack_chain(
    table: pa.Table,
    attributes: Attributes,
    panel: Panel,
    small: Panel,
    design: Design,
    purpose: str,
    row_order: bool = True,
) -> LogRatios:
    """Attack several attributes together by the chain rule: each from the release and those before it.

    I(S1, S2; Z) = I(S1; Z) + I(S2; Z | S1), and the second term is what Z and S1 tell about S2 less what S1 alone
    tells. The latter is estimated, so the sum is an estimate and no bound.
    """
    total = attack(AttackView.fit(table, row_order), attributes[0], panel, design, purpose)
    for j in range(1, len(attributes)):
        before = pa.table({f"\x00{a.name}": as_column(a) for a in attributes[:j]})
        base = attack(AttackView.fit(before, row_order=False), attributes[j], small, design, f"{purpose} base")
        wide = table
        for name in before.column_names:
            wide = wide.append_column(name, before.column(name))
        step = attack(AttackView.fit(wide, row_order), attributes[j], panel, design, purpose)
        beyond = step.minus(base.best())
        failures = {**beyond.failures, **{name + BEFORE: why for name, why in base.failures.items()}}
        total = total.plus(replace(beyond, failures=failures))
    return total
