"""`withhold doctor`: what is installed and what can be used."""

from withhold.cli import options as o
from withhold.cli.options import Outcome


def doctor(as_json: o.AsJson = False) -> Outcome:
    """Print versions, devices and optional parts, present or missing."""
    from withhold.cli.summary import show_doctor
    from withhold.workflow.doctor import examine

    found = examine()
    return Outcome(found, lambda stream: show_doctor(found, stream))
