"""`withhold frontier`: methods at several budgets, beside trivial releases and what is possible."""

from typing import Annotated

from withhold.cli.options import Without
from withhold.cli.outcome import InterruptError, Outcome, note
from withhold.workflow.options import Folder, Option, Overwrite, Resume
from withhold.workflow.request import Request, check_method
from withhold.workflow.settings import settings_by_method

Methods = Annotated[
    tuple[str, ...] | None, Option("Methods to compare, such as deepminmax,leace.", "NAMES", separated=True)
]
Budgets = Annotated[
    tuple[str, ...] | None, Option("Budgets in nats; 0.01,0.03,0.1 by default.", "NATS,...", separated=True)
]
Settings = Annotated[
    tuple[str, ...],
    Option("A setting of one method, such as deepminmax.rounds=100; repeatable.", "METHOD.KEY=VALUE", "--set"),
]
Seeds = Annotated[int, Option("How often each is fitted, on other rows each time.", "N")]
Jobs = Annotated[int, Option("Processes that work side by side.", "N")]
Tune = Annotated[
    str | None,
    Option("Time for searching settings on rows that none is judged on, such as 5m (extra tune).", "TIME"),
]
JUDGING = (
    "method", "budget", "budget_advantage", "target_utility", "time", "epsilon", "key", "test", "cross_fit", "preset",
    "settings", "attackers", "effort", "noise_key", "keep_order", "title"
)  # fmt: skip
USUAL = ("deepminmax",), ("0.01", "0.03", "0.1")

EXAMPLES = (
    "withhold frontier survey.csv --sensitive sex --utility income --methods deepminmax,leace --out frontier",
    "withhold frontier survey.csv --sensitive sex --budgets 0.01,0.03,0.1 --seeds 3 --jobs 4 --out frontier",
    "withhold frontier survey.csv --sensitive sex --utility income --tune 5m --out frontier",
)


def frontier(
    request: Annotated[Request, Without(JUDGING)],
    out: Folder,
    methods: Methods = None,
    budgets: Budgets = None,
    settings: Settings = (),
    seeds: Seeds = 1,
    jobs: Jobs = 1,
    tune: Tune = None,
    resume: Resume = False,
    overwrite: Overwrite = False,
) -> Outcome:
    """Compare methods at several budgets: what leaks against what is kept, beside what anybody could release.

    Every setting and seed is a file of DIR/cells, so that a comparison that was interrupted goes on with --resume, and
    further methods, budgets and seeds can be added. DIR is for planning: nothing in it is a release or a verdict.
    """
    names, limits = methods or USUAL[0], budgets or USUAL[1]
    for name in names:
        check_method(name)
    own = settings_by_method(names, settings)
    from withhold.cli.frontier_summary import show_frontier
    from withhold.workflow.choosing.trial import Candidate
    from withhold.workflow.frontier.tuning import commands
    from withhold.workflow.frontier.written import frontier_folder

    candidates = [Candidate(name, pairs) for name, pairs in own.items()]
    try:
        record = frontier_folder(
            request,
            candidates,
            limits,
            seeds=seeds,
            out=out,
            jobs=jobs,
            resume=resume,
            overwrite=overwrite,
            limit=tune,
            log=note,
        )
    except KeyboardInterrupt:
        raise InterruptError(f"Interrupted. What is finished lies in {out}. Go on with --resume.") from None
    found = list(commands(request, record))
    return Outcome(record, lambda stream: show_frontier(record, out, stream, found))
