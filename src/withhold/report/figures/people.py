"""A row of a hundred people: whom a guess gets right, whom the release adds, whom the original data would add."""

from dataclasses import dataclass
from html import escape

from markupsafe import Markup

from withhold.contracts.audit_record import SensitiveResult

ALL = 100
KINDS = ("guess", "more", "raw", "none")
USUAL = ("right by guessing", "more with the release", "more with the original data", "wrong")
STEP, TALL = 10, 26  # drawing units a person takes


def reached(result: SensitiveResult) -> float | None:
    """Return how often the attribute is guessed right: of a record or, where that tells more, of a subject's records.

    A person is not protected by each of her records telling little.
    """
    whole = result.subject_level
    both = (result.balanced_accuracy, None if whole is None else whole.balanced_accuracy)
    return max((one for one in both if one is not None), default=None)


@dataclass(frozen=True)
class People:
    """How many of a hundred people are guessed right: blindly, with the release, with the original data.

    `words` says what each kind is called below the row.
    """

    guessing: int
    release: int
    raw: int | None
    words: tuple[str, str, str, str] = USUAL

    @classmethod
    def of(cls, result: SensitiveResult) -> "People | None":
        """Return the numbers, where the attribute has classes."""
        found = reached(result)
        if found is None or result.chance is None:
            return None
        raw = result.controls.get("raw")
        before = None if raw is None or raw.balanced_accuracy is None else round(ALL * raw.balanced_accuracy)
        return cls(round(ALL * result.chance), round(ALL * found), before)

    def kinds(self) -> list[str]:
        """Return what each of the hundred is, from left to right.

        Examples
        --------
        >>> kinds = People(50, 58, 86).kinds()
        >>> [kinds.count(kind) for kind in ("guess", "more", "raw", "none")]
        [50, 8, 28, 14]
        """
        ends = [(min(self.guessing, self.release), "guess"), (self.release, "more"), (self.raw or 0, "raw")]
        return [next((kind for end, kind in ends if i < end), "none") for i in range(ALL)]

    def key(self) -> list[tuple[str, str]]:
        """Return the kinds that are there with their numbers, for the key below.

        Examples
        --------
        >>> [words for _, words in People(50, 58, 86).key()]
        ['50 right by guessing', '8 more with the release', '28 more with the original data', '14 wrong']
        """
        kinds = self.kinds()
        words = dict(zip(KINDS, self.words, strict=True))
        if self.words == USUAL and self.raw is None:
            words["none"] = "wrong with the release"
        return [(kind, f"{kinds.count(kind)} {text}") for kind, text in words.items() if kinds.count(kind)]


def row(name: str, people: People, key: str) -> Markup:
    """Draw the row; on a narrow screen it breaks into four of twenty-five."""
    kinds = people.kinds()
    text = f"Of 100 people, {', '.join(words for _, words in people.key())}"
    drawn = "".join(
        f'<svg class="quarter" viewBox="0 0 {STEP * 25} {TALL}" aria-hidden="true">'
        + "".join(
            f'<use href="#person" x="{STEP * i}" class="p-{kind}"/>' for i, kind in enumerate(kinds[start : start + 25])
        )
        + "</svg>"
        for start in range(0, ALL, 25)
    )
    label = escape(f"{name}: {text}", quote=True)
    return Markup(f'<div class="people" id="people-{key}" role="img" aria-label="{label}">{drawn}</div>')
