"""The templates that travel with the package, and what they may call."""

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

import withhold.report.formats as formats


@cache
def environment() -> Environment:
    """Return what renders the templates: whatever a record holds is escaped, and a missing name is an error.

    One for all pages of a process, since it keeps the templates that it compiled.

    Examples
    --------
    >>> environment().from_string("{{ 'a<b' }}").render()
    'a&lt;b'
    """
    made = Environment(
        loader=PackageLoader("withhold.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        nat=formats.nat, quantity=formats.quantity, percent=formats.percent, count=formats.count,
        words=formats.words, moment=formats.moment,
    )  # fmt: skip
    return made
