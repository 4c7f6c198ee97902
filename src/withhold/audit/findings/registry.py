"""Which finders there are: every file beside this one that defines some, in the order in which they are told."""

import pkgutil
from importlib import import_module

from withhold.audit.findings.finder import Code, Finder


def all_finders() -> dict[str, Finder]:
    """Return every finder by file and name, in its place.

    Examples
    --------
    >>> list(all_finders())[-1]
    'hashes.UNKNOWN'
    """
    room = __name__.rpartition(".")[0]
    files = sorted(info.name for info in pkgutil.iter_modules(import_module(room).__path__))
    members = {f"{file}.{name}": one for file in files for name, one in vars(import_module(f"{room}.{file}")).items()}
    found = {name: one for name, one in members.items() if isinstance(one, Finder)}
    return dict(sorted(found.items(), key=lambda item: item[1].place))


def catalogue() -> dict[str, Code]:
    """Return every code that a finder may give, by name.

    Examples
    --------
    >>> catalogue()["column_determines_s"].severities
    ('critical',)
    """
    return {code.name: code for finder in all_finders().values() for code in finder.codes}
