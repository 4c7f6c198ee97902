"""`withhold fit`: fit a sanitiser and save it."""

from pathlib import Path
from typing import Annotated

from withhold.cli.options import Without
from withhold.cli.outcome import Outcome, note, say
from withhold.cli.progress import shown
from withhold.workflow.options import Option, Overwrite
from withhold.workflow.request import Request

Saved = Annotated[Path, Option("The sanitiser to write.", "FILE", alias="--save")]
RELEASING = (
    "budget_advantage", "target_utility", "time", "key", "split", "test", "cross_fit", "drop_utility", "attackers",
    "effort", "noise_key", "keep_order", "title"
)  # fmt: skip

EXAMPLES = (
    "withhold fit survey.csv --sensitive sex --out sanitizer.withhold",
    "withhold fit survey.csv --sensitive sex --utility income --method aioi --out sanitizer.withhold",
)


def fit(request: Annotated[Request, Without(RELEASING)], out: Saved, overwrite: Overwrite = False) -> Outcome:
    """Fit a sanitiser on every row of a table and save it, with its secret key beside it.

    Nothing is audited: `withhold run` does both.
    """
    from withhold.workflow.choice import method_class
    from withhold.workflow.fit import fit_file, key_path

    with shown():
        summary = fit_file(request, out, overwrite=overwrite, log=note)
    secret = key_path(out, method_class(request.method).fresh_noise)
    document = {"sanitizer": str(out), "key": str(secret), "method": summary.model_dump(mode="json")}
    return Outcome(document, lambda stream: say(f"wrote {out}", stream))
