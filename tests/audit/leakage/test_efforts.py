"""A higher effort reads no less than a lower one, and no record's own class decides who speaks of it."""

from dataclasses import replace

import numpy as np
import pytest

from withhold.audit.leakage.efforts import NAME, _mixed, _weights, over_efforts
from withhold.audit.leakage.log_ratios import HeldRows, LogRatios

ROWS = 1_200
NAMED = {"quick": 3, "standard": 5, "thorough": 7}


def effort(folds, values, names=("a",), holding=None):
    """What attackers read of all rows; the held-out rows of each fold are a sixth of those that are not scored."""
    values = np.column_stack([values]).reshape(ROWS, -1)
    fold = np.arange(ROWS) % folds
    holding = np.arange(ROWS) if holding is None else holding
    held, inner = [], np.zeros(values.shape)
    for number in range(folds):
        rows = holding[fold[holding] != number][number::6]
        said = {name: values[rows, k] for k, name in enumerate(names)}
        held.append(HeldRows(np.flatnonzero(fold == number), rows, said))
        inner[fold == number] = [one.mean() for one in said.values()]
    classes = {name: np.column_stack([values[:, k], np.log(2 - np.exp(values[:, k]))]) for k, name in enumerate(names)}
    truth = np.zeros(ROWS, np.int64)
    least = np.full(len(names), -2.0)
    return LogRatios(np.arange(ROWS), names, values, least, 0.7, inner, classes, truth, held=tuple(held))


def reading(seed, strength):
    """Log-ratios of an attacker of a fair coin who is right as often as `strength` says."""
    right = np.random.default_rng(seed).random(ROWS) < strength
    return np.log(2 * np.where(right, strength, 1 - strength))


def flattered(part):
    """Inner rows on which everybody errs as often as they are right."""
    return replace(part, values={name: -values for name, values in part.values.items()})


def test_one_effort_stays_as_it_is():
    one = effort(3, reading(0, 0.7))
    assert over_efforts({"quick": one}) is one


def test_what_two_efforts_read_alike_is_read_better_together():
    quick, standard = (effort(folds, reading(folds, 0.7)) for folds in (3, 5))
    both = over_efforts({"quick": quick, "standard": standard})
    assert both.names == (NAME, "a", "a at quick")
    assert both.best().mean() > max(quick.best().mean(), standard.best().mean())


@pytest.mark.parametrize("strengths", [(0.8, 0.5), (0.5, 0.8)])
def test_what_one_effort_alone_reads_is_kept(strengths):
    quick, standard = (effort(folds, reading(folds, p)) for folds, p in zip((3, 5), strengths, strict=True))
    both = over_efforts({"quick": quick, "standard": standard})
    assert both.best().mean() > 0.9 * max(quick.best().mean(), standard.best().mean())


@pytest.mark.parametrize("seed", range(4))
def test_more_effort_never_reads_less(seed):
    rng = np.random.default_rng(seed)
    found = {name: effort(folds, reading(seed + folds, rng.uniform(0.5, 0.9))) for name, folds in NAMED.items()}
    if seed % 2:  # inner rows that praise whoever is worst on the scored ones
        found = {name: replace(one, held=tuple(flattered(part) for part in one.held)) for name, one in found.items()}
    read = over_efforts(found).best().mean()
    assert all(read >= one.best().mean() - 1e-12 for one in found.values())


def test_the_average_alone_can_read_less_than_an_effort():
    """What the rule above is for: inner rows can praise the worse effort."""
    found = {"quick": effort(3, reading(3, 0.9)), "standard": effort(5, reading(5, 0.6))}
    found["quick"] = replace(found["quick"], held=tuple(flattered(part) for part in found["quick"].held))
    efforts = list(found.values())
    guesses = np.column_stack([one.best() for one in efforts])
    assert _mixed(guesses, _weights(efforts)).mean() < efforts[0].best().mean()
    assert over_efforts(found).best().mean() == pytest.approx(efforts[0].best().mean())


def test_easier_inner_rows_do_not_make_a_worse_attacker_speak():
    easy = np.arange(ROWS) < ROWS // 2
    quick = effort(3, np.where(easy, reading(3, 0.9), 0.0), holding=np.flatnonzero(easy))
    standard = effort(5, np.where(easy, reading(3, 0.9), reading(5, 0.8)))
    assert quick.inner.mean() > standard.inner.mean()
    both = over_efforts({"quick": quick, "standard": standard})
    assert both.best().mean() > 0.9 * standard.best().mean()
    assert quick.with_columns(standard, "").best().mean() < 0.8 * standard.best().mean()  # as it had been


def test_the_class_of_a_record_does_not_weigh_who_speaks_of_it():
    found = {"quick": effort(3, reading(3, 0.7)), "standard": effort(5, reading(5, 0.7))}
    before = over_efforts(found)
    for row in (0, 7, 500):
        other = {}
        for name, one in found.items():
            values, table = one.values.copy(), one.classes["a"].copy()
            values[row], table[row] = table[row, 1], table[row, ::-1]
            other[name] = replace(one, values=values, classes={"a": table})
        after = over_efforts(other)
        assert np.allclose(after.classes[NAME][row], before.classes[NAME][row, ::-1])
        assert after.best()[row] != before.best()[row]


def test_every_class_is_averaged():
    found = {"quick": effort(3, reading(3, 0.7)), "standard": effort(5, reading(5, 0.7))}
    both = over_efforts(found)
    total = np.exp(both.classes[NAME].astype(float)).sum(axis=1)
    assert np.allclose(total, 2.0, atol=1e-5)
    assert np.allclose(both.classes[NAME][:, 0], both.values[:, 0], atol=1e-5)
    assert np.isfinite(both.inner[:, 0]).all()


def test_folds_that_hold_nothing_out_count_alike():
    found = {"quick": effort(3, reading(3, 0.7)), "standard": effort(5, reading(5, 0.7))}
    bare = {name: replace(one, held=()) for name, one in found.items()}
    even = np.log(np.mean([np.exp(one.best()) for one in bare.values()], axis=0))
    assert np.allclose(over_efforts(bare).best(), even)
