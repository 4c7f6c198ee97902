from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from withhold.contracts.errors import BudgetExceededError, InvalidParameterError
from withhold.io.tables import read_table
from withhold.privacy.ledger import ReleaseLedger
from withhold.privacy.noise_key import NoiseKey
from withhold.workflow.fit import fit_file
from withhold.workflow.request import Request
from withhold.workflow.run import run, run_request
from withhold.workflow.transform import transform_file

TINY = ("rounds=5", "hidden=8", "directions=2")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    rng = np.random.default_rng(0)
    n = 300
    y = rng.integers(2, size=n)
    path = tmp_path_factory.mktemp("data") / "people.csv"
    columns = {
        "age": 40 + 6 * y + 5 * rng.normal(size=n),
        "bmi": 25 + rng.normal(size=n),
        "town": rng.choice(list("xy"), n),
    }
    pd.DataFrame(
        {**columns, "sex": rng.choice(["f", "m"], n), "label": np.array(["well", "ill"])[y], "person": np.arange(n)}
    ).to_csv(path, index=False)
    return path


def asked(data, **options):
    given = {
        "utility": ["label"],
        "method": "cadp",
        "epsilon": "4",
        "settings": TINY,
        "effort": "quick",
        "drop": ["sex"],
    }
    return {"data": data, "sensitive": [], **given, **options}


@pytest.fixture(scope="module")
def finished(data, tmp_path_factory):
    out = tmp_path_factory.mktemp("run") / "out"
    return out, run(out=out, **asked(data, groups="person"))


def test_only_rows_the_generator_was_not_trained_on_are_released(finished, data):
    out, record = finished
    release = read_table(out / "share/release.csv")
    rows = read_table(out / "private/released_rows.parquet")["row"].to_numpy()
    assert release.num_rows == len(rows) == record.audit.n == 90
    source = pd.read_csv(data)
    assert release["label"].to_pylist() == source["label"][rows].tolist()  # a public class is handed over as it is
    assert not np.allclose(release["age"].to_numpy(), source["age"][rows])


def test_the_record_says_what_holds_and_against_whom(finished):
    _, record = finished
    assert record.audit.verdict is None
    assert record.audit.claim == "any_attacker"
    assert "epsilon 4." in record.audit.statement
    assert record.method.guarantee.privacy.epsilon == 4
    assert "bounded_for_any_attacker" in {finding.code for finding in record.audit.findings}
    assert record.audit.utility["label"].transfer.no_record is not None
    assert set(record.audit.linkage) == {"data", "latent"}


def test_releases_are_entered_by_person_and_another_run_adds_to_them(finished, data):
    out, _ = finished
    key = NoiseKey.from_file(out / "private/key")
    person = int(read_table(out / "private/released_rows.parquet")["row"][0].as_py())
    before = ReleaseLedger(out / "private/ledger.sqlite", key).spent(person)
    assert before.epsilon == 4
    run(out=out, overwrite=True, **asked(data, groups="person"))
    assert ReleaseLedger(out / "private/ledger.sqlite", key).spent(person).epsilon == 8


def test_beyond_the_total_nothing_is_written(data, tmp_path):
    out, limited = tmp_path / "out", (*TINY, "total=6")
    run(out=out, **asked(data, settings=limited))
    before = (out / "share/release.csv").read_bytes()
    with pytest.raises(BudgetExceededError, match=r"at most 6\. Got 8"):
        run(out=out, overwrite=True, **asked(data, settings=limited))
    assert (out / "share/release.csv").read_bytes() == before


def test_a_randomised_class_is_what_the_file_holds(data, tmp_path):
    out = tmp_path / "out"
    run(out=out, **asked(data, settings=(*TINY, "label=randomised", "label_epsilon=1")))
    rows = read_table(out / "private/released_rows.parquet")["row"].to_numpy()
    shown, true = read_table(out / "share/release.csv")["label"].to_pylist(), pd.read_csv(data)["label"][rows]
    assert 0.5 < np.mean(np.array(shown) == true) < 0.9  # e / (e + 1) = .731 of 90


def test_with_a_sensitive_column_attackers_are_asked_as_well(data, tmp_path):
    record = run(out=tmp_path / "out", **{**asked(data), "sensitive": ["sex"], "drop": ["person"], "budget": 0.2})
    assert record.audit.claim == "tested_attackers"
    assert record.audit.sensitive["sex"].leakage.value < 0.2


def test_refusals(data, tmp_path):
    for changed, text in (
        ({"epsilon": "0"}, "The 'epsilon' parameter of CADP"),
        ({"method": "leace"}, "The option --epsilon must be left out"),
        ({"method": "leace", "epsilon": None, "settings": ()}, "at least one column"),
        ({"utility": ["label", "town"]}, "given once for this method"),
    ):
        with pytest.raises(InvalidParameterError, match=text):
            run(out=tmp_path / "out", **asked(data, **changed))
    assert not (tmp_path / "out").exists()


def test_fitted_on_public_rows_and_applied_to_others(data, tmp_path):
    source = pd.read_csv(data).drop(columns=["sex", "person"])
    public, private, saved = tmp_path / "public.csv", tmp_path / "private.csv", tmp_path / "cadp.withhold"
    source[:200].to_csv(public, index=False)
    source[200:].to_csv(private, index=False)
    request = Request(public, (), utility=("label",), method="cadp", epsilon="2", settings=(*TINY, "total=3"))
    fit_file(request, saved)
    done = transform_file(saved, private, tmp_path / "release.csv", copy=["label"])
    assert done["rows"] == 100
    released = pd.read_csv(tmp_path / "release.csv")
    assert released["label"].tolist() == source["label"][200:].tolist()
    key = NoiseKey.from_file(tmp_path / "cadp.key")
    assert ReleaseLedger(tmp_path / "ledger.sqlite", key).largest().epsilon == Fraction(2)
    with pytest.raises(BudgetExceededError):
        transform_file(saved, private, tmp_path / "again.csv", copy=["label"])
    assert not (tmp_path / "again.csv").exists()


def test_requests_differ_by_epsilon(data):
    first, other = (Request(data, (), method="cadp", epsilon=epsilon) for epsilon in ("1", "2"))
    assert first.fingerprint() != other.fingerprint()
    assert run_request is not None


def test_images_by_class(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=280)
    images = (rng.random((280, 4, 4)) * 120 + 60 * y[:, None, None]).astype("uint8")
    np.savez(tmp_path / "images.npz", image=images, label=y)
    out, settings = tmp_path / "out", ("rounds=5", "hidden=8", "channels=4", "directions=2")
    record = run(out=out, **asked(tmp_path / "images.npz", array="image", settings=settings, drop=[]))
    released = np.load(out / "share/release.npz")["image"]
    assert released.shape == (84, 4, 4)
    assert record.audit.utility["label"].transfer.no_record is not None
    assert (out / "private/samples.html").exists()
