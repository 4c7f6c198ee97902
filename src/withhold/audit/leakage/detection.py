"""The detection limit: how small a known leak may be and still be found, form by form."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from withhold.audit.attackers.attacker import Attacker, Inputs, ScoreAttacker
from withhold.audit.attackers.remembered import Memory
from withhold.audit.design import Design
from withhold.audit.leakage.canaries.codes import MOST_OF_ENTROPY, row_codes
from withhold.audit.leakage.canaries.form import Form, PlantedInputs, Scene, released
from withhold.audit.leakage.canaries.registry import all_forms
from withhold.audit.leakage.continuous import attack_bins, attack_scores
from withhold.audit.leakage.crossfit import cross_fit
from withhold.audit.leakage.log_ratios import LogRatios
from withhold.audit.leakage.parts import Judge
from withhold.audit.leakage.subject_table import attack_subjects
from withhold.audit.leakage.subjects import constant_within
from withhold.audit.statistics.arrays import Codes, Matrix
from withhold.contracts.audit_record import PlantForm, PlantResult
from withhold.contracts.seeds import stream
from withhold.data.attribute import Attribute
from withhold.data.shares import plug_in_entropy

SCORE_HOME = "linear_gaussian"
# For the interaction, a continuous attribute is attacked through this many bins.
PLANT_BINS = 4
# Without a budget the search starts here; it ends above at half the entropy and below at a size nobody budgets for.
FIRST_SIZE, SMALLEST_SIZE = 0.05, 0.001


@dataclass(frozen=True)
class Detection:
    """What was planted and found.

    Attributes
    ----------
    limit : float or None
        Smallest size that was found, or a smaller one, in every form; None: not even the largest.
    recovery : float or None
        min(1, found/planted) of the worst form at the first size.
    all_found : bool
        Whether every form was found at the first size.
    untested : dict of str to str
        Forms that the release has room for, but rows or subjects are too few for any reader, and why.
    """

    plants: list[PlantResult]
    limit: float | None
    recovery: float | None
    all_found: bool
    untested: dict[PlantForm, str] = field(default_factory=dict)

    @property
    def forms(self) -> tuple[PlantForm, ...]:
        """Forms in which leaks were planted."""
        return tuple(dict.fromkeys(plant.form for plant in self.plants))


class Planter:
    """Plants leaks in one release about one attribute and lets the panel look for them."""

    def __init__(
        self,
        inputs: Inputs,
        attribute: Attribute,
        panel: Sequence[type[Attacker]],
        score_panel: Sequence[type[ScoreAttacker]],
        design: Design,
        judge: Judge,
        dated: bool = False,
        by_subject: Matrix | None = None,
    ) -> None:
        self.categorical = attribute.kind == "categorical"
        self.panel, self.score_panel, self.judge = panel, score_panel, judge
        folds = design.effort.folds_of_plants(len(design.fold), len(design.scored_folds))
        self.design = replace(design, scored_folds=design.scored_folds[:folds])
        self.permuted = permute(attribute, design.groups, stream(design.seed, "audit", "permuted", attribute.name))
        known = self.permuted.known
        values = (self.permuted.codes if self.categorical else self.permuted.values)[known].astype(np.float64)
        own, self.atoms, self.shares = row_codes(values, self.categorical)
        codes = np.zeros(len(known))
        codes[known] = own
        scored = known & self.design.scorable & np.isin(self.design.fold, self.design.scored_folds)
        self.scene = Scene(
            released(inputs),
            codes,
            self.atoms,
            self.shares,
            self.categorical,
            int(scored.sum()),
            design.groups,
            self._subjects(scored),
            dated,
            by_subject,
        )
        self.name = attribute.name
        # S and folds are those of all plants, so that of columns as they are the same is computed each time.
        self.memory = Memory()

    @property
    def largest(self) -> float:
        """The most that can be planted."""
        return MOST_OF_ENTROPY * min(plug_in_entropy(self.shares), 3.0)

    def most(self, name: PlantForm) -> float:
        """Return the most that can be planted in one form."""
        return min(self.largest, all_forms()[name].most(self.scene))

    @property
    def forms(self) -> list[PlantForm]:
        """Return the general forms, and those of which the release has what they change and the panel a reader."""
        names = {member.name for member in self.panel}
        return [
            name
            for name, form in all_forms().items()
            if form.general or (form.present(self.scene) and names.intersection(form.readers))
        ]

    def untested(self, size: float) -> dict[PlantForm, str]:
        """Return the forms in which a leak of this size is not looked for, and why."""
        reasons = {name: all_forms()[name].untested(self.scene, size) for name in self.forms}
        return {name: why for name, why in reasons.items() if why}

    def tested(self, size: float) -> list[PlantForm]:
        """Return the forms in which a leak of this size is looked for."""
        without = self.untested(size)
        return [name for name in self.forms if name not in without]

    def look(self, name: PlantForm, size: float) -> PlantResult:
        """Plant `size` nats in one form and report what was found: lower end above 0 and at least half the size."""
        found = self.judge.least(self.judge.read(self.read(name, size)))
        detected = found.low is not None and found.low > 0 and found.value >= size / 2
        return PlantResult(form=name, size=size, found=found, detected=bool(detected))

    def read(self, name: PlantForm, size: float) -> LogRatios:
        """Plant `size` nats in one form and return what attackers said of each record."""
        rng = stream(self.design.seed, "audit", "plant", self.name, name, repr(size))
        with self.memory.open():
            return self._attack(all_forms()[name].plant(self.scene, size, rng), all_forms()[name])

    def floor(self, panel: Sequence[type[Attacker]]) -> LogRatios:
        """Attack the permuted attribute in the release as it is: nothing is there to be found."""
        return self._against(self.scene.inputs, panel, "shuffled")

    def _attack(self, planted: PlantedInputs, form: Form) -> LogRatios:
        home = [member for member in self.panel if member.name in form.readers] or list(self.panel)
        if form.by_subject:
            codes, classes = self.permuted.codes, self.permuted.n_classes
            found = attack_subjects(planted.dense, None, codes, classes, home, self.design)
            if found is not None:
                return found
        return self._against(planted, home, f"plant {form.name}")

    def _subjects(self, scored: np.ndarray) -> int:
        """Return how many subjects are scored; 0 where S is not the same in all records of each."""
        groups = self.design.groups
        if groups is None or not self.categorical or not constant_within(groups, self.permuted.codes):
            return 0
        return len(np.unique(groups[scored]))

    def _against(self, inputs: Inputs, panel: Sequence[type[Attacker]], purpose: str) -> LogRatios:
        if self.categorical:
            return cross_fit(inputs, self.permuted.codes, self.permuted.n_classes, panel, self.design, purpose)
        home = [member for member in self.score_panel if member.name == SCORE_HOME]
        found = attack_scores(inputs, self.permuted.values, home, self.design, purpose)
        binned = attack_bins(inputs, self.permuted.values, PLANT_BINS, panel, self.design, purpose)
        return found if binned is None else found.with_columns(binned, "")


def permute(attribute: Attribute, groups: Codes | None, rng: np.random.Generator) -> Attribute:
    """Return the attribute of other rows; a value that is constant within subjects stays so.

    Examples
    --------
    >>> from withhold.data.attributes import read_attributes
    >>> permute(read_attributes(["a", "b"])[0], None, np.random.default_rng(0)).levels
    ('a', 'b')
    """
    n = len(attribute.codes)
    if groups is None:
        return attribute.take(rng.permutation(n))
    _, first, unit = np.unique(groups, return_index=True, return_inverse=True)
    raw = attribute.codes if attribute.kind == "categorical" else attribute.values
    if not np.array_equal(raw, raw[first][unit], equal_nan=attribute.kind == "continuous"):
        return attribute.take(rng.permutation(n))
    return attribute.take(first[rng.permutation(len(first))][unit])


def search(planter: Planter, budget: float | None, rungs: int) -> Detection:
    """Plant leaks of size = budget first, then halve or double in search of the limit.

    Parameters
    ----------
    planter : Planter
        Who plants.
    budget : float or None
        First size; .05 without one.
    rungs : int
        Steps after the first.
    """
    first = min(budget or FIRST_SIZE, planter.largest)
    tried = {form: planter.look(form, first) for form in planter.tested(first)}
    plants = list(tried.values())
    all_found = all(p.detected for p in plants)
    recovery = min(1.0, max(0.0, min(p.found.value / p.size for p in plants)))
    # The worst form goes first: as soon as it is missed the rung is decided.
    forms = sorted(tried, key=lambda form: (tried[form].detected, tried[form].found.value))
    missed = [form for form in forms if not tried[form].detected]
    size, limit = first, first if all_found else None
    for _ in range(rungs):
        size = size / 2 if all_found else size * 2
        if size < SMALLEST_SIZE or size > planter.largest:
            break
        found = True
        tested = planter.tested(size)
        if all_found and not set(forms) <= set(tested):
            break  # the limit is about every form, and nobody could find a smaller leak of this one
        # A form in which a smaller leak was found is not asked again on the way up.
        for form in [form for form in (forms if all_found else missed) if form in tested]:
            look = planter.look(form, size)
            plants.append(look)
            if not look.detected:
                found = False
                break
            missed = [one for one in missed if one != form]
        if all_found and not found:
            break
        if found:
            limit = size
            if not all_found:
                break
    return Detection(
        plants, limit, recovery, all_found and (budget is None or first >= budget), planter.untested(first)
    )
