"""`withhold doctor`: what is installed and what can be used."""

from withhold.cli.outcome import Outcome

EXAMPLES = ("withhold doctor",)


def doctor() -> Outcome:
    """Print versions, devices and optional parts, present or missing."""
    from withhold.cli.summary import show_doctor
    from withhold.workflow.doctor import examine

    found = examine()
    return Outcome(found, lambda stream: show_doctor(found, stream))
