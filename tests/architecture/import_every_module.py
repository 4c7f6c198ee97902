"""Import every public module of the installed package; run by `make wheel` inside a fresh environment.

An editable install does not notice a sub-package or a template that the wheel lacks; this does.
"""

import importlib
import pkgutil
import sys
from importlib.resources import files
from pathlib import Path

import withhold


def main() -> int:
    """Import all, check the data files, print what was done."""
    location = Path(withhold.__file__).resolve()
    if "site-packages" not in location.parts:
        print(f"this checks an installed wheel, but withhold was imported from {location}", file=sys.stderr)
        return 1
    names = sorted(
        m.name for m in pkgutil.walk_packages(withhold.__path__, "withhold.") if not m.name.endswith("__main__")
    )
    for name in names:
        importlib.import_module(name)
    for name in withhold.__all__:
        getattr(withhold, name)
    schemas = ("contracts/audit.schema.json", "contracts/disclosure.schema.json")
    for resource in ("py.typed", "report/templates/page.html.j2", *schemas):
        if not files("withhold").joinpath(resource).is_file():
            print(f"the wheel lacks {resource}", file=sys.stderr)
            return 1
    print(f"{len(names)} modules imported from the wheel, withhold {withhold.__version__}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
