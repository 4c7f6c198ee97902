"""`withhold audit`: attack a file, whoever made it."""

from pathlib import Path
from typing import Annotated

import typer

from withhold.audit.effort import USUAL
from withhold.cli import options as o
from withhold.cli.options import Outcome, code_of, names, note

File = Path | None


def audit(
    release: Annotated[Path, typer.Argument(help="The released file: " + o.IMAGES_HELP, show_default=False)],
    sensitive: o.Sensitive,
    utility: o.Utility = None,
    original: Annotated[
        File, typer.Option("--original", help="The data before sanitising, same rows or --key.", metavar="FILE")
    ] = None,
    sensitive_from: Annotated[
        File, typer.Option("--sensitive-from", help="A file that holds the sensitive columns.", metavar="FILE")
    ] = None,
    key: Annotated[
        str | None, typer.Option("--key", help="Column of both files that names a record.", metavar="COL")
    ] = None,
    also: Annotated[
        list[Path] | None,
        typer.Option(
            "--also", help="Another version of these records the recipient holds; repeatable.", metavar="FILE"
        ),
    ] = None,
    sanitizer: Annotated[
        File, typer.Option("--sanitizer", help="The sanitiser, if the recipient gets it too.", metavar="FILE")
    ] = None,
    splits: Annotated[
        File, typer.Option("--splits", help="private/splits.parquet of the run that made it.", metavar="FILE")
    ] = None,
    split: o.Split = None,
    budget: o.Budget = None,
    budget_advantage: o.BudgetAdvantage = None,
    groups: o.Groups = None,
    drop: o.Drop = None,
    continuous: o.Continuous = None,
    categorical: o.Categorical = None,
    array: o.Array = None,
    labels: o.Labels = None,
    drop_utility: o.DropUtility = False,
    attackers: o.Attackers = None,
    effort: o.Effort = USUAL,
    seed: o.Seed = 0,
    out: Annotated[
        Path | None, typer.Option("--out", help="Also write the JSON document to this file.", metavar="FILE")
    ] = None,
    overwrite: o.Overwrite = False,
    as_json: o.AsJson = False,
) -> Outcome:
    """Attack a released file and say what it gives away.

    The sensitive columns may be in --original or in --sensitive-from, matched with --key, or by the order of rows,
    which the audit then checks against the other columns there. They may be in the file itself: then they are set
    aside, and the verdict is never a pass, because whoever has the file has them. Versions given as --also are joined
    and averaged with the release; with --sanitizer its draws and its reading of the release are attacked too.
    Exit code: 0 done and within budget, 1 over budget, 2 usage, 3 bad data or file, 4 inconclusive.
    """
    from withhold.cli.summary import show_audit
    from withhold.io.atomic import write_text
    from withhold.workflow.audit import audit_file
    from withhold.workflow.folder import refuse_existing, refuse_same
    from withhold.workflow.request import AuditRequest

    request = AuditRequest(
        release=release,
        sensitive=names(sensitive),
        utility=names(utility),
        original=original,
        sensitive_from=sensitive_from,
        key=key,
        also=tuple(also or ()),
        sanitizer=sanitizer,
        splits=splits,
        split=split,
        groups=groups,
        drop=names(drop),
        continuous=names(continuous),
        categorical=names(categorical),
        array=array,
        labels=labels,
        budget=budget,
        budget_advantage=budget_advantage,
        drop_utility=drop_utility,
        attackers=None if attackers is None else tuple(attackers.split(",")),
        effort=effort,
        seed=seed,
    )
    if out is not None:
        read = {"the release": release, "the original": original, "the sanitiser": sanitizer, "the splits": splits}
        read |= {"the file with the attribute": sensitive_from, "the table of labels": labels}
        refuse_same(out, {**read, **{f"the other version {path.name!r}": path for path in request.also}})
        refuse_existing(out, overwrite)
    record = audit_file(request, note)
    if out is not None:
        write_text(out, record.model_dump_json(indent=2))
        note(f"wrote {out}")
    return Outcome(record, lambda stream: show_audit(record, stream), code_of(record.verdict))
