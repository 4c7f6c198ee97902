"""`withhold run`: from a table to an audited release."""

from pathlib import Path
from typing import Annotated

import typer

from withhold.audit.effort import USUAL
from withhold.cli import options as o
from withhold.cli.options import InterruptError, Outcome, code_of, names, note


def run(
    data: o.Images,
    out: Annotated[Path, typer.Option("--out", help="Folder for share/ and private/.", metavar="DIR")],
    sensitive: o.SomeSensitive = None,
    utility: o.Utility = None,
    method: o.Method = "deepminmax",
    budget: o.Budget = None,
    epsilon: o.Epsilon = None,
    budget_advantage: o.BudgetAdvantage = None,
    groups: o.Groups = None,
    key: o.Key = None,
    drop: o.Drop = None,
    keep: o.Keep = None,
    split: o.Split = None,
    test: o.Test = None,
    continuous: o.Continuous = None,
    categorical: o.Categorical = None,
    array: o.Array = None,
    labels: o.Labels = None,
    output: o.Output = "auto",
    drop_utility: o.DropUtility = False,
    use_utility: o.UseUtility = False,
    settings: o.Settings = None,
    preset: o.Preset = None,
    attackers: o.Attackers = None,
    effort: o.Effort = USUAL,
    seed: o.Seed = 0,
    noise_key: o.NoiseKey = None,
    device: o.Device = "auto",
    shuffle: o.Shuffle = False,
    resume: o.Resume = False,
    overwrite: o.Overwrite = False,
    as_json: o.AsJson = False,
) -> Outcome:
    """Hide columns of a table: writes the release, the sanitiser, the audit and the report.

    DIR/share/ may be sent: release, report.html, audit.json, manifest.json. DIR/private/ stays: sanitiser, key, splits,
    for images samples.html, which shows some before and after; for cadp the ledger of what each record has cost, with
    the secret that names records in it, and no noise key.
    Exit code: 0 done and within budget, 1 over budget, 2 usage, 3 bad data or file, 4 inconclusive.
    """
    from withhold.cli.summary import show_run
    from withhold.workflow.folder import remains
    from withhold.workflow.request import Request
    from withhold.workflow.run import run_request

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
        budget_advantage=budget_advantage,
        groups=groups,
        key=key,
        drop=names(drop),
        keep=names(keep),
        split=split,
        test=test,
        continuous=names(continuous),
        categorical=names(categorical),
        array=array,
        labels=labels,
        drop_utility=drop_utility,
        use_utility=use_utility,
        attackers=None if attackers is None else tuple(attackers.split(",")),
        effort=effort,
        seed=seed,
        noise_key=noise_key,
        device=device,
        shuffle=shuffle,
    )
    try:
        record = run_request(request, out, overwrite=overwrite, resume=resume, log=note)
    except KeyboardInterrupt:
        raise InterruptError(f"Interrupted. {remains(out)}") from None
    return Outcome(record, lambda stream: show_run(record, out, stream), code_of(record.audit.verdict))
