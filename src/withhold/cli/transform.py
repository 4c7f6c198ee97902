"""`withhold transform`: apply a saved sanitiser to new records."""

from withhold.cli.outcome import Outcome, note, say
from withhold.cli.progress import shown
from withhold.workflow.request import TransformRequest

# Lines about drift; JSON has all of it.
SHOWN = 10

EXAMPLES = ("withhold transform release/private/sanitizer.withhold new.csv --out new.parquet",)


def transform(request: TransformRequest) -> Outcome:
    """Release new records with a saved sanitiser. The sensitive column is not needed.

    The file is read and written in pieces, so it may be larger than memory. Where the records are unlike those of the
    fit (new categories, values out of range, values missing where none was, another distribution), that is said at
    the end: what an audit found may not hold for them.
    """
    from withhold.workflow.transform import transform_file

    with shown():
        done = transform_file(request, note)
    for found in done["drift"][:SHOWN]:
        note(f"unlike the rows of the fit: {found['text']}")
    if len(done["drift"]) > SHOWN:
        note(f"and {len(done['drift']) - SHOWN} more of that kind; --json lists all")
    told = f"wrote {done['rows']:,} rows to {request.out}; noise: {done['noise']}"
    return Outcome(done, lambda stream: say(told, stream))
