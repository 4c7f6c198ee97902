"""One offline HTML page about an audit or a run: formats and draws what the record holds, computes nothing.

Imports contracts only. Start with `page.render`.
"""

from withhold.report.page import render

__all__ = ["render"]
