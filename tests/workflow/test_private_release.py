import math
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from withhold.contracts.errors import BudgetExceededError, DataError, FileError, InvalidParameterError
from withhold.contracts.rounding import rounded_up
from withhold.io.tables import read_table
from withhold.privacy.composition import PrivacyLoss
from withhold.privacy.ledger import LedgerKey, ReleaseLedger
from withhold.workflow import transform
from withhold.workflow import transform as transforming
from withhold.workflow.fit import fit_file
from withhold.workflow.folder import LOCK, MARKER
from withhold.workflow.private_release import ledger_in
from withhold.workflow.request import Request, TransformRequest
from withhold.workflow.run import run, run_request

pytestmark = pytest.mark.usefixtures("brief_audit")

TINY = ("rounds=5", "hidden=8", "directions=2")


def transform_file(*files, log=print, **options) -> dict:
    return transform.transform_file(TransformRequest(*files, **options), log)


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
        "keep_order": True,
    }
    return {"data": data, "sensitive": [], **given, **options}


@pytest.fixture(scope="module")
def finished(data, tmp_path_factory):
    out = tmp_path_factory.mktemp("run") / "out"
    return out, run(out=out, **asked(data, key="person"))


def test_only_rows_the_generator_was_not_trained_on_are_released(finished, data):
    out, record = finished
    release = read_table(out / "candidate/release.csv")
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


def named(folder):
    """The ledger in a folder, and the names of its rows."""
    ledger = ReleaseLedger(folder / "ledger.sqlite", LedgerKey.from_file(folder / "ledger.key"))
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as connection:
        return ledger, {name for (name,) in connection.execute("SELECT name FROM records")}


def test_releases_are_entered_by_key_and_another_run_adds_to_them(finished, data):
    out, _ = finished
    rows = read_table(out / "private/released_rows.parquet")["row"].to_pylist()
    ledger, names = named(out / "private")
    assert names == {
        ledger._name(person, "identifier") for person in rows
    }  # HMACs of the identifiers of the released, of no others
    assert {ledger.spent(person).epsilon for person in rows} == {4}
    assert "person" not in read_table(out / "candidate/release.csv").column_names
    assert "released_again" not in {finding.code for finding in finished[1].audit.findings}
    before = (out / "private/ledger.sqlite").stat().st_ino

    def release_meanwhile(line):
        if line.startswith("auditing"):  # as another process would, between the fit and the end of this run
            ledger.charge(["somebody"], PrivacyLoss(Fraction(1)))

    record = run(out=out, overwrite=True, log=release_meanwhile, **asked(data, key="person"))
    ledger = named(out / "private")[0]
    assert [ledger.spent(name).epsilon for name in (rows[0], "somebody")] == [8, 1]
    assert ledger.releases == 3
    assert (out / "private/ledger.sqlite").stat().st_ino == before  # never replaced
    assert "together they have cost up to epsilon 8" in record.audit.statement
    assert bound(record) == rounded_up(8 * math.tanh(4), 3)
    assert record.method.guarantee.privacy.epsilon == 8
    assert bound(finished[1]) == rounded_up(4 * math.tanh(2), 3)


def bound(record):
    """The nats that no attacker exceeds, as they are printed."""
    (said,) = [found.text for found in record.audit.findings if found.code == "bounded_for_any_attacker"]
    return re.search(r"more than (\S+) nat about any", said)[1]


@pytest.mark.parametrize("by", ["key", "groups", "content"])
def test_copies_of_a_record_are_bounded_together(tmp_path, by):
    rng = np.random.default_rng(0)
    once = pd.DataFrame({"age": rng.normal(size=60), "bmi": rng.normal(size=60), "label": ["well", "ill"] * 30})
    once["person"] = [f"P{i:03d}" for i in range(60)]
    once.loc[np.repeat(once.index, 5)].to_csv(tmp_path / "copies.csv", index=False)
    named = {} if by == "content" else {by: "person"}
    drop = ["person"] if by == "content" else []
    record = run(out=tmp_path / "out", **asked(tmp_path / "copies.csv", epsilon="1", drop=drop, **named))
    released = read_table(tmp_path / "out/private/released_rows.parquet")["row"].to_numpy() // 5
    most = int(np.bincount(released).max())
    assert most == 5 or by == "content"
    assert bound(record) == rounded_up(most * math.tanh(most / 2), 3)
    assert record.method.guarantee.privacy.epsilon == most
    assert "no release is more than 2.72 times" not in record.audit.statement


def test_a_key_keeps_persons_on_one_side(data, tmp_path):
    source = pd.read_csv(data)
    source["person"] = np.where(np.arange(300) < 200, np.arange(300) // 10, np.arange(300))
    source["home"] = source["person"] // 2
    source["half"] = np.where(np.arange(300) % 3 == 0, "test", "train")
    source.to_csv(tmp_path / "visits.csv", index=False)
    visits = tmp_path / "visits.csv"
    run(out=tmp_path / "a", **asked(visits, key="person", drop=["sex", "home", "half"]))
    run(out=tmp_path / "b", **asked(visits, key="person", groups="home", drop=["sex", "half"]))
    for out, column in (("a", "person"), ("b", "person"), ("b", "home")):
        rows = read_table(tmp_path / out / "private/released_rows.parquet")["row"].to_numpy()
        released = source.assign(released=np.isin(np.arange(300), rows)).groupby(column).released
        assert set(released.mean()) == {0.0, 1.0}, (out, column)
    with pytest.raises(DataError, match=r"Rows of 20 of 120 persons named in 'person' stand in both parts"):
        run(out=tmp_path / "c", **asked(visits, key="person", split="half", drop=["sex", "home"]))
    assert not (tmp_path / "c").exists()
    source.iloc[:150].drop(columns="half").to_csv(tmp_path / "first.csv", index=False)
    source.iloc[145:].drop(columns="half").to_csv(tmp_path / "second.csv", index=False)
    with pytest.raises(DataError, match=r"Rows of 1 of 60 persons named in 'home'"):
        run(
            out=tmp_path / "c",
            **asked(tmp_path / "first.csv", test=tmp_path / "second.csv", groups="home", drop=["sex", "person"]),
        )


def test_no_value_of_a_record_decides_whether_a_run_releases(data, tmp_path):
    source = pd.read_csv(data).assign(part=["train"] * 200 + ["test"] * 100)
    for row, (column, value) in enumerate([("age", np.inf), ("town", "nowhere"), ("label", None), ("label", "new")]):
        source.loc[250 + row, column] = value
    source.to_parquet(tmp_path / "odd.parquet")
    record = run(out=tmp_path / "out", **asked(tmp_path / "odd.parquet", key="person", split="part"))
    assert record.audit.n == 100


def test_no_cell_of_a_file_decides_whether_it_is_released(divided, tmp_path):
    folder, source = divided
    odd = source.astype(object).reset_index(drop=True)
    for row, (column, value) in enumerate({"age": "unknown", "bmi": "inf", "town": "nowhere", "label": ""}.items()):
        odd.loc[row, column] = value
    odd["person"] += 5_000
    odd.to_csv(tmp_path / "odd.csv", index=False)
    assert (
        transform_file(folder / "cadp.withhold", tmp_path / "odd.csv", tmp_path / "r.csv", key="person")["rows"] == 100
    )
    assert pd.read_csv(tmp_path / "r.csv").dtypes[["age", "bmi"]].tolist() == [np.float64, np.float64]


def test_another_folder_goes_on_with_the_ledger_beside_the_secret(finished, data, tmp_path):
    out, _ = finished
    before = named(out / "private")[0].largest().epsilon
    secret = out / "private/ledger.key"
    other = asked(data, key="person", noise_key=secret, settings=(*TINY, "total=4"))
    with pytest.raises(InvalidParameterError, match="was made with no total"):
        run(out=tmp_path / "a", **other)
    assert not (tmp_path / "a").exists()
    record = run(out=tmp_path / "b", **asked(data, key="person", noise_key=secret))
    assert named(out / "private")[0].largest().epsilon == before + 4
    assert not (tmp_path / "b/private/ledger.sqlite").exists()
    assert "ledger" not in record.files
    # What is released with the sanitiser of that folder is entered there too.
    transform_file(tmp_path / "b/private/sanitizer.withhold", data, tmp_path / "c.csv", key="person", copy=["label"])
    assert named(out / "private")[0].largest().epsilon == before + 8
    assert ledger_in(tmp_path / "b/private", None)[1] == out / "private/ledger.sqlite"
    (out / "private/ledger.sqlite").rename(tmp_path / "moved")
    with pytest.raises(FileError, match=r"is not there any more\. Put it back"):
        ledger_in(tmp_path / "b/private", None)
    (tmp_path / "moved").rename(out / "private/ledger.sqlite")


def test_two_ledgers_and_a_ledger_without_its_key_are_refused(tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
        key, ledger = ledger_in(tmp_path / name, None)
        ReleaseLedger(ledger, key).charge(["anna"], PrivacyLoss(Fraction(1)))
    secret = tmp_path / "a/ledger.key"
    with pytest.raises(InvalidParameterError, match="There are two ledgers"):
        ledger_in(tmp_path / "b", secret)
    assert ledger_in(tmp_path / "a", secret)[1] == tmp_path / "a/ledger.sqlite"
    away = tmp_path / "key on a stick"
    secret.rename(away)
    with pytest.raises(FileError, match=r"its key 'ledger\.key' is not"):
        ledger_in(tmp_path / "a", None)
    assert not secret.exists()
    key, ledger = ledger_in(tmp_path / "a", away)
    assert ReleaseLedger(ledger, key).spent("anna").epsilon == 1
    (tmp_path / "b/ledger.json").write_text("[]")
    with pytest.raises(FileError, match="does not say where the ledger is"):
        ledger_in(tmp_path / "b", None)


def test_a_journal_that_a_killed_charge_left_is_played_back_where_it_lies(tmp_path):
    (tmp_path / "earlier").mkdir()
    (tmp_path / "new").mkdir()
    key, path = ledger_in(tmp_path / "earlier", None)
    ReleaseLedger(path, key).charge(range(3000), PrivacyLoss(Fraction(1)))
    kept = path.read_bytes()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size = 2")  # so that half of the change is in the file before it is kept
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE records SET epsilon = '0'")
        torn, journal = path.read_bytes(), path.with_name("ledger.sqlite-journal").read_bytes()
    assert torn != kept
    path.write_bytes(torn)
    path.with_name("ledger.sqlite-journal").write_bytes(journal)
    ledger = ReleaseLedger(*reversed(ledger_in(tmp_path / "new", None, tmp_path / "earlier")))
    assert (ledger.path, list((tmp_path / "new").iterdir())) == (path, [])
    assert ledger.largest().epsilon == ledger.spent(2999).epsilon == 1


def test_the_private_page_shows_released_records_by_epsilon(finished, data):
    out, record = finished
    page = (out / "private/samples.html").read_text()
    heads = re.findall("<th scope=.col.>(.*?)</th>", page)
    assert heads[:6] == ["column", "original", "epsilon 0.2", "epsilon 1", "epsilon 4 (released)", "epsilon 10"]
    assert page.count("<article>") == 24
    shown = re.findall("<th scope=.row.>age</th><td>(.*?)</td><td>.*?</td><td>.*?</td><td>(.*?)</td>", page)
    rows = [int(row) for row in re.findall(r"row (\d+) ·", page)]
    released = read_table(out / "candidate/release.csv")["age"].to_pylist()
    known = read_table(out / "private/released_rows.parquet")["row"].to_numpy()[rows]
    ages = pd.read_csv(data)["age"][known]
    assert shown == [(f"{age:.4g}", f"{released[row]:.4g}") for age, row in zip(ages, rows, strict=True)]
    assert "are not in the ledger" in page
    assert record.files["samples"] == "private/samples.html"


def test_the_only_secret_is_the_ledgers(finished):
    out, record = finished
    assert not (out / "private/key").exists()
    assert "key" not in record.files
    assert record.files["ledger_key"] == "private/ledger.key"
    assert stat.S_IMODE((out / "private/ledger.key").stat().st_mode) == 0o600


def test_a_key_without_a_ledger_is_refused(data, tmp_path):
    with pytest.raises(InvalidParameterError, match="--key only applies to differentially private methods"):
        run(tmp_path / "no.csv", sensitive=["sex"], method="leace", key="person", out=tmp_path / "out")


def test_beyond_the_total_nothing_is_written(data, tmp_path):
    out, limited = tmp_path / "out", (*TINY, "total=6")
    run(out=out, **asked(data, settings=limited))
    before = (out / "candidate/release.csv").read_bytes()
    with pytest.raises(BudgetExceededError, match=r"would reach epsilon 8 .* limit is 6\."):
        run(out=out, overwrite=True, **asked(data, settings=limited))
    assert (out / "candidate/release.csv").read_bytes() == before
    small = (*TINY, "total=1")
    for _ in range(2):  # a first run that came to no result leaves an empty ledger, which is in nobody's way
        with pytest.raises(BudgetExceededError, match=r"would reach epsilon 4 .* limit is 1\."):
            run(out=tmp_path / "none", **asked(data, settings=small))
    assert {path.name for path in (tmp_path / "none").iterdir()} == {"private", MARKER, LOCK}


def test_a_randomised_class_is_what_the_file_holds(data, tmp_path):
    out = tmp_path / "out"
    run(out=out, **asked(data, settings=(*TINY, "label=randomised", "label_epsilon=1")))
    rows = read_table(out / "private/released_rows.parquet")["row"].to_numpy()
    shown, true = read_table(out / "candidate/release.csv")["label"].to_pylist(), pd.read_csv(data)["label"][rows]
    assert 0.5 < np.mean(np.array(shown) == true) < 0.9  # e / (e + 1) = .731 of 90


def test_with_a_sensitive_column_attackers_are_asked_as_well(data, tmp_path):
    record = run(
        out=tmp_path / "out",
        **{
            **asked(data),
            "sensitive": ["sex"],
            "drop": ["person"],
            "budget": 0.2,
            "attackers": ["logistic", "boosting"],
        },
    )
    assert record.audit.claim == "tested_attackers"
    assert record.audit.sensitive["sex"].leakage.value < 0.2


def test_refusals(data, tmp_path):
    for changed, text in (
        ({"epsilon": "0"}, r"^epsilon of CADP must be a number above 0"),
        ({"method": "leace", "settings": ()}, "--epsilon only applies to differentially private methods"),
        ({"method": "leace", "epsilon": None, "settings": ()}, "no column to hide yet"),
        ({"utility": ["label", "town"]}, "sees one --utility column"),
    ):
        with pytest.raises(InvalidParameterError, match=text):
            run(out=tmp_path / "out", **asked(data, **changed))
    assert not (tmp_path / "out").exists()


@pytest.fixture(scope="module")
def division(data, tmp_path_factory):
    """Public rows, private rows and a sanitiser of the first, to be copied: releases from a folder are counted."""
    folder = tmp_path_factory.mktemp("division")
    source = pd.read_csv(data).drop(columns="sex")
    source[:200].drop(columns="person").to_csv(folder / "public.csv", index=False)
    source[200:].to_csv(folder / "private.csv", index=False)
    settings = (*TINY, "total=3")
    fit_file(
        Request(folder / "public.csv", (), utility=("label",), method="cadp", epsilon="2", settings=settings),
        folder / "cadp.withhold",
    )
    return folder, source[200:]


@pytest.fixture
def divided(division, tmp_path_factory):
    """A folder of its own with what `division` made, so that no test finds another's releases in its ledger."""
    folder, source = division
    return Path(shutil.copytree(folder, tmp_path_factory.mktemp("divided") / "own")), source


def test_fitted_on_public_rows_and_applied_to_others(divided, tmp_path):
    folder, source = divided
    saved, private = folder / "cadp.withhold", folder / "private.csv"
    assert not saved.with_suffix(".key").exists()
    done = transform_file(saved, private, folder / "release.csv", copy=["label"], key="person")
    assert done["rows"] == 100
    released = pd.read_csv(folder / "release.csv")
    assert released["label"].tolist() == source["label"].tolist()
    assert "person" not in released
    ledger, names = named(folder)
    assert (ledger.largest().epsilon, len(names)) == (Fraction(2), 100)
    with pytest.raises(DataError, match=r"Earlier releases named records by an identifier.*identifiers="):
        transform_file(saved, private, tmp_path / "again.csv", copy=["label"])  # counted as other records
    # Half of the records were never released: the others are too much, and nobody pays.
    pd.concat([source[50:], source[:50].assign(person=range(1000, 1050))]).to_csv(tmp_path / "more.csv", index=False)
    with pytest.raises(BudgetExceededError, match=r"50 of 100 records would reach epsilon 4 .* limit is 3\."):
        transform_file(saved, tmp_path / "more.csv", tmp_path / "again.csv", copy=["label"], key="person")
    assert not (tmp_path / "again.csv").exists()
    assert ledger.spent(1000).epsilon == 0
    assert ledger.releases == 1


@pytest.mark.parametrize(("known", "unknown"), [(0, 100), (90, 10), (100, 0)])
def test_records_without_a_class_of_the_fit_are_counted_and_never_named(divided, tmp_path, known, unknown):
    folder, source = divided
    for name in ("cadp.withhold", "ledger.key"):
        shutil.copy(folder / name, tmp_path)
    lines = []
    labels = [*source["label"][:known], *["dead", None] * (unknown // 2)]
    source.assign(label=labels).to_parquet(tmp_path / "p.parquet")
    transform_file(
        tmp_path / "cadp.withhold", tmp_path / "p.parquet", tmp_path / "z.csv", key="person", log=lines.append
    )
    said = [line for line in lines if "no class of the fit" in line]
    expected = f"{unknown} of 100 records have no class of the fit and are released under its most frequent one"
    assert said == ([expected] if unknown else [])
    assert "dead" not in " ".join(lines)


def test_without_the_ledgers_secret_a_total_and_a_key_mean_nothing(divided, tmp_path):
    folder, _ = divided
    copied = tmp_path / "cadp.withhold"
    copied.write_bytes((folder / "cadp.withhold").read_bytes())
    for key in ("person", None):
        with pytest.raises(InvalidParameterError, match=r"needs the ledger, and its secret ledger\.key is not"):
            transform_file(copied, folder / "private.csv", tmp_path / "release.csv", copy=["label"], key=key)
    with pytest.raises(DataError, match=r"private\.csv has no column 'nobody'"):
        transform_file(folder / "cadp.withhold", folder / "private.csv", tmp_path / "release.csv", key="nobody")
    assert not (tmp_path / "release.csv").exists()


def test_pieces_of_a_file_are_one_release(divided, tmp_path, monkeypatch):
    folder, _ = divided
    monkeypatch.setattr(transforming, "ROWS_PER_BATCH", 30)
    for name in ("cadp.withhold", "ledger.key"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    (tmp_path / "ledger.key").chmod(0o600)
    heard = []
    transform_file(tmp_path / "cadp.withhold", folder / "private.csv", tmp_path / "r.csv", log=heard.append)
    ledger, names = named(tmp_path)
    assert (ledger.releases, len(names)) == (1, 100)  # under the values of each record
    assert any("one whose values have changed is another" in line for line in heard)


def test_images_and_embeddings_take_the_class_from_a_column_that_is_copied(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=90)
    images = (rng.random((90, 4, 4)) * 120 + 60 * y[:, None, None]).astype("uint8")
    vectors = rng.normal(size=(90, 3)) + y[:, None]
    for name, array, settings in (
        ("images", images, ("rounds=5", "hidden=8", "channels=4", "directions=2")),
        ("vectors", vectors, TINY),
    ):
        (tmp_path / name).mkdir()
        for part, rows in (("public", slice(60)), ("private", slice(60, 90))):
            np.savez(tmp_path / name / f"{part}.npz", a=array[rows], label=y[rows], person=np.arange(90)[rows])
        saved = tmp_path / name / "cadp.withhold"
        public = tmp_path / name / "public.npz"
        request = Request(public, (), utility=("label",), method="cadp", settings=settings, array="a", drop=("person",))
        fit_file(request, saved)
        out = tmp_path / name / "release.npz"
        transform_file(saved, public.with_name("private.npz"), out, array="a", copy=["label"], key="person")
        released = np.load(out)
        assert released["a"].shape == array[60:].shape
        assert released["label"].tolist() == y[60:].tolist()
        assert not np.array_equal(released["a"], array[60:])
        assert named(saved.parent)[0].spent(60).epsilon == 4


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
    released = np.load(out / "candidate/release.npz")["image"]
    assert released.shape == (84, 4, 4)
    assert record.audit.utility["label"].transfer.no_record is not None
    page = (out / "private/samples.html").read_text()
    shown = [f"epsilon {e}" for e in ("0.2", "1", "4 (released)", "10")]
    assert [page.index(f">{label}<") for label in shown] == sorted(page.index(f">{label}<") for label in shown)
    assert page.count("<img") == 24 * (1 + 4 + 1)
    assert "are not in the ledger" in page
    ledger, names = named(out / "private")
    assert (ledger.largest().epsilon, ledger.releases, len(names)) == (4, 1, 84)
    assert not list((out / "candidate").glob("*samples*"))
    found = record.audit.flow_membership
    assert (found.members, found.others) == (196, 42)
    assert found.auc.low < found.auc.value < found.auc.high
    assert {"flow_membership", "flow_remembers"} & {finding.code for finding in record.audit.findings}


@pytest.mark.parametrize(
    "moment", [*(pytest.param(early, marks=pytest.mark.full) for early in ("announced", "charged")), "written"]
)
def test_a_killed_transform_has_paid_for_what_it_drew(divided, tmp_path, moment):
    folder, _ = divided
    for name in ("cadp.withhold", "ledger.key"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    (tmp_path / "ledger.key").chmod(0o600)
    key = LedgerKey.from_file(tmp_path / "ledger.key")
    beside = ReleaseLedger(tmp_path / "ledger.sqlite", key, PrivacyLoss(Fraction(3)))
    command = [sys.executable, "-m", "withhold", "transform", str(tmp_path / "cadp.withhold")]
    command += [str(folder / "private.csv"), "--out", str(tmp_path / "out.csv"), "--key", "person"]
    heard, entered = "", 0
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None:
            if "entering releases" not in heard:
                heard += process.stderr.readline()
                continue
            written = [*tmp_path.glob(".withhold-tmp-*"), *tmp_path.glob("out.csv")]
            if {"announced": True, "charged": beside.spent(200).epsilon > 0, "written": written}[moment]:
                process.kill()
            beside.charge(["another"], PrivacyLoss(Fraction(1, 10**6)))
            entered += 1
    ledger = ReleaseLedger(beside.path, key)
    spent = {ledger.spent(person).epsilon for person in range(200, 300)}
    assert len(spent) == 1  # all persons or none
    assert spent == {2} or not [*tmp_path.glob(".withhold-tmp-*"), *tmp_path.glob("out.csv")]
    assert spent == {2} or moment == "announced"
    assert ledger.spent("another").epsilon == Fraction(entered, 10**6) > 0
