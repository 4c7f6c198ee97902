"""`withhold run`: from a table to an audited release."""

from withhold.cli.outcome import InterruptError, Outcome, code_of, note
from withhold.cli.progress import shown
from withhold.workflow.options import Anyway, Folder, Overwrite, Resume
from withhold.workflow.request import Request

EXAMPLES = (
    "withhold run survey.csv --sensitive sex --utility income --budget 0.05 --out release",
    "withhold run scans --labels labels.csv --sensitive hospital --utility finding --method aioi --out release",
    "withhold run survey.csv --method cadp --epsilon 4 --utility income --key person --out release",
)


def run(
    request: Request, out: Folder, anyway: Anyway = False, resume: Resume = False, overwrite: Overwrite = False
) -> Outcome:
    """Hide columns of a table: write the release, attack it, and say in a report if it may be shared.

    After an audit that passed, DIR/share/ may be sent: release, report.html, audit.json, manifest.json. Otherwise they
    wait in DIR/candidate/ until `withhold approve DIR --because TEXT`. DIR/private/ must not be shared. It holds
    the sanitiser (which rewrites records), the key of its noise and who was fitted or audited; for images samples.html,
    which shows some before and after; for cadp the ledger of what each record has cost, with its own key.
    Exit code: 0 done and within budget (if DIR/share is there, it may be sent), 1 over budget, 2 usage, 3 bad data or
    file, 4 inconclusive.
    """
    from withhold.cli.summary import show_run
    from withhold.workflow.folder import remains
    from withhold.workflow.remedies import remedies
    from withhold.workflow.run import run_request

    try:
        with shown():
            record = run_request(request, out, overwrite=overwrite, resume=resume, anyway=anyway, log=note)
    except KeyboardInterrupt:
        raise InterruptError(f"Interrupted. {remains(out)}") from None
    steps = [] if record.cleared else remedies(record, request, out, anyway)
    return Outcome(record, lambda stream: show_run(record, out, stream, steps), code_of(record.audit.verdict))
