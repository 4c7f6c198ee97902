"""Text that people wrote, however few different values it has: names, ways to reach somebody, sentences."""

import re
from collections.abc import Callable, Sequence
from typing import Literal

Kind = Literal["names of people", "e-mail addresses", "telephone or insurance numbers", "sentences"]

# More values say nothing new about what a column holds.
_MOST_LOOKED_AT = 2_000
# A share of values decides, because hands that write are not uniform; each is a choice, not a measurement.
_NAMES, _TITLED, _REACHED, _WRITTEN = 0.6, 0.3, 0.5, 0.3
_FEWEST = 3
# Sentences of a printed answer ("I do not agree with this.") are fewer than those that somebody wrote.
_SENTENCE_WORDS, _FEWEST_SENTENCES = 5, 8

# Headings of columns in which people are named, in the languages that their tables often are in; `name` alone, or of a
# person, but not of a product.
_NAMED, _WHOSE = {"name", "names", "nom", "nombre"}, {"full", "first", "last", "given", "family", "middle", "of", "the"}
_OF_PEOPLE = {
    "fullname", "surname", "firstname", "lastname", "forename", "givenname", "doctor", "physician", "nurse",
    "clinician", "surgeon", "therapist", "teacher", "contact", "author", "examiner", "interviewer", "operator",
    "vorname", "nachname", "arzt", "prenom", "apellido", "patient", "person", "student", "employee",
}  # fmt: skip
_WORD = r"(?:[A-ZÀ-ÖØ-ÞŠŽŒ][\w'’.-]*|d[aeiou]|v[ao]n|der|den|del|la|le|bin|al)"
_NAME = re.compile(rf"{_WORD}(?:,? {_WORD}){{1,3}}")
_SINGLE = re.compile(r"[A-ZÀ-ÖØ-ÞŠŽŒ][a-zß-ÿ'’-]+")
_TITLE = re.compile(
    r"(?:Dr|Prof|Mr|Mrs|Ms|Miss|Herr|Frau|Mme|Mlle|Sra?|Sig|Dott|Nurse|Sister|Schwester|Pfleger|Rev)\.? +\w"
)
_MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[a-z]{2,}", re.IGNORECASE)
_DIGITS = re.compile(r"[+(]?[0-9][0-9 ()/.-]*[0-9]")
_DATE = re.compile(r"(?:[0-9]{4}([./-])[0-9]{1,2}\1[0-9]{1,2}|[0-9]{1,2}([./-])[0-9]{1,2}\2[0-9]{2,4})\b.*")
_SENTENCE = re.compile(r"[a-zß-ÿ)]{2,}[.!?…](?:\s|$)|[a-zß-ÿ]{2,}[,;:] [a-zß-ÿ]{2,}")


def written_by_people(name: str, values: Sequence[str]) -> Kind | None:
    """Say what people wrote in a column of text, None where its values look like categories or codes.

    Parameters
    ----------
    name : str
        The heading.
    values : sequence of str
        The different values.

    Examples
    --------
    >>> written_by_people("doctor", ["Anna Weber", "Jo Smith", "Li Wei", "Ed Moss"])
    'names of people'
    >>> written_by_people("note", [f"Came back on day {day} with a fever." for day in range(9)])
    'sentences'
    >>> written_by_people("town", ["New York", "Los Angeles", "San Diego", "Rome"]) is None
    True
    """
    texts = [" ".join(value.split()) for value in values[:_MOST_LOOKED_AT]]
    texts = [text for text in texts if text]
    if len(texts) < _FEWEST:
        return None
    if _share(texts, lambda text: _MAIL.search(text) is not None) >= _REACHED:
        return "e-mail addresses"
    if _share(texts, _is_number_of_a_person) >= _REACHED:
        return "telephone or insurance numbers"
    if _share(texts, lambda text: _TITLE.match(text) is not None) >= _TITLED:
        return "names of people"
    if _names_people(name) and _share(texts, _is_name) >= _NAMES:
        return "names of people"
    words = sum(text.count(" ") + 1 for text in texts) / len(texts)
    if (
        len(texts) >= _FEWEST_SENTENCES
        and words >= _SENTENCE_WORDS
        and _share(texts, lambda text: _SENTENCE.search(text) is not None) >= _WRITTEN
    ):
        return "sentences"
    return None


def _share(texts: Sequence[str], test: Callable[[str], bool]) -> float:
    return sum(map(test, texts)) / len(texts)


def _is_number_of_a_person(text: str) -> bool:
    digits = sum(character.isdigit() for character in text)
    if not _DIGITS.fullmatch(text) or not 7 <= digits <= 15 or _DATE.fullmatch(text):
        return False
    marks = len(re.findall(r"[ ()/.-]+", text))
    # A range of two numbers has one mark, a decimal number one point.
    return text.startswith("+") or marks >= 2 or (marks == 1 and text.startswith("0") and digits >= 10)


def _is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None or _SINGLE.fullmatch(text) is not None


def _names_people(heading: str) -> bool:
    words = set(re.split(r"[^a-zà-ÿ]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", heading).lower())) - {""}
    return bool(words & _OF_PEOPLE) or (bool(words & _NAMED) and words <= _NAMED | _WHOSE)
