import re
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import torch

from withhold.contracts.errors import (
    BudgetExceededError,
    DataError,
    FittedRecordsWarning,
    InvalidParameterError,
    NumericalError,
)
from withhold.methods.cadp.cadp import CADP
from withhold.methods.cadp.fitted_rows import ReleaseCount
from withhold.methods.controls import Noise
from withhold.methods.loading import load
from withhold.privacy.composition import PrivacyLoss
from withhold.privacy.ledger import LedgerKey, ReleaseLedger
from withhold.privacy.noise_key import NoiseKey


def records(n=400, seed=0):
    """Two classes of vectors far apart, with one factor behind most of what varies within each."""
    rng = np.random.default_rng(seed)
    y, factor = rng.integers(2, size=n), rng.normal(size=(n, 1))
    X = 3 * factor * [1.0, 0.0, 1.0, 1.0] + 0.5 * rng.normal(size=(n, 4))
    X[:, 1] += 8 * y
    return X.astype(np.float32), np.array(["low", "high"])[y]


@pytest.fixture(scope="module")
def fitted():
    X, y = records()
    return CADP(epsilon=8, directions=1, rounds=150, hidden=16, random_state=0).fit(X, y)


def test_a_release_keeps_the_active_direction_as_far_as_epsilon_allows(fitted):
    X, y = records(600, seed=1)
    kept = {
        name: np.corrcoef(X[:, 0], method.transform(X, y)[:, 0])[0, 1]
        for name, method in {"8": fitted, "tiny": fitted.with_mechanism(epsilon="1/1000")}.items()
    }
    assert kept["8"] > 0.5
    assert abs(kept["tiny"]) < 0.15
    control = np.corrcoef(X[:, 0], fitted.control(y)[:, 0])[0, 1]
    assert abs(control) < 0.15


def test_releases_and_the_control_look_like_records_of_their_class(fitted):
    X, y = records(600, seed=1)
    for made in (fitted.transform(X, y), fitted.control(y)):
        assert made.dtype == X.dtype
        for level in ("low", "high"):
            assert abs(made[y == level, 1].mean() - X[y == level, 1].mean()) < 0.5
        assert 1.5 < made[:, 0].std() < 7  # a flow this small is no more exact


def test_every_release_is_drawn_anew(fitted):
    X, y = records(50, seed=2)
    assert not np.array_equal(fitted.transform(X, y), fitted.transform(X, y))
    assert "fresh exact draws" in fitted.noise_note_


def test_what_is_promised_in_each_setting(fitted):
    public = fitted.guarantee()
    assert public.privacy.epsilon == 8
    assert public.holds is None  # whether the released rows are others than those of the fit is not seen here
    assert "It does not cover its class 'y'" in public.claim
    paper = fitted.with_mechanism(preset="paper", epsilon=1)
    assert paper.epsilon_ == 2
    assert "epsilon 2." in paper.guarantee().claim
    assert {"twice_the_epsilon"} <= {finding.code for finding in paper.findings_}
    both = fitted.with_mechanism(label="randomised", label_epsilon=3)
    assert (both.epsilon_, both.settled_.latent_epsilon) == (8, 5)
    assert "and its class 'y'" in both.guarantee().claim
    same = fitted.with_mechanism(flow_training="same-data").guarantee()
    assert same.holds is False
    assert same.privacy is None
    assert same.claim.startswith("None for the records that the flow was trained on")
    seeded = fitted.with_mechanism(noise_seed=1)
    assert seeded.guarantee().holds is False
    assert seeded.noise_note_ == "not for sharing"


def test_linkage_is_said_to_be_possible_when_it_is(fitted):
    codes = {e: {f.code for f in fitted.with_mechanism(epsilon=e).findings_} for e in (1, 8)}
    assert "linkage_possible" in codes[8]
    assert "linkage_possible" not in codes[1]


def test_a_public_class_is_said_to_stand_in_the_records(fitted):
    assert "class_in_records" in {finding.code for finding in fitted.findings_}
    randomised = fitted.with_mechanism(label="randomised", label_epsilon=1)
    assert "class_in_records" not in {finding.code for finding in randomised.findings_}


def test_epsilon_is_exact(fitted):
    assert fitted.with_mechanism(epsilon=0.1).epsilon_ == Fraction(1, 10)
    assert fitted.with_mechanism(epsilon=Fraction(1, 3)).epsilon_ == Fraction(1, 3)


def test_a_randomised_class_is_the_one_that_is_shown(fitted):
    X, y = records(500, seed=3)
    released, shown = fitted.with_mechanism(label="randomised", label_epsilon=1).release(X, y)
    assert 0.65 < (shown == y).mean() < 0.81  # e / (e + 1) = .731
    apart = {level: released[shown == level, 1].mean() for level in ("low", "high")}
    assert apart["high"] - apart["low"] > 6  # the true class does not show through
    moved = shown != y
    assert abs(released[moved & (shown == "low"), 1].mean() - apart["low"]) < 1


def test_a_total_is_not_exceeded(fitted):
    X, y = records(20, seed=4)
    method = CADP(epsilon=2, total=5, rounds=2, hidden=8, random_state=0).fit(*records(100))
    method.transform(X, y)
    method.transform(X[:10], y[:10])
    before = method.count_.releases
    with pytest.raises(BudgetExceededError, match=r"10 of 20 records would reach epsilon 6 .* limit is 5\."):
        method.transform(X, y)
    assert method.count_.releases == before  # nothing entered, nothing drawn
    method.transform(X[10:], y[10:])


def test_releases_are_counted_in_a_file_by_identifier(fitted, tmp_path):
    X, y = records(3, seed=5)
    ledger = ReleaseLedger(tmp_path / "ledger.sqlite", NoiseKey.from_seed(0), PrivacyLoss(Fraction(20)))
    method = fitted.with_mechanism(epsilon=8).charge_to(ledger)
    method.transform(X, y, identifiers=["a", "b", "c"])
    method.transform(X[:1], y[:1], identifiers=["a"])
    assert ledger.spent("a").epsilon == 16
    with pytest.raises(BudgetExceededError):
        method.transform(X, y, identifiers=["a", "d", "e"])
    assert ledger.spent("d").epsilon == 0
    with pytest.raises(DataError, match="identifiers has 1 row, but the release has 3"):
        method.transform(X, y, identifiers=["a"])


def test_rows_of_the_fit_are_not_released_where_they_are_declared_public(fitted, tmp_path):
    X, y = records()
    before = fitted.count_.releases
    with pytest.raises(DataError, match=r"400 of 400 records to release have the values of rows that trained the flow"):
        fitted.transform(X, y)
    with pytest.raises(DataError, match="rows that trained the flow"):
        fitted.with_mechanism(epsilon=1).transform(X[:40], y[:40])
    with pytest.warns(FittedRecordsWarning, match="2 of 202"):
        fitted.transform(*(np.concatenate([a, b[:2]]) for a, b in zip(records(200, seed=1), (X, y), strict=True)))
    assert fitted.count_.releases == before + 1
    same = fitted.with_mechanism(flow_training="same-data")
    assert same.transform(X, y).shape == X.shape  # which says that nothing is promised
    fitted.save(tmp_path / "s.withhold")
    load(tmp_path / "s.withhold").transform(X, y)  # nothing of the rows is in the file, so that this is not known


def test_a_total_of_a_loaded_sanitiser_needs_a_ledger(fitted, tmp_path):
    X, y = records(10, seed=7)
    fitted.with_mechanism(total=20).save(tmp_path / "s.withhold")
    loaded = load(tmp_path / "s.withhold")
    with pytest.raises(DataError, match="once a sanitiser was loaded"):
        loaded.transform(X, y)
    ledger = ReleaseLedger(tmp_path / "ledger.sqlite", LedgerKey.generate(), loaded.settled_.total)
    assert loaded.charge_to(ledger).transform(X, y).shape == X.shape
    assert ledger.releases == 1


def test_copies_in_one_release_are_named_as_the_reason(fitted):
    X, y = records(10, seed=8)
    method = alone(fitted.with_mechanism(total=8))
    twice = np.concatenate([X, X[:3]]), np.concatenate([y, y[:3]])
    with pytest.raises(
        BudgetExceededError,
        match=r"3 of 10 records would reach epsilon 16 .* These records are up to 2 times in this release",
    ):
        method.transform(*twice)
    method.transform(*twice, identifiers=range(13))  # different people with equal values
    with pytest.raises(DataError, match=r"Earlier releases named records by an identifier"):
        method.transform(X, y)


def alone(method):
    """Give a copy a count of its own: releases of other tests named records otherwise."""
    method.count_ = ReleaseCount(method.settled_.total)
    return method


def test_a_release_in_pieces_is_entered_as_one(fitted):
    X, y = records(20, seed=9)
    method, names = alone(fitted.with_mechanism(total=8)), [f"r{i}" for i in range(30)]
    with method.charged(names[:20]) as drawing:
        for part in (slice(10), slice(10, 20)):
            drawing.transform(X[part], y[part])
    with pytest.raises(BudgetExceededError), method.charged(names[19:]):
        pass
    assert (method.count_.spent("r0").epsilon, method.count_.spent("r25").epsilon) == (8, 0)
    other = method.with_mechanism(total=12)  # one flow, one count
    with pytest.raises(BudgetExceededError, match="would reach epsilon 16"), other.charged(names[:20]):
        pass


def test_saved_and_loaded(fitted, tmp_path):
    X, y = records(200, seed=6)
    fitted.save(tmp_path / "s.withhold")
    loaded = load(tmp_path / "s.withhold")
    assert np.array_equal(loaded.latents(X, y), fitted.latents(X, y))
    assert loaded.guarantee() == fitted.guarantee()
    third = fitted.with_mechanism(epsilon=Fraction(1, 3))
    third.save(tmp_path / "third.withhold")
    assert load(tmp_path / "third.withhold").epsilon_ == Fraction(1, 3)
    assert np.corrcoef(X[:, 0], loaded.transform(X, y)[:, 0])[0, 1] > 0.4


def test_a_table_with_its_class_and_images():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"a": rng.normal(size=200), "b": rng.choice(list("xyz"), 200), "of": rng.choice(["u", "v"], 200)}
    )
    method = CADP(rounds=3, hidden=8, random_state=0).fit(table[:150], "of")
    assert list(method.transform(table[150:]).columns) == ["a", "b"]
    assert method.control(["u", "v", "v"]).column_names == ["a", "b"]
    images = rng.integers(0, 256, size=(60, 4, 4), dtype=np.uint8)
    method = CADP(rounds=2, hidden=8, channels=4, random_state=0).fit(images[:40])
    released = method.transform(images[40:])
    assert (released.shape, released.dtype) == ((20, 4, 4), images.dtype)
    assert method.control(7).shape == (7, 4, 4)


def refused(fitted):
    X, y = records(60)
    rare = np.where(np.arange(60) == 3, "rare", y)
    return {
        "epsilon zero": (InvalidParameterError, lambda: CADP(epsilon=0).fit(X, y)),
        "epsilon negative": (InvalidParameterError, lambda: CADP(epsilon=-1).fit(X, y)),
        "no number": (InvalidParameterError, lambda: CADP(epsilon="much").fit(X, y)),
        "a key": (InvalidParameterError, lambda: CADP(noise_key=NoiseKey.from_seed(0)).fit(X, y)),
        "mechanism": (InvalidParameterError, lambda: CADP(mechanism="gauss").fit(X, y)),
        "label epsilon": (
            InvalidParameterError,
            lambda: CADP(epsilon=1, label="randomised", label_epsilon=2).fit(X, y),
        ),
        "class of one record": (DataError, lambda: CADP().fit(X, rare)),
        "class unknown": (DataError, lambda: CADP().fit(X, np.where(np.arange(60) == 3, None, y.astype(object)))),
        "class of numbers": (InvalidParameterError, lambda: CADP().fit(X, X[:, 0] * 2.0)),
        "no class": (DataError, lambda: fitted.transform(X)),
        "a training that left": (InvalidParameterError, lambda: CADP(flow_training="dp-sgd", rounds=1).fit(X, y)),
        "rows of the flow": (InvalidParameterError, lambda: CADP().fit_transform(X, y)),
    }


def test_refusals_say_what_to_do(fitted):
    for name, (kind, call) in refused(fitted).items():
        with pytest.raises(kind) as caught:
            call()
        said = str(caught.value)
        assert said.endswith((".", "?")), name
        assert " must be " in said or len(re.findall(r"[.?](?: |$)", said)) > 1, name  # what is wrong, and the remedy


def test_a_flow_that_is_no_numbers_is_refused_before_anything_is_drawn(fitted):
    X, y = records(10)
    broken = fitted.with_mechanism(epsilon=8)
    broken.flow_ = load_copy(fitted)
    with torch.no_grad():
        broken.flow_.flow.last.mean.weight.fill_(torch.nan)
    with pytest.raises(NumericalError, match=r"The weights of the flow are NaN or infinite"):
        broken.transform(X, y)


def load_copy(fitted):
    return type(fitted.flow_).restore({name: value.copy() for name, value in fitted.flow_.state().items()})


@pytest.mark.parametrize(
    ("method", "said"), [(CADP(epsilon=1, random_state=0, rounds=2), False), (Noise(scale=0.5), True)]
)
def test_only_keyed_noise_is_said_to_repeat(method, said) -> None:
    once = np.round(np.random.default_rng(0).normal(size=(20, 2)), 1)
    copies = pd.DataFrame(np.repeat(once, 10, axis=0), columns=["a", "b"])
    kinds = pd.Series(["yes", "no"] * 100)
    method = method.fit(copies, sensitive_features=kinds) if said else method.fit(copies, y=kinds)
    assert ("noise_repeats" in {finding.code for finding in method.findings_}) == said
    assert any("same noise" in finding.text for finding in method.findings_) == said
