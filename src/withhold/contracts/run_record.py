"""The record of a whole run: data, method, training, audit and the files that were written."""

from typing import Any

from pydantic import Field

from withhold.contracts.audit_record import SCHEMA_VERSION, AuditRecord
from withhold.contracts.bounds_record import BoundsRecord
from withhold.contracts.choice_record import ChoiceRecord
from withhold.contracts.finding import Finding
from withhold.contracts.guarantee import Guarantee
from withhold.contracts.record import Record
from withhold.contracts.shown import Shown

KEYED = "hmac-sha256:"
"""What the digest of the data begins with."""


class DataSummary(Record):
    """What came in: its shape, never a value, nor the file's name.

    `digest` is an HMAC of the file's SHA-256 under a key that stays in the private folder: who has it can show which
    data a record is about, and nobody else can try out records until a digest fits.
    """

    name: str = ""
    rows: int
    columns: int
    digest: str = ""
    sensitive: list[str]
    utility: list[str] = Field(default_factory=list)
    groups: str | None = None
    dropped: list[str] = Field(default_factory=list)


class MethodSummary(Record):
    """How the release was made. `diagnostics` holds effective rank, noise-to-spread and the game's own estimate.

    Of a cross-fitted release, which came from several `sanitizers`, figures and curves are their means.

    `changed` names the settings that are not the method's defaults; None where that was not written down.
    """

    name: str
    settings: dict[str, Any]
    changed: list[str] | None = None
    output: str
    guarantee: Guarantee | None = None
    diagnostics: dict[str, float] = Field(default_factory=dict)
    curves: dict[str, list[float]] = Field(default_factory=dict)
    findings: list[Finding] = Field(default_factory=list)
    fit_seconds: float | None = None
    sanitizers: int = 1


class Landing(Record):
    """Where a release came to lie beside what is possible: nats it leaks and nats of U it lost, both as measured."""

    leaked: float
    lost: float


class Approval(Record):
    """Somebody's decision to share what no audit cleared. Who decided is nowhere written down.

    `what` is "approved against the verdict", "approved without a verdict" or "approved against a critical finding".
    """

    what: str
    decided: str
    because: str


class RunRecord(Shown, Record):
    """What `withhold run --json` prints.

    `files` maps a role ("release", "report", "sanitizer", ...) to a path relative to the output directory;
    `digests` maps the roles of shared files to SHA-256. `possible` says what any release must lose of the utility
    attribute, where there is one, and `landed` where this release lies beside that. `choice` says how the method was
    chosen, where it was; `approval` stands where the release is shared although no audit cleared it. Nothing in it is
    secret.
    """

    schema_version: int = SCHEMA_VERSION
    version: str
    created: str
    data: DataSummary
    method: MethodSummary
    choice: ChoiceRecord | None = None
    audit: AuditRecord
    noise: str
    possible: BoundsRecord | None = None
    landed: Landing | None = None
    approval: Approval | None = None
    files: dict[str, str] = Field(default_factory=dict)
    digests: dict[str, str] = Field(default_factory=dict)

    @property
    def cleared(self) -> bool:
        """Whether the audit alone lets the release be shared: it passed, and nothing critical stands beside that."""
        found = (*self.audit.findings, *self.method.findings)
        return self.audit.verdict == "pass" and not any(finding.severity == "critical" for finding in found)
