"""One run: a world is drawn, audited as a user would, and what the audit said is put beside the truth."""

import time

import numpy as np
import pyarrow as pa
from known_worlds.registry import WORLDS
from known_worlds.world import World, columns

from withhold.audit.run import audit_release
from withhold.contracts.audit_record import AuditRecord, SensitiveResult
from withhold.contracts.errors import WithholdError
from withhold.contracts.seeds import stream
from withhold.data.frames import to_frame

# The rule of budgets: half the truth where something leaks, so that "pass" is wrong by a factor of two; a small fixed
# one where nothing does; and one that a user would choose where the panel is known to be blind.
SMALL, USUAL = 0.02, 0.05
# How S of another file may fail to belong to the rows, and the two controls that belong.
MISALIGNED = ("shuffled", "shifted by one row", "filtered")
ALIGNED = ("in order", "in order, nothing leaks")
FILTERED = 0.02


def budget_of(world: World) -> float:
    """Budget of a world by the rule above."""
    if world.truth == 0:
        return SMALL
    return USUAL if world.blind else world.truth / 2


def audit_world(name: str, n: int, seed: int) -> dict:
    """Audit one draw of a world."""
    world = WORLDS[name]
    drawn = world.draw(n, stream(seed, "world", name, n))
    release, shown = _images_or_flat(drawn)
    budget = budget_of(world)
    record = audit_release(
        release,
        sensitive_features=pa.table(drawn.sensitive),
        utility=None if drawn.utility is None else pa.table({"u": drawn.utility}),
        groups=drawn.groups,
        budget=budget,
        effort="quick",
        utility_in_release=world.utility_in_release,
        random_state=seed,
    )
    decided = next(reversed(record.sensitive))
    entry = {
        "world": name,
        "n": n,
        "seed": seed,
        "truth": round(world.truth, 6),
        "truth_error": world.truth_error,
        "entropy": None if np.isinf(world.entropy) else round(world.entropy, 6),
        "form": world.form,
        "home": world.home,
        "blind": world.blind,
        "input": shown,
        **_said(record, record.sensitive[decided], budget),
        "attackers": _attackers(record.sensitive[decided]),
        "findings": sorted({finding.code for finding in record.findings}),
    }
    if world.each:
        entry["each"] = {s: {"truth": t, **_said(record, record.sensitive[s], budget)} for s, t in world.each.items()}
    if world.subject_truth is not None:
        entry["subject_truth"] = round(world.subject_truth, 6)
    if world.blind:
        entry["statement"] = record.statement
        entry["claim"] = record.claim
    return entry


def audit_alignment(how: str, n: int, seed: int) -> dict:
    """Audit a release against S of another file that stands in another order, or in the same."""
    rng = stream(seed, "alignment", how, n)
    longer = int(np.ceil(n / (1 - FILTERED))) + 1
    original = rng.standard_normal((longer, 6))
    leaks = how != ALIGNED[1]
    odds = 1.5 * original[:, 0] if leaks else np.zeros(longer)
    s = (rng.random(longer) < 1 / (1 + np.exp(-odds))).astype(np.int64)
    release = original + rng.standard_normal(original.shape)
    rows = np.arange(n)
    if how == "shuffled":
        rows = rng.permutation(n)
    elif how == "shifted by one row":
        rows = (rows + 1) % n
    elif how == "filtered":
        # Some records are missing in the file of S; both files were cut to one length.
        rows = np.sort(rng.permutation(longer)[:n])
    budget = USUAL
    record = audit_release(
        columns(release[:n]),
        sensitive_features=pa.table({"s": s[rows]}),
        alignment="rows",
        alignment_controls=columns(original[rows, 1:], "x"),
        budget=budget,
        effort="quick",
        random_state=seed,
    )
    found = [finding.code for finding in record.findings]
    return {
        "alignment": how,
        "n": n,
        "seed": seed,
        **_said(record, record.sensitive["s"], budget),
        "unproven": "alignment_unproven" in found,
    }


def run_case(kind: str, name: str, n: int, seed: int) -> tuple[dict, float, float]:
    """Run one case in a worker; return what it gave with its processor and wall seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    values = audit_world(name, n, seed) if kind == "world" else audit_alignment(name, n, seed)
    return values, time.process_time() - cpu, time.perf_counter() - wall


def _images_or_flat(drawn) -> tuple[object, str]:
    if isinstance(drawn.release, pa.Table):
        return drawn.release, "table"
    try:
        to_frame(drawn.release)
    except WithholdError:
        return drawn.flat, "flat"
    return drawn.release, "images"


def _said(record: AuditRecord, result: SensitiveResult, budget: float) -> dict:
    total = result.leakage_total
    subject = getattr(result, "subject_level", None)
    numbers = {
        "budget": round(budget, 6),
        "value": total.value,
        "low": total.low,
        "high": total.high,
        "corrected_high": result.corrected_high,
        "recovery": result.recovery,
        "detection_limit": result.detection_limit,
    }
    said = {name: None if value is None else round(value, 6) for name, value in numbers.items()}
    if subject is not None:
        said["subject"] = {
            end: None if getattr(subject.leakage, end) is None else round(getattr(subject.leakage, end), 6)
            for end in ("value", "low", "high")
        }
    return {**said, "verdict": result.verdict, "attacker": total.attacker}


def _attackers(result: SensitiveResult) -> dict[str, list[float | None]]:
    """Value and lower end of every attacker; of one that attacks bins, its best binning."""
    found: dict[str, list[float | None]] = {}
    for name, one in result.attackers.items():
        plain = name.split("@")[0]
        pair = [round(one.leakage.value, 5), None if one.leakage.low is None else round(one.leakage.low, 5)]
        if plain not in found or pair[0] > found[plain][0]:
            found[plain] = pair
    return found
