"""Each kind of leak is read by somebody in the panel, a good part of it; where it holds nothing, nobody reads it."""

import numpy as np
import pytest
from known_worlds.alike import ALIKE
from known_worlds.beside import BESIDE
from known_worlds.kinds import KINDS
from known_worlds.rows_and_units import ROWS_AND_UNITS
from known_worlds.texts import TEXTS

from withhold.audit.run import audit_release

N, INNOCENT = 1_500, 700
# Enough of the panel to read what a kind gives: the rest costs time.
READERS = {
    "checkerboard": "cells",
    "turns": "periods",
    "couples": "links",
    "households": "links",
    "telling_word": "words",
    "telling_product": "words",
    "entered_twice": "relations",
    "reported_height": "relations",
    "driven": "relations",
    "swapped_cities": "relations",
    "stretched": "relations",
    "known_seed": "relations",
    "weekday": "logistic",
    "restless_visits": "logistic",
    "slanting_stripes": "cells",
    "twins_among_noise": "relations",
    "oldest": "relations",
    "named_city": "relations words",
    "same_address": "links",
    "used_in_turn": "links",
    "told_twice": "links",
    "counted": "relations words",
    "tide": "periods",
    "above_its_street": "relations",
    "rate_of_the_day": "relations",
    "claim_before": "relations",
    "changed_since": "relations",
    "plates": "pairs",
    "summer_time": "cells",
    "reversed_bookings": "relations",
    "same_place": "links",
    "abbreviated": "links words",
    "standing_order": "logistic",
    "listed_items": "relations",
    "counted_flags": "relations words",
    "way_to_work": "relations",
    "stored_in_steps": "relations",
}
pytestmark = pytest.mark.usefixtures("without_outlook", "one_plant")
WORLDS = {world.name: world for world in (*KINDS, *ROWS_AND_UNITS, *TEXTS, *BESIDE, *ALIKE)}
LEAKS = [name for name, world in WORLDS.items() if not name.startswith("innocent")]


def audit(name: str, attackers: list[str] | None, n: int = N):
    drawn = WORLDS[name].draw(n, np.random.default_rng(7))
    return audit_release(
        drawn.release,
        sensitive_features=drawn.sensitive["s"],
        groups=drawn.groups,
        budget=0.05,
        effort="quick",
        attackers=attackers,
    )


@pytest.mark.parametrize("name", LEAKS)
def test_a_good_part_of_each_kind_is_read(name: str) -> None:
    record = audit(name, READERS.get(name, "boosting").split())
    (result,) = record.sensitive.values()
    world = WORLDS[name]
    assert record.verdict == "fail"
    read, truth = result.leakage_total, world.truth
    if world.subject_truth is not None:
        read, truth = result.subject_level.leakage, world.subject_truth
    assert read.low > 0.35 * truth
    assert read.low <= truth + world.truth_error
    assert "partly_read" not in {finding.code for finding in record.findings}


@pytest.mark.parametrize("name", [name for name in WORLDS if name.startswith("innocent")])
def test_nothing_is_read_where_every_kind_is_there_and_says_nothing(name: str) -> None:
    record = audit(name, None, INNOCENT)
    (result,) = record.sensitive.values()
    assert record.verdict != "fail"
    assert result.leakage_total.low <= 0
    assert "partly_read" not in {finding.code for finding in record.findings}
    assert not [finding for finding in record.findings if finding.severity == "critical"]
