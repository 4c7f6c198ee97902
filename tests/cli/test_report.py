"""Tests of `withhold report`."""

from pathlib import Path


def test_the_page_of_a_run_is_made_again(withhold, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    options = ("--sensitive", "sex", "--method", "identity", "--effort", "quick", "--attackers", "logistic")
    assert withhold("run", data, "--out", out, *options)[0] == 0
    code, _ = withhold("report", out / "candidate" / "audit.json", "--out", tmp_path / "page.html")
    assert code == 0
    page = (tmp_path / "page.html").read_text()
    assert "<html" in page
    assert "identity" in page.lower()  # the manifest beside it says how the release was made
    manifest = out / "candidate" / "manifest.json"  # it is read too
    before = manifest.read_bytes()
    assert withhold("report", out / "candidate" / "audit.json", "--out", manifest, "--overwrite")[0] == 2
    assert manifest.read_bytes() == before
    assert withhold("report", out / "candidate" / "audit.json", "--out", tmp_path / "page.html")[0] == 2
    assert withhold("report", out / "candidate" / "audit.json", "--out", tmp_path / "page.html", "--overwrite")[0] == 0


def test_what_is_no_record(withhold, data: Path, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    code, document = withhold("report", tmp_path / "a.json", "--out", tmp_path / "page.html")
    assert code == 3
    assert "schema_version" in document["error"]["message"]
    assert withhold("report", data, "--out", tmp_path / "page.html")[0] == 3
    assert not (tmp_path / "page.html").exists()
    (tmp_path / "folder").mkdir()
    assert withhold("report", tmp_path / "folder", "--out", tmp_path / "page.html")[0] == 3
