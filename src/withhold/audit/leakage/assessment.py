"""The assessment of one sensitive attribute: every attack, plant and control, and the numbers they come to."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from withhold.audit.attackers.attacker import Inputs
from withhold.audit.design import Design
from withhold.audit.leakage.attack import Panel, attack, attack_chain
from withhold.audit.leakage.choice import choice_note
from withhold.audit.leakage.continuous import entropy_of
from withhold.audit.leakage.controls import FLOOR_PANEL, control, hard_predictions, utility_alone
from withhold.audit.leakage.detection import Detection, Planter, search
from withhold.audit.leakage.efforts import over_efforts
from withhold.audit.leakage.evidence import Evidence
from withhold.audit.leakage.gaps import Failure
from withhold.audit.leakage.log_ratios import LogRatios
from withhold.audit.leakage.material import Material
from withhold.audit.leakage.parts import Judge, attacker_results, leakage_by_class
from withhold.audit.leakage.places import (
    RELEASE,
    TABLE,
    UTILITY_ONLY,
    WITH_UTILITY,
    WITHOUT_UTILITY,
    member_of,
    place_of,
)
from withhold.audit.leakage.row_order import attack_order
from withhold.audit.leakage.subject_table import attack_subjects
from withhold.audit.leakage.subjects import subject_level, why_no_subjects
from withhold.audit.stages import ATTACKING, CONTROLS, PLANTING
from withhold.contracts.audit_record import ControlResult, SensitiveResult
from withhold.contracts.budgets import JOINT, Budgets
from withhold.contracts.quantity import Kind, Quantity
from withhold.contracts.timetable import begin, report
from withhold.data.attribute import Attribute, Attributes


@dataclass(frozen=True)
class Assessment:
    """The record of one attribute before its verdict, what the verdict rests on, and what was found record by record.

    Attributes
    ----------
    found : LogRatios
        Of everything the recipient is assumed to hold.
    subjects : LogRatios or None
        Of the table of subjects, where it was judged.
    """

    result: SensitiveResult
    evidence: Evidence
    found: LogRatios
    subjects: LogRatios | None = None

    @property
    def failures(self) -> tuple[Failure, ...]:
        """Members of the panel that could not be fitted somewhere, where, and why."""
        failed = dict(self.found.failures)
        if self.subjects is not None:
            failed |= {name + TABLE: why for name, why in self.subjects.failures.items()}
        with_utility = any(name.endswith(WITHOUT_UTILITY) for name in self.found.names)
        whole = WITH_UTILITY if with_utility else RELEASE
        return tuple(Failure(member_of(name), place_of(name, whole), why) for name, why in failed.items())


class Assessor:
    """Assesses attributes against one material, with one panel and one design."""

    def __init__(
        self,
        material: Material,
        panel: Panel,
        design: Design,
        judge: Judge,
        budgets: Budgets,
        tell: Callable[[str], None],
        lower: Sequence[Design] = (),
    ) -> None:
        self.material, self.panel, self.design, self.judge = material, panel, design, judge
        self.budgets, self.tell, self.lower = budgets, tell, lower
        # What no sanitiser made, or what is about permuted S, hangs on none of them.
        self.bare = replace(judge, makers=None)
        effort = design.effort
        self.small = panel.only(*effort.control_panel)
        self.control_design = replace(
            design, fold=design.fold % effort.control_folds, scored_folds=tuple(range(effort.control_folds))
        )

    def assess(self, attribute: Attribute, aligned: bool, limit: bool = True, chained: bool = False) -> Assessment:
        """Assess one attribute; `limit` says whether the detection limit is searched beyond size = budget.

        One of several that are `chained` answers for all of them: its plants are no larger than their common budget.
        """
        begin(ATTACKING)
        self.tell(f"attacking {attribute.name}")
        found = self._attack(self.material.view, attribute, "release", ordered=True)
        pieces = 1 + (self.material.total_view is not None) + len(self.material.surfaces)
        report(1 / pieces)
        alone, total, given = self._with_utility(attribute, found)
        report(1 - len(self.material.surfaces) / pieces)
        beside, total = self._beside(attribute, total)
        weak = self._weak(attribute)
        begin(PLANTING)
        self.tell(f"planting test leaks of {attribute.name}")
        planter = self._planter(attribute)
        budget, common = self.budgets.of(attribute.name), self.budgets.of(JOINT)
        size = min(budget, common) if chained and budget is not None and common is not None else budget
        detection = search(planter, size, self.design.effort.plant_rungs if limit else 0)
        begin(CONTROLS)
        self.tell(f"running controls for {attribute.name}")
        controls = self._controls(attribute, planter, alone)
        subjects = self._by_subject(attribute)
        one = self._summary(attribute, found, total, given, weak, detection, controls, aligned, "lower_bound", subjects)
        return replace(one, result=one.result.model_copy(update=self._named(beside)))

    def assess_chain(self, attributes: Attributes, members: list[Assessment], aligned: bool) -> Assessment:
        """Assess several attributes together by the chain rule; plants are those of the members, the worst counting."""
        begin(ATTACKING)
        self.tell("attacking the attributes together")
        material = self.material
        found = attack_chain(material.release, attributes, self.panel, self.small, self.design, "joint")
        total = found
        if material.utility is not None:
            both = material.release
            for name in material.utility.column_names:
                both = both.append_column(name, material.utility.column(name))
            joined = attack_chain(both, attributes, self.panel, self.small, self.design, "joint total")
            total = joined.with_columns(found, WITHOUT_UTILITY)
        beside, total = self._beside(attributes, total)
        limits = [m.evidence.limit for m in members]
        recoveries = [m.evidence.recovery for m in members if m.evidence.recovery is not None]
        known = [one for one in limits if one is not None]
        detection = Detection(
            [],
            max(known) if len(known) == len(limits) else None,
            min(recoveries, default=None),
            all(m.evidence.plants_found for m in members),
        )
        joint = Attribute("joint", "continuous", attributes[0].codes, attributes[0].values)
        summary = self._summary(joint, found, total, None, None, detection, {}, aligned, "estimate")
        entropy = sum(m.result.entropy for m in members)
        ceiling = entropy if all(m.evidence.entropy is not None for m in members) else None
        percent = 100 * min(1.0, summary.result.leakage_total.value / entropy) if entropy else 0.0
        result = summary.result.model_copy(
            update={
                "entropy": entropy,
                "unknown": int((~np.all([one.known for one in attributes], axis=0)).sum()),
                "percent_of_entropy": percent,
                "untested": {form: why for member in members for form, why in member.result.untested.items()},
                "conditional_entropy_ratio": None if ceiling is None else min(1.0, 1 - percent / 100),
                **self._named(beside),
            }
        )
        forms = tuple(dict.fromkeys(form for member in members for form in member.evidence.forms))
        evidence = replace(summary.evidence, entropy=ceiling, forms=forms, untested=result.untested)
        return replace(summary, result=result, evidence=evidence)

    def _attack(self, inputs: Inputs, attribute: Attribute, purpose: str, ordered: bool = False) -> LogRatios:
        """Attack as each lower effort does and then as this one, so that more never reads less."""
        efforts: dict[str, LogRatios] = {}
        for design in (*self.lower, self.design):
            found = attack(inputs, attribute, self.panel, design, purpose)
            if ordered and attribute.kind == "categorical":  # a number's own attackers are given the position
                order = attack_order(attribute.codes, attribute.n_classes, design)
                found = found if order is None else found.with_columns(order, "")
            efforts[design.effort.name] = found
        return over_efforts(efforts)

    def _by_subject(self, attribute: Attribute) -> LogRatios | None:
        """Attack a table of subjects; a number's attackers read records alone."""
        if attribute.kind != "categorical":
            return None
        view, keys = self.material.total_view or self.material.view, self.material.keys
        return attack_subjects(
            view.by_subject, keys, attribute.codes, attribute.n_classes, self.panel.classes, self.design, view.time
        )

    def _with_utility(
        self, attribute: Attribute, found: LogRatios
    ) -> tuple[LogRatios | None, LogRatios, Quantity | None]:
        material = self.material
        if material.utility is None or material.total_view is None:
            return None, found, None
        self.tell(f"attacking {attribute.name} with the utility attributes as well")
        alone = utility_alone(material.utility, attribute, self.panel, self.design)
        both = self._attack(material.total_view, attribute, "total")
        # What U alone tells is taken off record by record; U alone is itself only estimated, so this is no bound.
        beyond = both.minus(alone.best())
        given = self.judge.worst(self.judge.read(beyond), "estimate")
        total = both.with_columns(found, WITHOUT_UTILITY).with_columns(alone, UTILITY_ONLY)
        return alone, total, given

    def _beside(self, about: Attribute | Attributes, total: LogRatios) -> tuple[dict[str, Quantity], LogRatios]:
        """Attack everything else; attackers of what the recipient is assumed to hold join those on the release."""
        kind: Kind = "lower_bound" if isinstance(about, Attribute) else "estimate"
        first, results = total, {}
        for surface in self.material.surfaces:
            found = first
            if not surface.same:
                self.tell(f"attacking {surface.name}")
                design, purpose = surface.design(self.design), f"surface {surface.name}"
                if isinstance(about, Attribute):
                    found = attack(surface.view, surface.attribute(about), self.panel, design, purpose)
                else:
                    order, every = not surface.draws, surface.attributes(about)
                    found = attack_chain(surface.table, every, self.panel, self.small, design, purpose, order)
                total = total.with_columns(found, f" ({surface.name})") if surface.counts else total
            results[surface.name] = self.judge.worst(self.judge.read(found), kind)
        return results, total

    def _named(self, results: dict[str, Quantity]) -> dict[str, dict[str, Quantity]]:
        counted = {surface.name for surface in self.material.surfaces if surface.counts}
        return {
            "surfaces": {name: found for name, found in results.items() if name in counted},
            "hypothetical": {name: found for name, found in results.items() if name not in counted},
        }

    def _weak(self, attribute: Attribute) -> Quantity | None:
        fit = self.material.fit_rows
        if fit is None or not fit.any() or fit.all():
            return None
        design = replace(self.design, trainable=self.design.trainable & ~fit, scorable=self.design.scorable & ~fit)
        panel = self.panel if self.design.effort.weak_panel else self.small
        found = attack(self.material.view, attribute, panel, design, "weak")
        return self.judge.worst(self.judge.read(found)) if len(found.rows) else None

    def _planter(self, attribute: Attribute) -> Planter:
        view = self.material.total_view or self.material.view
        return Planter(
            view,
            attribute,
            self.panel.classes,
            self.panel.scores,
            self.design,
            self.bare,
            view.time is not None,
            view.by_subject if self.design.groups is not None else None,
        )

    def _controls(self, attribute: Attribute, planter: Planter, alone: LogRatios | None) -> dict[str, ControlResult]:
        material, design = self.material, self.control_design
        controls = {}
        if material.original_view is not None:
            # A ceiling is one only where those who attack the release read it, on the same rows.
            found = self._attack(material.original_view, attribute, "raw")
            controls["raw"] = control(self.bare, found)
        controls["shuffled"] = control(self.bare, planter.floor(self.panel.only(*FLOOR_PANEL).classes))
        if material.useful:
            if alone is not None:
                controls["utility_only"] = control(self.bare, alone)
            source = material.original_view or material.view
            guess = hard_predictions(source, material.useful, self.panel, design)
            found = utility_alone(guess, attribute, self.panel, design)
            controls["utility_prediction"] = control(self.judge, found)
        return controls

    def _summary(
        self,
        attribute: Attribute,
        found: LogRatios,
        total: LogRatios,
        given: Quantity | None,
        weak: Quantity | None,
        detection: Detection,
        controls: dict[str, ControlResult],
        aligned: bool,
        kind: Kind,
        subjects: LogRatios | None = None,
    ) -> Assessment:
        judge = self.judge
        readings, total_readings = judge.read(found), judge.read(total)
        worst = judge.worst(total_readings, kind)
        attackers = attacker_results(judge, total, total_readings, self.panel.inputs())
        categorical = attribute.kind == "categorical"
        entropy, everything = attribute.entropy() if categorical else 0.0, True
        if not categorical:
            entropy, everything = entropy_of(attribute.values, max(self.design.effort.bins))
        accuracies = [a.balanced_accuracy for a in attackers.values() if a.balanced_accuracy is not None]
        areas = [a.auc for a in attackers.values() if a.auc is not None]
        rates = [a.tpr_at_1pct_fpr for a in attackers.values() if a.tpr_at_1pct_fpr is not None]
        utility_only = controls.get("utility_only")
        whole = subject_level(total, judge.groups, judge, subjects)
        result = SensitiveResult(
            kind=attribute.kind,
            classes=attribute.n_classes if categorical else None,
            unknown=int((~attribute.known).sum()),
            entropy=entropy,
            leakage=judge.worst(readings, kind),
            leakage_given_utility=given,
            leakage_total=worst,
            leakage_weak=weak,
            percent_of_entropy=100 * min(1.0, worst.value / entropy) if entropy > 0 else 0.0,
            conditional_entropy_ratio=1 - min(1.0, max(0.0, worst.value / entropy)) if everything and entropy else None,
            balanced_accuracy=max(accuracies, default=None),
            chance=1.0 / attribute.n_classes if categorical else None,
            auc=max(areas, default=None),
            tpr_at_1pct_fpr=max(rates, default=None),
            detection_limit=detection.limit,
            recovery=detection.recovery,
            plants=detection.plants,
            untested=detection.untested,
            attackers=attackers,
            choice_note=choice_note(worst, attackers),
            controls=controls,
            groups=leakage_by_class(judge, total, attribute.levels) if categorical else {},
            subject_level=whole,
            subject_level_reason=None if whole is not None else why_no_subjects(total, judge.groups),
            parts={name: judge.worst({name: reading}, kind) for name, reading in total_readings.items()},
        )
        evidence = Evidence(
            worst,
            detection.all_found,
            detection.recovery,
            aligned,
            None if utility_only is None else utility_only.leakage.low,
            detection.limit,
            # The bins of a number bound what attackers of bins can learn, not what there is to know.
            entropy=entropy if everything else None,
            forms=detection.forms,
            untested=detection.untested,
        )
        return Assessment(result, evidence, total, None if whole is None else subjects)
