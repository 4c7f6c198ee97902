"""Every world by name."""

from collections.abc import Mapping
from types import MappingProxyType

from known_worlds.alike import ALIKE
from known_worlds.beside import BESIDE
from known_worlds.blind import BLIND
from known_worlds.continuous import CONTINUOUS
from known_worlds.discrete import DISCRETE
from known_worlds.erasure import ERASURE
from known_worlds.gaussian import GAUSSIAN
from known_worlds.images import IMAGES
from known_worlds.kinds import KINDS
from known_worlds.noise import NOISE
from known_worlds.parity import PARITY
from known_worlds.rows_and_units import ROWS_AND_UNITS
from known_worlds.shapes import SHAPES
from known_worlds.subjects import SUBJECTS
from known_worlds.texts import TEXTS
from known_worlds.traces import TRACES
from known_worlds.unread import UNREAD
from known_worlds.unread_kinds import UNREAD_KINDS
from known_worlds.world import World

FAMILIES = (
    NOISE,
    GAUSSIAN,
    PARITY,
    DISCRETE,
    TRACES,
    SHAPES,
    CONTINUOUS,
    IMAGES,
    TEXTS,
    KINDS,
    ROWS_AND_UNITS,
    BESIDE,
    ALIKE,
    SUBJECTS,
    ERASURE,
    BLIND,
    UNREAD,
    UNREAD_KINDS,
)

WORLDS: Mapping[str, World] = MappingProxyType({world.name: world for family in FAMILIES for world in family})
