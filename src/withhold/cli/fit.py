"""`withhold fit`: fit a sanitiser and save it."""

from pathlib import Path
from typing import Annotated

import typer

from withhold.cli import options as o
from withhold.cli.options import Outcome, names, note, say


def fit(
    data: o.Images,
    save: Annotated[Path, typer.Option("--save", help="The sanitiser to write.", metavar="FILE")],
    sensitive: o.SomeSensitive = None,
    utility: o.Utility = None,
    method: o.Method = "deepminmax",
    budget: o.Budget = None,
    epsilon: o.Epsilon = None,
    groups: o.Groups = None,
    drop: o.Drop = None,
    keep: o.Keep = None,
    continuous: o.Continuous = None,
    categorical: o.Categorical = None,
    array: o.Array = None,
    labels: o.Labels = None,
    output: o.Output = "auto",
    use_utility: o.UseUtility = False,
    settings: o.Settings = None,
    preset: o.Preset = None,
    seed: o.Seed = 0,
    device: o.Device = "auto",
    overwrite: o.Overwrite = False,
    as_json: o.AsJson = False,
) -> Outcome:
    """Fit a sanitiser on every row of a table and save it, with its secret key beside it.

    Nothing is audited: `withhold run` does both.
    """
    from withhold.workflow.choice import method_class
    from withhold.workflow.fit import fit_file, key_path
    from withhold.workflow.private_release import draws_afresh
    from withhold.workflow.request import Request

    request = Request(
        data=data,
        sensitive=names(sensitive),
        utility=names(utility),
        method=method,
        settings=names(settings),
        preset=preset,
        output=output,
        budget=budget,
        epsilon=epsilon,
        groups=groups,
        drop=names(drop),
        keep=names(keep),
        continuous=names(continuous),
        categorical=names(categorical),
        array=array,
        labels=labels,
        use_utility=use_utility,
        seed=seed,
        device=device,
    )
    summary = fit_file(request, save, overwrite=overwrite, log=note)
    secret = key_path(save, draws_afresh(method_class(method)))
    document = {"sanitizer": str(save), "key": str(secret), "method": summary.model_dump(mode="json")}
    return Outcome(document, lambda stream: say(f"wrote {save}", stream))
