"""A cross-fitted release: each row is from a sanitiser that never saw it, all are audited, none is for later rows."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from withhold.cli.main import main
from withhold.contracts.errors import ArtifactError, DataError, FileError, InvalidParameterError
from withhold.contracts.images import image_column
from withhold.contracts.run_record import MethodSummary
from withhold.io.tables import read_table, write_table
from withhold.methods.controls import Identity
from withhold.methods.loading import restore
from withhold.report.page import render
from withhold.workflow import cross_fit
from withhold.workflow.audit import audit_file
from withhold.workflow.cross_fit import folds_for, summary_of_all, with_same_columns
from withhold.workflow.job import prepare
from withhold.workflow.request import AuditRequest, Request
from withhold.workflow.run import run

pytestmark = pytest.mark.usefixtures("brief_audit")

N = 120
FAST = {"effort": "quick", "attackers": ["logistic"], "keep_order": True, "method": "identity", "anyway": True}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, N)
    columns = {"a": rng.standard_normal(N), "b": rng.standard_normal(N), "s": s, "who": np.arange(N) // 3}
    write_table(tmp_path / "t.parquet", pa.table(columns))
    return tmp_path / "t.parquet"


class Remembers(Identity):
    """Writes into its release whether a row was among those it was fitted on."""

    def _fit_encoded(self, data):
        self.seen_ = {row.tobytes() for row in np.asarray(data.H)}

    def _encode(self, H):
        return np.array([[row.tobytes() in self.seen_] * H.shape[1] for row in np.asarray(H)], H.dtype)


def released(out: Path) -> pa.Table:
    return read_table(next(out.glob("*/release.parquet")))


def test_no_sanitiser_releases_a_row_that_it_saw(data, tmp_path, monkeypatch) -> None:
    table = read_table(data).select(["a", "b"])
    known = Remembers().fit(table, sensitive_features=np.arange(N) % 2)
    assert known.transform(table).column("a").to_numpy().min() > 0.5  # one spread above the mean: it would be told
    monkeypatch.setattr(cross_fit, "unfitted", lambda *_: Remembers())
    monkeypatch.setattr(cross_fit, "write_sanitizer", lambda _, path, **fold: path.touch())
    run(data, sensitive=["s"], out=tmp_path / "o", cross_fit=4, drop=["who"], **FAST)
    assert np.abs(released(tmp_path / "o").column("a").to_numpy()).max() < 0.5


def test_every_row_once_and_all_of_them_audited(data, tmp_path) -> None:
    record = run(data, sensitive=["s"], out=tmp_path / "o", cross_fit=4, drop=["who"], **FAST)
    splits, original = read_table(tmp_path / "o/private/splits.parquet"), read_table(data)
    assert released(tmp_path / "o").column("a").to_pylist() == pytest.approx(original.column("a").to_pylist())
    assert set(splits.column("part").to_pylist()) == {"audit"}
    assert np.bincount(splits.column("fold").to_numpy()).tolist() == [30] * 4
    audited = record.audit.splits
    assert (audited.fit, audited.audit, audited.sanitizers, audited.source) == (None, N, 4, "cross_fit")
    assert record.audit.membership is None
    assert not record.audit.sensitive["s"].hypothetical


def test_one_draw_under_one_key(data, tmp_path) -> None:
    options = {**FAST, "method": "noise", "drop": ["who"]}
    run(data, sensitive=["s"], out=tmp_path / "o", cross_fit=3, **options)
    key = tmp_path / "o/private/key"
    run(data, sensitive=["s"], out=tmp_path / "p", cross_fit=3, noise_key=key, **options)
    assert released(tmp_path / "o").equals(released(tmp_path / "p"))
    assert released(tmp_path / "o").num_rows == N


def test_subjects_stay_whole(data, tmp_path) -> None:
    job = prepare(Request(data, ("s",), groups="who", cross_fit=5, method="identity"))
    assert all(len({*job.parts.fold[job.groups == one]}) == 1 for one in range(N // 3))
    assert job.parts.fits == 5


def test_rows_come_in_another_order_with_their_folds(data, tmp_path) -> None:
    plain = prepare(Request(data, ("s",), cross_fit=3, method="identity")).parts.fold
    run(data, sensitive=["s"], out=tmp_path / "o", cross_fit=3, **{**FAST, "keep_order": False})
    splits = read_table(tmp_path / "o/private/splits.parquet")
    assert splits.column("fold").to_pylist() == plain[splits.column("data_row").to_numpy()].tolist()


def test_a_killed_run_goes_on_with_the_finished_folds(data, tmp_path, monkeypatch) -> None:
    fit, fitted = cross_fit._fold, []

    def dying(job, key, number):
        if number == 2 and 2 not in fitted:
            fitted.append(2)
            raise KeyboardInterrupt
        fitted.append(number)
        return fit(job, key, number)

    monkeypatch.setattr(cross_fit, "_fold", dying)
    options = {**FAST, "method": "noise", "drop": ["who"]}
    with pytest.raises(KeyboardInterrupt):
        run(data, sensitive=["s"], out=tmp_path / "o", cross_fit=4, **options)
    run(data, sensitive=["s"], out=tmp_path / "o", cross_fit=4, resume=True, **options)
    assert fitted == [0, 1, 2, 2, 3]
    run(data, sensitive=["s"], out=tmp_path / "p", cross_fit=4, noise_key=tmp_path / "o/private/key", **options)
    assert released(tmp_path / "o").equals(released(tmp_path / "p"))
    assert not [*(tmp_path / "o/private").glob("features*")]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"cross_fit": 1}, "cross_fit must be at least 2"),
        ({"cross_fit": 5, "split": "who"}, "split says which rows"),
        ({"cross_fit": 5, "test": Path("t.csv")}, "test says which rows"),
        ({"cross_fit": 5, "labels": Path("t.csv")}, "for tables"),
        ({"cross_fit": 5, "output": "representation"}, "a representation of its own"),
        ({"cross_fit": 5, "budget": 0.1, "method": "auto"}, "Name one: method='deepminmax'"),
    ],
)
def test_what_cannot_be_is_refused_before_a_file_is_read(options, said) -> None:
    with pytest.raises(InvalidParameterError, match=said):
        Request(**{"data": Path("x.csv"), "sensitive": ("s",), "method": "leace", **options})


def test_too_few_subjects_are_counted(data, tmp_path) -> None:
    with pytest.raises(DataError, match=r"needs 41 subjects and 205 rows at least \(got 40 sub.* Write cross_fit=24"):
        prepare(Request(data, ("s",), groups="who", cross_fit=41, method="identity"))


def test_images_arrays_and_promises_are_refused(data, tmp_path) -> None:
    rng = np.random.default_rng(0)
    pictures = pa.table({"x": image_column(rng.integers(0, 99, (60, 4, 4)).astype(np.uint8)), "s": np.arange(60) % 2})
    write_table(tmp_path / "i.npz", pictures)
    write_table(tmp_path / "m.parquet", pa.table({"x0": rng.normal(size=60), "s": np.arange(60) % 2}))
    for name, said, method in (
        ("i.npz", "images", "noise"),
        ("m.parquet", "array", "noise"),
        ("t.parquet", "cadp", "cadp"),
    ):
        more = {"array": "x"} if name == "i.npz" else {}
        with pytest.raises(InvalidParameterError, match=rf"cross_fit .*{said}.*Leave it out"):
            run(tmp_path / name, sensitive=["s"], out=tmp_path / "o", cross_fit=3, **{**FAST, **more, "method": method})
    assert not (tmp_path / "o").exists()


def test_no_fold_stands_for_later_rows(data, tmp_path, capsys) -> None:
    run(data, sensitive=["s"], out=tmp_path / "o", cross_fit=3, **FAST)
    names = sorted(path.name for path in (tmp_path / "o/private").glob("sanitizer*"))
    assert names == [f"sanitizer-{k}-of-3.withhold" for k in (1, 2, 3)]
    with pytest.raises(ArtifactError, match=r"fold 2 of 3 of a cross-fitted release.*without cross_fit"):
        restore(tmp_path / "o/private" / names[1])
    asked = ["transform", str(tmp_path / "o/private" / names[0]), str(data), "--out", str(tmp_path / "new.parquet")]
    assert main(asked) == 3
    assert "without --cross-fit" in capsys.readouterr().err
    asked[1] = str(tmp_path / "o/private/sanitizer.withhold")  # where that of any other run is
    assert main(asked) == 3
    said = capsys.readouterr().err
    assert "each of its 3 folds has a sanitiser of its own, such as 'sanitizer-1-of-3.withhold'" in said
    assert "run again without --cross-fit" in said
    with pytest.raises(FileError, match="run again without cross_fit"):
        restore(asked[1])
    assert not (tmp_path / "new.parquet").exists()


def test_record_manifest_and_page_say_so(data, tmp_path) -> None:
    record = run(data, sensitive=["s"], out=tmp_path / "o", cross_fit=3, **FAST)
    manifest = json.loads((tmp_path / "o" / record.files["manifest"]).read_text())
    assert manifest["method"]["sanitizers"] == record.method.sanitizers == 3
    assert manifest["method"]["findings"][0]["code"] == "cross_fitted"
    assert {f"sanitizer_{k}" for k in (1, 2, 3)} < {*manifest["files"]}
    page = render(record)
    assert "The release came from 3 sanitisers." in page
    assert "released by 3 sanitisers" in page
    assert any("one of 3 sanitisers" in line for line in record.audit.threat_model)


def test_an_audit_by_its_splits_knows_the_folds(data, tmp_path) -> None:
    run(data, sensitive=["s"], out=tmp_path / "o", cross_fit=3, drop=["who"], **{**FAST, "keep_order": False})
    record = audit_file(
        AuditRequest(
            next((tmp_path / "o").glob("*/release.parquet")), ("s",), original=data, effort="quick",
            splits=tmp_path / "o/private/splits.parquet", attackers=("logistic",),
        )
    )  # fmt: skip
    assert (record.splits.sanitizers, record.splits.source, record.splits.fit) == (3, "cross_fit", None)


def test_folds_release_the_same_columns(tmp_path) -> None:
    amounts = np.arange(N) + 10_000  # an identifier to some folds, where all values differ
    amounts[:8] = amounts[8:16]
    rng = np.random.default_rng(0)
    name = [f"{rng.integers(1 << 40):x} {rng.integers(1 << 40):x}" for _ in range(N)]
    columns = {"a": rng.normal(size=N), "amount": amounts, "name": name, "s": np.arange(N) % 2}
    write_table(tmp_path / "t.parquet", pa.table(columns))
    asked = prepare(Request(tmp_path / "t.parquet", ("s",), cross_fit=4, method="identity"))
    job = with_same_columns(asked)
    assert (job.request.keep, "name" in job.roles.features) == (("amount",), False)
    run(tmp_path / "t.parquet", sensitive=["s"], out=tmp_path / "o", cross_fit=4, **FAST)
    assert released(tmp_path / "o").column_names == list(job.roles.features)


def test_figures_of_the_folds_become_one(data) -> None:
    one = MethodSummary(name="x", settings={}, output="table", diagnostics={"r": 1.0}, curves={"c": [1.0, 2.0]})
    two = one.model_copy(update={"diagnostics": {"r": 2.0}, "curves": {"c": [3.0, 4.0, 9.0]}, "fit_seconds": 2.0})
    both = summary_of_all([one, two])
    assert (both.sanitizers, both.diagnostics, both.curves, both.fit_seconds) == (2, {"r": 1.5}, {"c": [2.0, 3.0]}, 2.0)


def test_where_it_could_help(data) -> None:
    assert folds_for(prepare(Request(data, ("s",)))) == 5
    assert folds_for(prepare(Request(data, ("s",), output="representation"))) == 0
    assert folds_for(prepare(Request(data, ("s",), cross_fit=3, method="leace"))) == 0
