"""Share data, or representations of it, while a private attribute cannot be inferred - and audit that claim.

Names are loaded when they are first used: ``import withhold`` does no work.
"""

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from withhold.contracts.lazy import lazily
from withhold.methods.catalogue import MODULES

if TYPE_CHECKING:
    from withhold.audit.run import audit_release
    from withhold.contracts.errors import DriftWarning, DroppedColumnsWarning
    from withhold.data.shipped import load_401k, load_diabetes, load_gpa2, load_thick_digits
    from withhold.methods.aioi.aioi import AIOI
    from withhold.methods.cadp.cadp import CADP
    from withhold.methods.controls import Identity, Noise
    from withhold.methods.deepminmax import DeepMinMax
    from withhold.methods.discrete_channel.discrete_channel import DiscreteChannel
    from withhold.methods.iidm.iidm import IIDM
    from withhold.methods.iidm.iidm_plus import IIDMPlus
    from withhold.methods.iidm.rivals.aii import AII
    from withhold.methods.iidm.rivals.crossgrad import CrossGrad
    from withhold.methods.iidm.rivals.erm import ERM
    from withhold.methods.iidm.rivals.ns import NS
    from withhold.methods.iidm.rivals.revgrad import RevGrad
    from withhold.methods.leace.leace import LEACE
    from withhold.methods.loading import load
    from withhold.methods.mi_backprop.mi_backprop import MIBackprop
    from withhold.privacy.noise_key import NoiseKey
    from withhold.report.display import LeakageDisplay
    from withhold.report.frontier import FrontierDisplay
    from withhold.workflow.bounds import utility_bounds
    from withhold.workflow.choosing.choose import choose
    from withhold.workflow.frontier.compare import compare
    from withhold.workflow.plan import plan
    from withhold.workflow.report import write_report

__all__ = [
    "AII",
    "AIOI",
    "CADP",
    "ERM",
    "IIDM",
    "LEACE",
    "NS",
    "CrossGrad",
    "DeepMinMax",
    "DiscreteChannel",
    "DriftWarning",
    "DroppedColumnsWarning",
    "FrontierDisplay",
    "IIDMPlus",
    "Identity",
    "LeakageDisplay",
    "MIBackprop",
    "Noise",
    "NoiseKey",
    "RevGrad",
    "audit_release",
    "choose",
    "compare",
    "load",
    "load_401k",
    "load_diabetes",
    "load_gpa2",
    "load_thick_digits",
    "plan",
    "utility_bounds",
    "write_report",
]

_load, _names = lazily(
    __name__,
    {
        **MODULES,
        "DriftWarning": "withhold.contracts.errors",
        "DroppedColumnsWarning": "withhold.contracts.errors",
        "NoiseKey": "withhold.privacy.noise_key",
        "audit_release": "withhold.audit.run",
        "choose": "withhold.workflow.choosing.choose",
        "FrontierDisplay": "withhold.report.frontier",
        "LeakageDisplay": "withhold.report.display",
        "compare": "withhold.workflow.frontier.compare",
        "load": "withhold.methods.loading",
        **dict.fromkeys(("load_401k", "load_diabetes", "load_gpa2", "load_thick_digits"), "withhold.data.shipped"),
        "plan": "withhold.workflow.plan",
        "utility_bounds": "withhold.workflow.bounds",
        "write_report": "withhold.workflow.report",
    },
)


def __getattr__(name: str) -> Any:
    return version("withhold") if name == "__version__" else _load(name)


def __dir__() -> list[str]:
    return sorted([*_names(), "__version__"])
