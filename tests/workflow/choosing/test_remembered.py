"""The choice inside a run: which method is fitted, what a killed run keeps, and that the chosen settings repeat it."""

from dataclasses import replace

import pytest

from withhold.contracts.choice_record import ChoiceRecord, TrialRecord
from withhold.io.tables import write_table
from withhold.methods.loading import restore
from withhold.workflow.choosing import remembered, settle
from withhold.workflow.choosing.remembered import FAILED, shareable, with_method
from withhold.workflow.folder import ASKED, OutputFolder, remains
from withhold.workflow.run import run
from workflow.choosing.test_settle import NOISE, N, job_about, table

FIRST, SECOND = (TrialRecord(method="noise", settings=[f"scale={scale}"], fitted=1, n=2) for scale in (1, 2))

pytestmark = pytest.mark.usefixtures("one_reader", "brief_audit")


def choice(*trials: TrialRecord) -> ChoiceRecord:
    return ChoiceRecord(
        method="noise", settings=["scale=2"], by="budget", budget=0.1, held=True, reason="r", ended="time",
        raw=FIRST, trials=list(trials),
    )  # fmt: skip


def test_a_named_method_is_left_and_without_a_budget_the_default_is_fitted(tmp_path):
    said = []
    with OutputFolder(tmp_path / "out") as folder:
        named = job_about(table(), method="leace", budget=0.1)
        assert with_method(named, folder, said.append) == (named, None)
        assert said == []
        job, chosen = with_method(job_about(table()), folder, said.append)
        assert (job.request.method, chosen) == ("deepminmax", None)
        assert said == ["there is no budget to choose a method by: deepminmax, the default, is fitted"]
        job, chosen = with_method(job_about(table(), budget=0.1, settings=("rounds=60",)), folder, said.append)
        assert (job.request.method, job.request.settings, chosen) == ("deepminmax", ("rounds=60",), None)
        assert said[-1].startswith("--set and --preset")


def test_a_killed_choice_goes_on_with_what_was_finished(tmp_path, monkeypatch):
    given = []

    def killed(job, rows, log, known, finished):
        given.append(dict(known))
        for trial in (FIRST, SECOND)[len(known) :]:
            finished(trial)
            if len(given) == 1:
                raise KeyboardInterrupt
        return choice(FIRST, SECOND)

    monkeypatch.setattr(remembered, "choose_for", killed)
    job, said = job_about(table(), budget=0.1), []
    with pytest.raises(KeyboardInterrupt), OutputFolder(tmp_path / "out") as folder:
        with_method(job, folder, said.append)
    (tmp_path / "out" / ".unfinished" / ASKED).write_text("{}")  # as a run writes it first
    assert remains(tmp_path / "out").startswith("The methods that were tried so far are kept")
    with OutputFolder(tmp_path / "out", resume=True) as folder:
        settled, record = with_method(job, folder, said.append)
    assert given == [{}, {"noise scale=1": FIRST}]
    assert said == ["keeping 1 trial of the interrupted run"]
    assert (settled.request.method, settled.request.settings) == ("noise", ("scale=2",))
    assert record.trials == [FIRST, SECOND]
    with OutputFolder(tmp_path / "out", resume=True) as folder:
        assert with_method(job, folder)[1] == record
    assert len(given) == 2


def test_what_is_shared_quotes_no_error():
    failed = replace_failed("level 'Smith' is too rare")
    assert shareable(choice(FIRST, failed)).trials == [FIRST, replace_failed(FAILED)]


def replace_failed(text: str) -> TrialRecord:
    return SECOND.model_copy(update={"failed": text})


def test_a_run_chooses_and_its_settings_give_the_same_sanitiser_whatever_the_audited_rows_hold(tmp_path, monkeypatch):
    monkeypatch.setattr(settle, "ladders_for", lambda job: [NOISE])
    poisoned, audited = table(), (table()["part"] == "audit").to_numpy()
    poisoned.loc[audited, ["tells", "useful"]] = -1e9
    poisoned.loc[audited, "job"] = "poison"
    poisoned.loc[audited, "s"] = poisoned.loc[audited, "s"].map({"f": "m", "m": "f"})
    for name, frame in (("a", table()), ("b", poisoned)):
        write_table(tmp_path / f"{name}.parquet", job_about(frame).table)
    asked = {
        "sensitive": ["s"], "utility": ["u"], "split": "part", "drop_utility": True, "effort": "quick",
        "attackers": ["logistic"], "budget": 0.3, "anyway": True,
    }  # fmt: skip
    said = []
    first = run(tmp_path / "a.parquet", out=tmp_path / "a", log=said.append, **asked)
    assert first.choice.held
    assert first.method.name == first.choice.method == "noise"
    command = said[-1].partition("again: ")[2].split()
    assert command[:2] == ["withhold", "run"]
    assert command[-2:] == ["--anyway", "--overwrite"]
    settings = [command[i + 1] for i, word in enumerate(command) if word == "--set"]
    again = run(
        tmp_path / "b.parquet", out=tmp_path / "b", method=command[command.index("--method") + 1], settings=settings,
        noise_key=tmp_path / "a" / "private" / "key", **asked,
    )  # fmt: skip
    assert again.choice is None
    assert again.data.rows == N
    digests = {restore(tmp_path / name / "private" / "sanitizer.withhold").digest_ for name in "ab"}
    assert len(digests) == 1


def test_the_job_is_left_but_for_its_method():
    job = job_about(table(), budget=0.1)
    chosen = remembered.chosen_job(job, choice(FIRST))
    assert replace(chosen, request=job.request) == replace(job)
