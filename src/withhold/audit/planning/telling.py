"""What the original columns, and the utility attributes alone, tell of a sensitive attribute."""

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from withhold.audit.attackers.registry import all_score_attackers, choose_panel
from withhold.audit.design import Design
from withhold.audit.effort import EFFORTS, LEAST
from withhold.audit.findings.evidence import classes, column_evidence
from withhold.audit.leakage.attack import Panel, attack
from withhold.audit.leakage.controls import UTILITY_PANEL, control, utility_alone
from withhold.audit.leakage.parts import Judge
from withhold.audit.request import Request, attribute_table, make_design, parts_of
from withhold.audit.view.reading import Reading
from withhold.audit.view.view import AttackView
from withhold.contracts.plan_record import ColumnTold, RawTold
from withhold.contracts.quantity import Quantity
from withhold.data.attribute import Attribute
from withhold.data.shares import plug_in_entropy

# Who reads all columns together: cheap ones, so that what they find is a lower bound.
READERS = ("logistic", "boosting", "cnn", "words", "linear_gaussian", "boosted_gaussian")


@dataclass(frozen=True)
class Reader:
    """Reads the original columns of one request, each alone and all together.

    Attributes
    ----------
    view : AttackView
        Of the features.
    columns : tuple of Reading
        The features, read once.
    """

    view: AttackView
    columns: tuple[Reading, ...]
    design: Design
    judge: Judge

    def read(self, attribute: Attribute, each: bool = True) -> RawTold:
        """Say what the columns tell of one attribute.

        Parameters
        ----------
        attribute : Attribute
            Fit to be attacked.
        each : bool
            Whether single columns are read as well.
        """
        codes = classes(attribute)
        counts = np.bincount(codes[codes >= 0])
        seen = int(np.count_nonzero(counts))
        found = control(self.judge, attack(self.view, attribute, self._panel(), self.design, "raw"))
        columns = [self._alone(reading, codes) for reading in self.columns] if each else []
        told = sorted((one for one in columns if one.low > 0), key=lambda one: -one.information)
        return RawTold(
            entropy=plug_in_entropy(counts),
            classes=seen,
            together=found.leakage,
            balanced_accuracy=found.balanced_accuracy,
            chance=None if found.balanced_accuracy is None else 1.0 / seen,
            columns=told,
        )

    def _alone(self, reading: Reading, codes: np.ndarray) -> ColumnTold:
        found = column_evidence(reading, codes, self.design.fold, self.design.groups)
        # One of many columns: its p-value pays for all of them, as in the findings of the audit.
        certain = found.p_value * max(1, len(self.columns)) < 1.0 - self.judge.level
        return ColumnTold(
            column=reading.source,
            information=max(0.0, found.information),
            low=max(0.0, found.low) if certain else 0.0,
            balanced_accuracy=found.balanced_accuracy,
        )

    def _panel(self) -> Panel:
        return whole_panel(self.view).only(*READERS)


def whole_panel(view: AttackView) -> Panel:
    """Return the standard panel for what a view holds."""
    there = [kind for kind in ("images", "words", "links") if getattr(view, kind) is not None]
    return Panel(choose_panel(None, there), list(all_score_attackers().values()))


def cheap(design: Design) -> Design:
    """Return a design with the folds of another and the attackers of the lowest effort."""
    return replace(design, effort=EFFORTS[LEAST])


def utility_tells(request: Request, attribute: Attribute, level: float, seed: int) -> Quantity:
    """Return what the utility attributes alone tell, in nats: the worse part, as the audit has it.

    Parameters
    ----------
    request : Request
        With the utility attributes and the parts of the rows.
    attribute : Attribute
        S, fit to be attacked.
    """
    effort = EFFORTS[LEAST]
    design = make_design(request, effort, seed)
    judge = Judge(level, seed, request.groups, parts_of(request))
    table: pa.Table = attribute_table(request.utility)
    panel = Panel(choose_panel(), list(all_score_attackers().values())).only(*UTILITY_PANEL)
    return control(judge, utility_alone(table, attribute, panel, design)).leakage
