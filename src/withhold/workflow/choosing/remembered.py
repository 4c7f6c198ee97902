"""The choice inside a run: finished trials and the choice lie in the output folder, so that a killed run goes on."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from withhold.contracts.choice_record import ChoiceRecord, TrialRecord
from withhold.contracts.timetable import begin
from withhold.methods.catalogue import AUTO, DEFAULT
from withhold.workflow.choosing.settle import choose_for
from withhold.workflow.choosing.trial import named
from withhold.workflow.folder import CHOSEN, TRIALS, OutputFolder
from withhold.workflow.job import Job
from withhold.workflow.plan_costs import CHOOSING
from withhold.workflow.plan_words import command_of
from withhold.workflow.request import Request

# Errors may quote what a column holds; a record that is shared says only that there is no release.
FAILED = "it could not be fitted to these data"


def with_method(
    job: Job, folder: OutputFolder, log: Callable[[str], None] = lambda text: None
) -> tuple[Job, ChoiceRecord | None]:
    """Return a job whose method is named: the one asked for, the default one, or the one chosen for it.

    Parameters
    ----------
    folder : OutputFolder
        Where the trials of an interrupted choice are found and each is written.

    Returns
    -------
    Job, ChoiceRecord or None
        None where nothing was chosen.
    """
    request = job.request
    if request.method != AUTO:
        return job, None
    if not request.chooses:
        log(_why_default(job))
        return replace(job, request=replace(request, method=DEFAULT)), None
    done = folder.recall(CHOSEN)
    choice = _chosen(job, folder, log) if done is None else ChoiceRecord.model_validate(done)
    folder.remember(CHOSEN, choice.model_dump(mode="json"))
    return chosen_job(job, choice), shareable(choice)


def chosen_job(job: Job, choice: ChoiceRecord) -> Job:
    """Return the job with the method that was chosen for it."""
    return replace(job, request=named(job.request, choice.method, choice.settings))


def command_again(request: Request, choice: ChoiceRecord, out: Path, anyway: bool) -> list[str]:
    """Return the command that fits what was chosen again, in the place of what lies in the folder.

    Parameters
    ----------
    request : Request
        What was asked.
    out : Path
        The folder.
    anyway : bool
        Whether it went on against the forecast.
    """
    command = command_of(named(request, choice.method, choice.settings), out)
    return [*command, *["--anyway"] * anyway, "--overwrite"]


def shareable(choice: ChoiceRecord) -> ChoiceRecord:
    """Return a choice without the words of errors."""
    trials = [one.model_copy(update={"failed": FAILED if one.failed else ""}) for one in choice.trials]
    return choice.model_copy(update={"trials": trials})


def _chosen(job: Job, folder: OutputFolder, log: Callable[[str], None]) -> ChoiceRecord:
    begin(CHOOSING)
    known = {name: TrialRecord.model_validate(one) for name, one in (folder.recall(TRIALS) or {}).items()}
    if known:
        log(f"keeping {len(known)} trial{'s' * (len(known) != 1)} of the interrupted run")

    def finished(trial: TrialRecord) -> None:
        known[str(trial)] = trial
        folder.remember(TRIALS, {name: one.model_dump(mode="json") for name, one in known.items()})

    return choose_for(job, job.parts.fit_rows, log, dict(known), finished)


def _why_default(job: Job) -> str:
    if job.request.settings or job.request.preset is not None:
        return f"--set and --preset are settings of one method: {DEFAULT}, the default, is fitted"
    return f"there is no budget to choose a method by: {DEFAULT}, the default, is fitted"
