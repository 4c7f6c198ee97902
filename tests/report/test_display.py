"""A record in Python: picture, frame, page, notebook."""

import builtins
import math
import subprocess
import sys
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import pandas as pd
import pytest

from report import records
from withhold import LeakageDisplay, write_report
from withhold.contracts.audit_record import AuditRecord
from withhold.contracts.errors import InvalidParameterError, MissingExtraError

matplotlib.use("agg")


def test_a_frame_has_a_row_for_each_attribute_and_gaps_where_nothing_was_measured() -> None:
    frame = records.several().to_frame()
    assert list(frame.index) == ["sex", "race", "age", "joint"]
    assert frame.loc["sex", "leakage"] == 0.021
    assert frame.loc["sex", "raw_leakage"] == 0.268
    assert frame.loc["sex", "verdict"] == "pass"
    assert math.isnan(frame.loc["age", "balanced_accuracy"])
    assert all(pd.api.types.is_float_dtype(frame[name]) for name in ("leakage", "budget", "detection_limit"))
    assert records.minimal().to_frame()["budget"].isna().all()


def test_a_plot_shows_the_interval_the_budget_and_the_original() -> None:
    ax = records.run().plot()
    labels = ax.get_legend_handles_labels()[1]
    assert "budget 0.03" in labels
    assert "original data" in labels
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["sex"]
    assert ax.get_xlim()[0] == 0
    plt.close(ax.figure)


def test_a_plot_goes_where_it_is_asked_to() -> None:
    figure, ax = plt.subplots()
    display = LeakageDisplay.from_record(records.several()).plot(ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is figure
    assert display.attributes[-1] == "sex, race and age together"
    plt.close(figure)


def test_nothing_hidden_is_an_empty_plot() -> None:
    ax = records.promised().plot()
    assert ax.get_yticklabels() == []
    plt.close(ax.figure)


def test_a_missing_matplotlib_is_said_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: object, **kwargs: object) -> object:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"pip install 'withhold\[plot\]'"):
        records.run().plot()


def test_matplotlib_is_loaded_by_plots_alone() -> None:
    code = "import sys, withhold.report.display, withhold.report.page; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_record_is_saved_as_page_or_as_json(tmp_path: Path) -> None:
    record = records.audit()
    page = record.save(tmp_path / "page.html", title="Trial 7")
    assert "Trial 7" in page.read_text()
    assert AuditRecord.model_validate_json(record.save(tmp_path / "a.json").read_text()) == record
    assert write_report(records.run(), tmp_path / "run.html").exists()


def test_an_earlier_file_stays_and_other_endings_are_refused(tmp_path: Path) -> None:
    page = records.audit().save(tmp_path / "page.html")
    with pytest.raises(InvalidParameterError, match="overwrite=True"):
        records.audit().save(page)
    records.audit().save(page, overwrite=True)
    with pytest.raises(InvalidParameterError, match=r"\.html or \.json"):
        records.audit().save(tmp_path / "page.pdf")


def test_a_notebook_shows_the_first_page() -> None:
    for record in (records.run(), records.audit()):
        assert "What to do" in record._repr_html_()
