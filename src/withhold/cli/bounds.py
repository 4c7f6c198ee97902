"""`withhold bounds`: what is possible before anything is trained."""

from typing import Annotated

import typer

from withhold.cli import options as o
from withhold.cli.options import Outcome, names


def bounds(
    data: o.Data,
    sensitive: o.Sensitive,
    utility: o.Utility,
    budgets: Annotated[
        str | None,
        typer.Option("--budgets", help="Budgets in nats, such as 0,0.05,0.1.", metavar="NATS,...", show_default=False),
    ] = None,
    drop: o.Drop = None,
    continuous: o.Continuous = None,
    categorical: o.Categorical = None,
    array: o.Array = None,
    seed: o.Seed = 0,
    as_json: o.AsJson = False,
) -> Outcome:
    """Say what any release must lose of the utility column at each budget, and what one is known to lose."""
    from withhold.cli.summary import read_budgets, show_bounds
    from withhold.workflow.bounds import bounds_file

    kinds = dict.fromkeys(names(continuous), "continuous") | dict.fromkeys(names(categorical), "categorical")
    record = bounds_file(
        data,
        sensitive=names(sensitive),
        utility=names(utility),
        budgets=read_budgets(budgets),
        drop=names(drop),
        kinds=kinds,
        array=array,
        seed=seed,
    )
    return Outcome(record, lambda stream: show_bounds(record, stream))
