import numpy as np
import pyarrow as pa

from withhold.audit.attackers.boosting import Boosting
from withhold.audit.attackers.logistic import Logistic
from withhold.audit.effort import find_effort
from withhold.audit.view.characters import MOST_INDICATORS, identifies, symbol_columns
from withhold.audit.view.reading import read_column
from withhold.audit.view.view import AttackView

N = 2_000


def accuracy(table: pa.Table, s: np.ndarray, member: type, inputs: str) -> float:
    """Held-out accuracy of one attacker on a table without its order."""
    matrix = getattr(AttackView.fit(table, row_order=False), inputs)
    model = member(find_effort("quick")).fit(matrix[: N // 2], s[: N // 2], np.random.default_rng(0))
    return float((model.log_proba(matrix[N // 2 :]).argmax(axis=1) == s[N // 2 :]).mean())


def numbers(rng: np.random.Generator, s: np.ndarray) -> tuple[list[str], list[int]]:
    """National numbers whose tenth digit is odd for one class, and member numbers whose last digit is."""
    stem = rng.choice(10**9, size=N, replace=False)
    digit = 2 * rng.integers(5, size=N) + s
    return [f"{a:09d}{b}7" for a, b in zip(stem, digit, strict=True)], (stem * 10 + digit).tolist()


def test_one_digit_of_an_identifier_is_read_by_trees_and_by_linear_readers():
    rng = np.random.default_rng(0)
    s = rng.integers(2, size=N)
    text, whole = numbers(rng, s)
    for column in (text, whole):
        table = pa.table({"id": column})
        assert accuracy(table, s, Boosting, "ordinal") > 0.98
        assert accuracy(table, s, Logistic, "dense") > 0.98
        assert accuracy(table, rng.permutation(s), Boosting, "ordinal") < 0.57


def test_a_letter_in_the_middle_is_read():
    rng = np.random.default_rng(0)
    letters = np.array(list("ABCDEFGHKLMNPRSTUVWX"))
    code = letters[rng.integers(len(letters), size=(N, 10))]
    s = np.isin(code[:, 4], letters[::2]).astype(int)
    table = pa.table({"code": ["".join(row) for row in code]})
    assert accuracy(table, s, Boosting, "ordinal") > 0.98
    assert accuracy(table, s, Logistic, "dense") > 0.98


def test_the_last_digit_of_a_number_beyond_floats_is_read():
    rng = np.random.default_rng(0)
    s = rng.integers(2, size=N)
    for first, kind in ((2**59, pa.int64()), (2**62, pa.uint64())):
        numbers = (rng.integers(first, first + 2**40, size=N) // 5).astype(np.uint64) * np.uint64(10)
        table = pa.table({"id": pa.array(numbers + (2 * rng.integers(5, size=N) + s).astype(np.uint64), kind)})
        assert accuracy(table, s, Boosting, "ordinal") > 0.98
        assert accuracy(table, rng.permutation(s), Boosting, "ordinal") < 0.57


def test_a_number_packed_by_a_computer_is_read_bit_by_bit():
    """41 bits of time, 10 of the machine, 12 of a counter, as in identifiers of messages; machines are of one site."""
    rng = np.random.default_rng(0)
    s, machine = rng.integers(2, size=N), rng.integers(512, size=N)
    packed = (rng.integers(2**40, size=N) << 22) | ((machine * 2 + s) << 12) | rng.integers(2**12, size=N)
    table = pa.table({"id": packed})
    assert accuracy(table, s, Boosting, "ordinal") > 0.98
    assert accuracy(table, s, Logistic, "dense") > 0.98
    without = [name for name, _ in symbol_columns(read_column(table, "id"), 200, indicators=True) if "bit" not in name]
    assert without, "digits are given too"


def test_the_end_of_a_uuid_is_read():
    rng = np.random.default_rng(0)
    s = rng.integers(2, size=N)
    node = np.where(s == 1, "4a7d1ed41474", "9b2c06f0aa31")
    table = pa.table({"id": [f"{rng.integers(16**15):016x}-{end}" for end in node]})
    assert accuracy(table, s, Boosting, "ordinal") > 0.98


def test_missing_numbers_are_no_bits_of_linear_readers():
    column = read_column(pa.table({"id": pa.array([None, *range(2**55, 2**55 + 60)], pa.int64())}), "id")
    for indicators in (True, False):
        found = dict(symbol_columns(column, 200, indicators=indicators))
        assert np.isnan(found["id bit 0"][0]) != indicators
        assert found["id bit 0"][1:5].tolist() == [0, 1, 0, 1]


def test_values_that_repeat_are_left_to_the_lookup():
    repeated = pa.table({"code": [f"{i % 300:03d}" for i in range(N)], "age": np.arange(N) % 90})
    assert not any(identifies(read_column(repeated, name)) for name in ("code", "age"))


def test_missing_and_short_values_have_places_of_their_own():
    column = pa.table({"id": [None, "", *(f"{i:04d}" for i in range(60))]})
    found = dict(symbol_columns(read_column(column, "id"), 200, indicators=False))
    assert np.isnan(found["id character 3"][0])
    assert found["id character 3"][1] == 0
    indicators = dict(symbol_columns(read_column(column, "id"), 200, indicators=True))
    assert indicators["id character 4 none"].tolist()[:3] == [0.0, 1.0, 0.0]


def test_indicators_are_few_however_long_the_text():
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("abcdefghijklmnopqrstuvwxyz"), 40)) for _ in range(300)]
    column = read_column(pa.table({"text": words}), "text")
    assert 80 < len(list(symbol_columns(column, 1_000, indicators=True))) <= MOST_INDICATORS


def test_the_last_decimal_is_read():
    rng = np.random.default_rng(0)
    s = rng.integers(2, size=N)
    for decimals in (3, 6):
        amount = (rng.integers(10**7, size=N) * 10 + 2 * rng.integers(5, size=N) + s) / 10.0**decimals
        table = pa.table({"amount": amount})
        assert accuracy(table, s, Boosting, "ordinal") > 0.98
        assert accuracy(table, s, Logistic, "dense") > 0.98


def test_numbers_of_full_precision_have_no_digits():
    column = read_column(pa.table({"x": np.random.default_rng(0).normal(size=500)}), "x")
    assert not identifies(column)


def test_many_measurements_are_given_their_last_digits_alone():
    rng = np.random.default_rng(0)
    table = pa.table({f"c{i}": rng.integers(-(2**30), 2**30, 400) for i in range(128)})
    view = AttackView.fit(table, row_order=False)
    assert view.ordinal.shape[1] <= 128 + 400
    assert view.dense.shape[1] <= 128 + 600
    assert "c127 digit from the right 1" in view.ordinal_names
