"""The command `withhold`: finds the command, runs it, turns results and errors into output and exit codes."""

import importlib
import io
import json
import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any

import typer

from withhold.cli.config import FILE as CONFIGURATION
from withhold.cli.config import configured
from withhold.cli.options import command, fields_of
from withhold.cli.outcome import BAD_DATA, INTERRUPTED, USAGE, Outcome, note
from withhold.contracts.errors import InvalidParameterError, WithholdError
from withhold.contracts.wording import on_command_line, printable

COMMANDS = {
    "demo": "Try everything on a real survey.",
    "plan": "Say beforehand what is possible, and what to run next.",
    "run": "Hide columns of a table, attack the result, write a report.",
    "approve": "Share a release that did not pass, with a reason.",
    "fit": "Learn how to rewrite records, and save that (the sanitiser).",
    "transform": "Apply a saved sanitiser to new records.",
    "audit": "Attack a file and say what it gives away.",
    "frontier": "Compare methods at several budgets in one picture.",
    "bounds": "Compute what any release must lose.",
    "report": "Write the HTML page of an audit.",
    "doctor": "Print versions, devices and optional parts.",
}
# An option of earlier versions, which is what `run` does now.
SHUFFLE = "--shuffle"
HELP = {"help_option_names": ["-h", "--help"]}
ISSUES = "https://github.com/withhold/withhold/issues"
# typer carries its own copy of click in recent versions; this is the usage error of either.
USAGE_ERROR: type[Any] = typer.BadParameter.__mro__[1]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the program's name; those of the process by default.

    Returns
    -------
    int
        0 done, 1 over budget, 2 usage, 3 bad data or file, 4 inconclusive, 130 interrupted.

    Examples
    --------
    >>> main(["--version"])
    withhold ...
    0
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    as_json = "--json" in arguments
    try:
        arguments = _without_former(arguments)
        _check_text(arguments)
        with on_command_line(), _warnings_shown():
            result = _dispatch(arguments)
        if isinstance(result, Outcome):
            _print(result, as_json)
            return result.code
        return _interrupted(as_json, "") if result == INTERRUPTED else int(result or 0)
    except WithholdError as error:
        return _fail(as_json, _kind(error), str(error), error.exit_code)
    except USAGE_ERROR as error:
        if not as_json:
            told = io.StringIO()
            error.show(file=told)
            print(printable(told.getvalue(), lines=True), file=sys.stderr, end="")
            return USAGE
        return _fail(as_json, "UsageError", error.format_message(), USAGE)
    except BrokenPipeError:  # `withhold ... | head`: the reader has what it wanted
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (KeyboardInterrupt, typer.Abort) as error:
        return _interrupted(as_json, str(error))
    except MemoryError:
        return _fail(as_json, "MemoryError", "Out of memory. Earlier outputs are intact. Use fewer rows.", BAD_DATA)
    except OSError as error:
        text = f"The system refused: {error.strerror or error}. Earlier outputs are intact."
        return _fail(as_json, type(error).__name__, text, BAD_DATA)
    except Exception as error:
        if os.environ.get("WITHHOLD_DEBUG"):
            traceback.print_exc()
        remedy = f"This is a fault of withhold. Set WITHHOLD_DEBUG=1 for the details and report it: {ISSUES}"
        return _fail(as_json, type(error).__name__, f"Unexpected {type(error).__name__}: {error}. {remedy}", BAD_DATA)


def _without_former(arguments: list[str]) -> list[str]:
    """Leave out an option that became the default, and say so."""
    if arguments[:1] in (["run"], ["plan"]) and SHUFFLE in arguments:
        note(f"{SHUFFLE} is the default now and can be left out; --keep-order releases rows as they came")
        return [argument for argument in arguments if argument != SHUFFLE]
    return arguments


def _check_text(arguments: Sequence[str]) -> None:
    """Refuse arguments that are no text: not every library opens such a path, and no record can name it."""
    for argument in arguments:
        if any("\ud800" <= character <= "\udfff" for character in argument):
            raise InvalidParameterError(f"The argument '{argument}' is not UTF-8. Rename the file or column.")


@contextmanager
def _warnings_shown() -> Iterator[None]:
    """Show warnings as lines for people: what they quote of a file must not reach a terminal as it is."""
    usual = warnings.formatwarning
    warnings.formatwarning = lambda message, *_, **__: f"warning: {printable(str(message))}\n"
    try:
        yield
    finally:
        warnings.formatwarning = usual


def _dispatch(arguments: list[str]) -> Outcome | int | None:
    if arguments and arguments[0] in COMMANDS:
        # One command is loaded, not all: each `--help` answers within 0.3 s of CPU.
        asks_help = any(argument in ("-h", "--help") for argument in arguments)
        defaults = {} if asks_help else _configured(arguments)
        return _call(_application(arguments[0]), f"withhold {arguments[0]}", arguments[1:], defaults)
    completing = "_WITHHOLD_COMPLETE" in os.environ  # a shell asks what may stand here: every option of every command
    return _call(_front(whole=completing), "withhold", arguments or ["--help"])


def _application(*names: str) -> typer.Typer:
    application = _bare()
    for name in names:
        _add(application, name)
    return application


def _add(application: typer.Typer, name: str) -> None:
    module = importlib.import_module(f"withhold.cli.{name}")
    # \b keeps lines as they are: an example can be copied.
    epilog = "\n".join(["\b", "Examples:", *(f"  {line}" for line in module.EXAMPLES)])
    application.command(name, epilog=epilog, context_settings=HELP)(command(getattr(module, name)))


def _bare(completion: bool = False) -> typer.Typer:
    return typer.Typer(
        add_completion=completion, rich_markup_mode=None, pretty_exceptions_enable=False, context_settings=HELP
    )


def _front(whole: bool = False) -> typer.Typer:
    """Build what answers when no command was named: the list of commands, the version and completion for a shell."""
    application = _bare(completion=True)

    def front(show_version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
        """Share data without giving away what must stay private, and check that it worked."""
        if show_version:
            try:
                typer.echo(f"withhold {version('withhold')}")
            except PackageNotFoundError:
                typer.echo("withhold (not installed)")

    application.callback(invoke_without_command=True)(front)
    for name, text in COMMANDS.items():
        if whole:
            _add(application, name)
        else:
            application.command(name, help=text)(_placeholder)
    return application


def _placeholder() -> None:
    """Stand in the list of commands; `_dispatch` loads the real one."""


def _configured(arguments: Sequence[str]) -> dict[str, Any]:
    """Return what withhold.toml of this folder sets for a command, and say so."""
    name = arguments[0]
    if not Path(CONFIGURATION).exists():
        return {}
    functions = {one: getattr(importlib.import_module(f"withhold.cli.{one}"), one) for one in COMMANDS}
    defaults, written, single = configured(name, {one: fields_of(function) for one, function in functions.items()})
    if written:
        note(f"{CONFIGURATION} sets {', '.join(written)}")
    for one in (one for one in single if f"--{one}s" not in arguments):
        note(f"{CONFIGURATION} sets {one}, which {name} does not read: it takes --{one}s, or {one}s under [{name}]")
    return defaults


def _call(
    application: typer.Typer, program: str, arguments: list[str], defaults: dict[str, Any] | None = None
) -> Outcome | int | None:
    parser: Any = typer.main.get_command(application)
    options = {"prog_name": program, "standalone_mode": False, "default_map": defaults or None}
    result: Outcome | int | None = parser.main(args=arguments, **options)
    return result


def _print(outcome: Outcome, as_json: bool) -> None:
    if not as_json:
        outcome.show(sys.stdout)
    elif isinstance(outcome.document, Mapping):
        print(json.dumps(outcome.document, indent=2, allow_nan=False))
    else:
        # Written by the json module, which spells out whatever is not ASCII: no terminal acts on it.
        print(json.dumps(json.loads(outcome.document.model_dump_json()), indent=2))
    sys.stdout.flush()


def _kind(error: WithholdError) -> str:
    return type(error).__name__


def _fail(as_json: bool, kind: str, message: str, code: int) -> int:
    if as_json:
        print(json.dumps({"error": {"type": kind, "message": message, "code": code}}, indent=2))
    else:
        print(f"error: {printable(message)}", file=sys.stderr)
    return code


def _interrupted(as_json: bool, message: str) -> int:
    text = message or "Interrupted. Nothing was changed: outputs are written whole or not at all."
    return _fail(as_json, "Interrupted", text, INTERRUPTED)
