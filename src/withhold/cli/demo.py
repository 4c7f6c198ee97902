"""`withhold demo`: the whole pipeline on a real table."""

from withhold.cli.outcome import InterruptError, Outcome, note
from withhold.cli.progress import shown
from withhold.workflow.options import Device, Folder, Overwrite, Resume, Seed

EXAMPLES = ("withhold demo --out demo-out",)


def demo(
    out: Folder, seed: Seed = 0, device: Device = "auto", resume: Resume = False, overwrite: Overwrite = False
) -> Outcome:
    """Hide who is married in a real survey of 9,275 households, attack the result and write a report.

    Prints the verdict on a budget of 0.05 nat and where the report is. Exits 0 whatever the verdict.
    The survey itself is in DIR/private/survey.parquet, to try the other commands on.
    """
    from withhold.cli.summary import show_run
    from withhold.workflow.demo import SURVEY
    from withhold.workflow.demo import demo as demonstrate
    from withhold.workflow.folder import remains

    try:
        with shown():
            record = demonstrate(out, overwrite=overwrite, resume=resume, seed=seed, device=device, log=note)
    except KeyboardInterrupt:
        raise InterruptError(f"Interrupted. {remains(out)}") from None
    note(f"the survey itself is in {out / SURVEY}")
    return Outcome(record, lambda stream: show_run(record, out, stream))
