"""Which forms of test leaks there are: every file beside this one that defines some, the general ones first."""

import pkgutil
from functools import cache
from importlib import import_module

from withhold.audit.leakage.canaries.form import Form
from withhold.contracts.audit_record import PlantForm


@cache
def all_forms() -> dict[PlantForm, Form]:
    """Return every form by name.

    Examples
    --------
    >>> list(all_forms())[:3]
    ['column', 'dense', 'interaction']
    """
    package = __name__.rpartition(".")[0]
    found: list[Form] = []
    for module in sorted(info.name for info in pkgutil.iter_modules(import_module(package).__path__)):
        members = vars(import_module(f"{package}.{module}")).values()
        found += [
            member()
            for member in members
            if isinstance(member, type)
            and issubclass(member, Form)
            and member.__module__.endswith(f".{module}")
            and member is not Form
        ]
    return {form.name: form for form in sorted(found, key=lambda form: not form.general)}
