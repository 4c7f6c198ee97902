"""`withhold bounds`: what is possible before anything is trained."""

from withhold.cli.outcome import Outcome, note
from withhold.workflow.request import BoundsRequest

EXAMPLES = ("withhold bounds survey.csv --sensitive sex --utility income",)


def bounds(request: BoundsRequest) -> Outcome:
    """Say what any release must lose of the utility column at each budget, and what one is known to lose."""
    from withhold.cli.summary import show_bounds
    from withhold.workflow.bounds import bounds_file

    record = bounds_file(request, note)
    return Outcome(record, lambda stream: show_bounds(record, stream))
