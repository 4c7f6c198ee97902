"""`withhold transform`: apply a saved sanitiser to new records."""

from pathlib import Path
from typing import Annotated

import typer

from withhold.cli import options as o
from withhold.cli.options import Outcome, names, note, say

# Lines about drift; JSON has all of it.
SHOWN = 10


def transform(
    sanitizer: Annotated[Path, typer.Argument(help="The sanitiser that fit or run wrote.", show_default=False)],
    data: o.Images,
    out: Annotated[
        Path,
        typer.Option("--out", help="The release; its suffix is its format, none a folder of images.", metavar="FILE"),
    ],
    noise_key: Annotated[
        Path | None,
        typer.Option("--noise-key", help="The secret key; by default the one beside the sanitiser.", metavar="FILE"),
    ] = None,
    key: o.Key = None,
    array: o.Array = None,
    labels: o.Labels = None,
    copy: Annotated[
        list[str] | None,
        typer.Option("--copy", help="Column to copy unchanged, such as the utility; repeatable.", metavar="COL"),
    ] = None,
    device: o.Device = "auto",
    resume: o.Resume = False,
    overwrite: o.Overwrite = False,
    as_json: o.AsJson = False,
) -> Outcome:
    """Release new records with a saved sanitiser. The sensitive column is not needed.

    The file is read and written in pieces, so it may be larger than memory. Where the records are unlike those of the
    fit (new categories, values out of range, values missing where none was, another distribution), that is said at
    the end: what an audit found may not hold for them.
    """
    from withhold.workflow.transform import transform_file

    done = transform_file(
        sanitizer,
        data,
        out,
        noise_key=noise_key,
        key=key,
        array=array,
        labels=labels,
        copy=names(copy),
        device=device,
        resume=resume,
        overwrite=overwrite,
        log=note,
    )
    for found in done["drift"][:SHOWN]:
        note(f"unlike the rows of the fit: {found['text']}")
    if len(done["drift"]) > SHOWN:
        note(f"and {len(done['drift']) - SHOWN} more of that kind; --json lists all")
    return Outcome(done, lambda stream: say(f"wrote {done['rows']:,} rows to {out}; noise: {done['noise']}", stream))
