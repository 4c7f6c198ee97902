"""Every world by name."""

from collections.abc import Mapping
from types import MappingProxyType

from withhold.data.worlds.blind import BLIND
from withhold.data.worlds.continuous import CONTINUOUS
from withhold.data.worlds.discrete import DISCRETE
from withhold.data.worlds.erasure import ERASURE
from withhold.data.worlds.gaussian import GAUSSIAN
from withhold.data.worlds.images import IMAGES
from withhold.data.worlds.noise import NOISE
from withhold.data.worlds.parity import PARITY
from withhold.data.worlds.shapes import SHAPES
from withhold.data.worlds.subjects import SUBJECTS
from withhold.data.worlds.traces import TRACES
from withhold.data.worlds.world import World

FAMILIES = (
    NOISE,
    GAUSSIAN,
    PARITY,
    DISCRETE,
    TRACES,
    SHAPES,
    CONTINUOUS,
    IMAGES,
    SUBJECTS,
    ERASURE,
    BLIND,
)

WORLDS: Mapping[str, World] = MappingProxyType({world.name: world for family in FAMILIES for world in family})
