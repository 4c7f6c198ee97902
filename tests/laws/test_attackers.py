"""Laws of every attacker: it finds S in a copy of S, reads nothing on noise, and says the same twice.

A new file in `audit/attackers` is tested on arrival.
"""

import numpy as np
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix

from withhold.audit.attackers.attacker import Attacker, ScoreAttacker
from withhold.audit.attackers.registry import all_attackers, all_score_attackers
from withhold.audit.design import Design
from withhold.audit.effort import EFFORTS
from withhold.audit.leakage.canaries.form import PlantedInputs
from withhold.audit.leakage.continuous import attack_scores
from withhold.audit.leakage.crossfit import cross_fit
from withhold.audit.leakage.parts import Judge
from withhold.audit.view.view import AttackView
from withhold.contracts.errors import MissingExtraError

N = 900


def design(n: int, seed: int = 0) -> Design:
    everywhere = np.ones(n, bool)
    return Design(np.arange(n) % 2, None, (0, 1), everywhere, everywhere, EFFORTS["quick"], seed)


def inputs(matrix: np.ndarray) -> PlantedInputs:
    single = matrix.astype(np.float32)
    # For those that look at images: the same numbers as a picture of one line; for readers of words, a word for each
    # number that is positive; for readers of links, the next rows of the same flags.
    there = single > 0
    flags = [column for column in single.T if len(np.unique(column)) == 2] or [single[:, 0] * 0]
    order = np.lexsort(flags)
    links = np.empty((len(single), 7), np.int64)
    links[order] = np.column_stack([np.roll(order, -step) for step in range(7)])
    return PlantedInputs(
        single, single, single, single[:, None, None], csr_matrix(there, dtype=np.float32), links, single
    )


def read(found):
    n = int(found.rows.max()) + 1
    return Judge(0.95, 0, None, {"all": np.ones(n, bool)}).read(found)["all"]


def attack(member: type[Attacker], matrix: np.ndarray, s: np.ndarray, classes: int):
    try:
        return read(cross_fit(inputs(matrix), s, classes, [member], design(len(s)), "law"))
    except MissingExtraError:
        pytest.skip(f"{member.name} is an extra that is not installed")


@pytest.mark.parametrize("member", all_attackers().values(), ids=lambda m: m.name)
@pytest.mark.parametrize("classes", [2, 4])
def test_finds_a_copy(member: type[Attacker], classes: int) -> None:
    rng = np.random.default_rng(1)
    s = rng.integers(0, classes, N)
    # The number tells S by its exact value only: the last digit in base `classes`.
    number = classes * rng.integers(0, 200 // classes, N) + s
    copy = np.column_stack([np.eye(classes)[s] * 3, rng.normal(size=(N, 2)), number])
    found = attack(member, copy, s, classes)
    assert found.value > 0.8 * np.log(classes)
    assert found.low > 0.5 * np.log(classes)


@pytest.mark.parametrize("member", all_attackers().values(), ids=lambda m: m.name)
@pytest.mark.parametrize("classes", [2, 4])
def test_reads_nothing_on_noise(member: type[Attacker], classes: int) -> None:
    rng = np.random.default_rng(2)
    found = attack(member, rng.normal(size=(N, 5)), rng.integers(0, classes, N), classes)
    assert found.low <= 0.0
    assert found.value < 0.01


@pytest.mark.parametrize("member", all_attackers().values(), ids=lambda m: m.name)
def test_says_the_same_twice(member: type[Attacker]) -> None:
    rng = np.random.default_rng(3)
    s = rng.integers(0, 2, 300)
    matrix = np.column_stack([s + rng.normal(size=300), rng.normal(size=300)])
    assert attack(member, matrix, s, 2).value == pytest.approx(attack(member, matrix, s, 2).value, abs=1e-6)


def hollow(n: int) -> PlantedInputs:
    """Noise beside columns of which nobody, one row, or nobody in one fold has a value."""
    rng = np.random.default_rng(4)
    table = {"a": rng.normal(size=n), "nobody": [None] * n, "one": [1.0] + [None] * (n - 1)}
    table["fold"] = [float(rng.normal()) if i % 2 else None for i in range(n)]
    table["type"] = pa.nulls(n)
    view = AttackView.fit(pa.table(table), row_order=False)
    picture = rng.normal(size=(n, 1, 1, 4)).astype(np.float32)
    words = csr_matrix((n, 3), dtype=np.float32)
    links = np.column_stack([np.arange(n), np.full(n, -1)])
    return PlantedInputs(view.dense, view.whitened, view.ordinal, picture, words, links, view.ordinal)


@pytest.mark.parametrize("n", [60, 1500])
@pytest.mark.parametrize("member", all_attackers().values(), ids=lambda m: m.name)
def test_takes_columns_without_a_value(member: type[Attacker], n: int) -> None:
    s = np.random.default_rng(5).integers(0, 2, n)
    try:
        assert cross_fit(hollow(n), s, 2, [member], design(n), "law").failures == {}
    except MissingExtraError:
        pytest.skip(f"{member.name} is an extra that is not installed")


@pytest.mark.parametrize("n", [60, 1500])
@pytest.mark.parametrize("member", all_score_attackers().values(), ids=lambda m: m.name)
def test_score_attacker_takes_columns_without_a_value(member: type[ScoreAttacker], n: int) -> None:
    s = np.random.default_rng(5).normal(size=n)
    assert attack_scores(hollow(n), s, [member], design(n), "law").failures == {}


@pytest.mark.parametrize("member", all_score_attackers().values(), ids=lambda m: m.name)
def test_score_attacker_finds_a_copy(member: type[ScoreAttacker]) -> None:
    rng = np.random.default_rng(1)
    s = rng.normal(size=N)
    matrix = np.column_stack([s, rng.normal(size=N)])
    assert read(attack_scores(inputs(matrix), s, [member], design(N), "law")).low > 0.5


@pytest.mark.parametrize("member", all_score_attackers().values(), ids=lambda m: m.name)
def test_score_attacker_reads_nothing_on_noise(member: type[ScoreAttacker]) -> None:
    rng = np.random.default_rng(2)
    found = read(attack_scores(inputs(rng.normal(size=(N, 4))), rng.normal(size=N), [member], design(N), "law"))
    assert found.low <= 0.0
    assert found.value < 0.01
