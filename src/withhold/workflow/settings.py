"""The names in `--set KEY=VALUE`, checked without loading the method."""

from collections.abc import Sequence
from itertools import pairwise
from shlex import quote

from withhold.contracts.errors import InvalidParameterError
from withhold.contracts.wording import nearest
from withhold.methods.catalogue import AUTO, DEFAULT, MODULES
from withhold.methods.parameters import parameter_names

# These have an option of their own, or are secret, so `--set` does not take them.
OPTIONS = {
    "output": "--output",
    "decode": "--decode",
    "noise_key": "--noise-key",
    "noise_seed": "nothing: a release with a known seed is not for sharing",
    "keep": "--keep",
    "drop": "--drop",
    "sensitive_features": "--sensitive",
    "sensitive_kinds": "--continuous or --categorical",
    "categorical": "--categorical",
    "continuous": "--continuous",
    "device": "--device",
    "random_state": "--seed",
    "preset": "--preset",
}


AIMED = "{aim} is what the method aims at, and {budget} what the audit judges by."


def aim_told(command: Sequence[str]) -> str:
    """Say what the second budget of a command is; "" where it has one or none.

    Examples
    --------
    >>> aim_told(["withhold", "run", "a.csv", "--budget", "0.077", "--set", "budget=0.0385"])
    '--set budget=0.0385 is what the method aims at, and --budget 0.077 what the audit judges by.'
    >>> aim_told(["withhold", "run", "a.csv", "--budget", "my sex=0.1", "--set", "budget=0.05"]).partition("and ")[2]
    "--budget 'my sex=0.1' what the audit judges by."
    >>> aim_told(["withhold", "run", "a.csv", "--budget", "0.077"])
    ''
    """
    pairs = list(pairwise(command))
    aims = [value for name, value in pairs if name == "--set" and value.startswith("budget=")]
    limits = [f"{name} {quote(value)}" for name, value in pairs if name == "--budget"]
    return AIMED.format(aim=f"--set {quote(aims[0])}", budget=" ".join(limits)) if aims and limits else ""


def check_settings(method: str, pairs: Sequence[str]) -> None:
    """Refuse a setting that a method does not have, of auto the default one; a name that is in no catalogue passes.

    Examples
    --------
    >>> check_settings("deepminmax", ["rounds=20"])
    """
    classes = {name.lower(): name for name in MODULES}
    method = DEFAULT if method == AUTO else method
    name = classes.get(method.lower().replace("-", "").replace("_", ""))
    if name is not None and pairs:
        allowed = [one for one in parameter_names(name) if one not in OPTIONS]
        for pair in pairs:
            named(pair, name, allowed)


def settings_by_method(methods: Sequence[str], pairs: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the settings of each of several methods, from `METHOD.KEY=VALUE`, checked without loading one.

    Examples
    --------
    >>> settings_by_method(["deepminmax", "leace"], ["deepminmax.rounds=100"])
    {'deepminmax': ('rounds=100',), 'leace': ()}
    """
    found: dict[str, tuple[str, ...]] = dict.fromkeys(methods, ())
    for pair in pairs:
        method, dot, setting = pair.partition(".")
        if not dot or "=" in method:
            raise InvalidParameterError(
                f"--set takes a method and its setting here (got {pair!r}). "
                f"Write --set {quote(f'{methods[0]}.{pair}')}."
            )
        if method not in found:
            raise InvalidParameterError(f"--set names {method!r}, which is not compared. {nearest(method, methods)}")
        found[method] += (setting,)
    for method, settings in found.items():
        check_settings(method, settings)
    return found


def named(pair: str, method: str, allowed: Sequence[str]) -> tuple[str, str]:
    """Return the name and the text of one setting.

    Examples
    --------
    >>> named("rounds = 20", "DeepMinMax", ["rounds"])
    ('rounds', '20')
    """
    key, equals, text = pair.partition("=")
    key = key.strip()
    if not equals:
        raise InvalidParameterError(
            f"--set takes a name and a value (got {pair!r}). Write --set KEY=VALUE, such as --set epochs=20."
        )
    if key in OPTIONS:
        raise InvalidParameterError(f"{key!r} has an option of its own. Replace --set by {OPTIONS[key]}.")
    if key not in allowed:
        raise InvalidParameterError(f"{method} has no setting {key!r}. {nearest(key, list(allowed))}")
    return key, text.strip()
