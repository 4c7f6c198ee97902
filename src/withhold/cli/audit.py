"""`withhold audit`: attack a file, whoever made it."""

from typing import IO, Annotated

from withhold.cli.outcome import Outcome, code_of, note
from withhold.cli.progress import shown
from withhold.workflow.options import File, Option, Overwrite
from withhold.workflow.request import AuditRequest

Written = Annotated[File, Option("Also write the JSON document to this file.", "FILE")]

EXAMPLES = (
    "withhold audit release.csv --sensitive sex --original survey.csv --budget 0.05",
    "withhold audit new.parquet --sensitive sex --original survey.parquet --key person --also old.parquet",
    "withhold audit scans.npz --array images --sensitive hospital",
    "withhold audit synthetic.csv --sensitive sex --original survey.csv --control others.csv --budget 0.05",
)


def audit(request: AuditRequest, out: Written = None, overwrite: Overwrite = False) -> Outcome:
    """Attack a released file and say what it gives away.

    The sensitive columns may be in --original or in --sensitive-from, matched with --key, or by the order of rows,
    which the audit then checks against the other columns there. They may be in the file itself: then they are set
    aside, and the verdict is never a pass, because whoever has the file has them. Versions given as --also are joined
    and averaged with the release; with --sanitizer its draws and its reading of the release are attacked too. With
    --control rows are not matched to individuals (synthetic files, or suppressed and shuffled ones): what the file
    tells of people of --original is compared with what it tells of others.
    Exit code: 0 done and within budget, 1 over budget, 2 usage, 3 bad data or file, 4 inconclusive.
    """
    from withhold.cli.summary import show_audit, show_disclosure
    from withhold.contracts.audit_record import AuditRecord
    from withhold.io.atomic import write_text
    from withhold.workflow.audit import audit_file
    from withhold.workflow.disclosure import disclose_file
    from withhold.workflow.folder import refuse_existing, refuse_same

    if out is not None:
        read = {"the release": request.release, "the original": request.original, "the splits": request.splits}
        read |= {
            "the control": request.control,
            "the file with the attribute": request.sensitive_from,
            "the sanitiser": request.sanitizer,
        }
        read |= {f"the other version {path.name!r}": path for path in request.also}
        refuse_same(out, {**read, "the table of labels": request.labels})
        refuse_existing(out, overwrite)
    with shown():
        record = audit_file(request, note) if request.control is None else disclose_file(request, note)
    if out is not None:
        write_text(out, record.model_dump_json(indent=2))
        note(f"wrote {out}")

    def show(stream: IO[str]) -> None:
        if isinstance(record, AuditRecord):
            show_audit(record, request.release, stream)
        else:
            show_disclosure(record, stream)

    return Outcome(record, show, code_of(record.verdict))
