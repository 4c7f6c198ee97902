import io
import sys

from withhold.training.session import Progress


def test_silent_without_a_terminal(capsys):
    with Progress("Working", total=2) as bar:
        bar.advance(note="half")
        bar.advance()
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""
    assert (bar.done, bar.note) == (2.0, "half")


def test_writes_to_stderr_when_asked(monkeypatch):
    stderr, stdout = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setattr(sys, "stdout", stdout)
    with Progress("Working", total=2, enabled=True) as bar:
        bar.advance()
    assert "Working" in stderr.getvalue()
    assert stdout.getvalue() == ""
