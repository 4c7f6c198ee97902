"""What else threatens the people behind the records: being found again, and having been known to the sanitiser."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from withhold.audit.design import Design
from withhold.audit.findings.wording import finding
from withhold.audit.leakage.attack import Panel
from withhold.audit.people.linkage import link
from withhold.audit.people.membership import membership
from withhold.audit.request import Request
from withhold.contracts.finding import Finding
from withhold.contracts.threats import LinkageResult, MembershipResult
from withhold.training.session import one_thread

# A record that is found this many times as often as by chance, and at least at this rate, is worth a warning.
OFTEN, RATE = 10.0, 0.01
# Nats about membership below which a warning would print "at least 0.000".
LEAST_TOLD = 0.0005
LINKED = "Share it only with people who may know whose records these are, or release fewer columns or coarser values."
TOLD = "Do not tell who the fitted records belong to, or fit on records that are not released."


@dataclass(frozen=True)
class Threats:
    """Linkage by where records were compared, None without originals; membership, None without two parts."""

    linkage: dict[str, LinkageResult] | None
    membership: MembershipResult | None

    def with_latent(
        self, latent: tuple[pa.Table, pa.Table] | None, groups: NDArray[np.int64] | None, seed: int, level: float
    ) -> "Threats":
        """Add how often released records find their originals in the space of the sanitiser."""
        with one_thread():
            found = None if latent is None else link(*latent, groups=groups, seed=seed, level=level)
        return self if found is None else replace(self, linkage={**(self.linkage or {}), "latent": found})

    def findings(self) -> Iterator[Finding]:
        """Yield what a reader must know."""
        yield from linkage_findings(self.linkage or {})
        found = self.membership
        evidence = None if found is None else found.excess or (found.leakage if found.control is None else None)
        if evidence is not None and (evidence.low or 0.0) >= LEAST_TOLD:
            text = (
                "Records the sanitiser was fitted on can be told from others: attackers learned at least "
                f"{evidence.low:.3f} nat about it, beyond what the originals themselves tell."
            )
            yield finding("membership_told", "warning", text, remedy=TOLD)


def measure_threats(
    request: Request, panel: Panel, design: Design, level: float, tell: Callable[[str], None]
) -> Threats:
    """Measure linkage of released records to their originals, and membership of the fit part.

    Parameters
    ----------
    level : float
        Of intervals.
    tell : callable
        Told what is being done.
    """
    linkage, member = None, None
    with one_thread():
        if request.original is not None:
            tell("testing linkability")
            found = link(request.original, request.release, groups=request.groups, seed=design.seed, level=level)
            linkage = None if found is None else {"data": found}
        if request.fit_rows is not None and request.fit_rows.any() and not request.fit_rows.all():
            tell("testing membership")
            member = membership(request.release, request.original, request.fit_rows, panel, design, level)
    return Threats(linkage, member)


def linkage_findings(linkage: dict[str, LinkageResult]) -> Iterator[Finding]:
    """Yield a warning where records are found far more often than by chance: about the place where most are.

    Examples
    --------
    >>> from withhold.contracts.quantity import Quantity
    >>> rate = Quantity(value=0.4, low=0.35, high=0.45, kind="lower_bound", unit="fraction")
    >>> found = LinkageResult(found=rate, chance=0.001, candidates=1000)
    >>> [note.code for note in linkage_findings({"data": found})]
    ['records_linked']
    """
    one = max(linkage.values(), key=lambda one: one.found.value, default=None)
    if one is not None and (one.found.low or 0.0) >= max(RATE, OFTEN * one.chance):
        text = (
            f"{100 * one.found.value:.0f} in 100 released records can be matched to their original (by chance: 1 in "
            f"{1 / one.chance:,.0f}): hiding one attribute does not hide who somebody is."
        )
        yield finding("records_linked", "warning", text, remedy=LINKED)
