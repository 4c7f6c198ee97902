"""`withhold approve`: share a release although its audit did not pass."""

from pathlib import Path
from typing import Annotated

from withhold.cli.outcome import Outcome, note
from withhold.workflow.options import Option

Finished = Annotated[Path, Option("The folder that run wrote (its --out).", "DIR", positional=True)]
Because = Annotated[str, Option("The reason; it stands on the page and in the manifest that are shared.", "TEXT")]

EXAMPLES = ('withhold approve release --because "Only for the two people who made the survey."',)


def approve(out: Finished, because: Because) -> Outcome:
    """Share a release that the audit did not pass: its files move from DIR/candidate/ to DIR/share/, with the reason.

    The page and the manifest then say that it was approved against the verdict, when and why. Nothing is attacked
    again. A release whose files changed since their audit is refused.
    """
    from withhold.cli.ending import show_approval
    from withhold.workflow.approve import approve as approve_release

    record = approve_release(out, because, note)
    return Outcome(record, lambda stream: show_approval(record, out, stream))
