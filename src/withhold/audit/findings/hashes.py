"""Digests of S: a hash without a key tells S to whoever tries its values."""

from collections.abc import Iterable

from withhold.audit.findings.finder import Code, Finder
from withhold.audit.findings.scene import Asked, Scene
from withhold.audit.view.digests import is_digest
from withhold.contracts.finding import Finding
from withhold.contracts.wording import listed

HASH_TELLS = Code(
    "hash_tells_s", ("critical",), "Leave it out, or use a keyed hash (HMAC) with a key that nobody gets."
)
OPAQUE = Code("opaque_column", ("info",), "Leave it out if nobody needs it.")


def hash_tells(asked: Asked) -> list[Finding]:
    """Name the digests that are made of the attribute by a common recipe."""
    found = []
    for name, recipe in asked.recipes.items():
        text = (
            f"'{name}' is the {recipe}, where S is {asked.name}: whoever tries each value of it reads it from the row."
        )
        found.append(HASH_TELLS.found(f"{text} {HASH_TELLS.remedy}", [name]))
    return found


def opaque(scene: Scene) -> Iterable[Finding]:
    """Name the digests of which no recipe is known."""
    told = {name for asked in scene.asked for name in asked.recipes}
    names = [one.name for one in scene.rows.after if is_digest(one) and one.name not in told]
    if names:
        text = f"Attackers read {listed(names)} digit by digit and tried common recipes. A hash with a key, or of "
        text += f"something else, tells S only to whoever has it. {OPAQUE.remedy}"
        yield OPAQUE.found(text, names)


TELLS = Finder.of_each((HASH_TELLS,), lambda scene, asked: hash_tells(asked), place=24)
UNKNOWN = Finder((OPAQUE,), opaque, place=90)
