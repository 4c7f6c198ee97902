"""Phrases that read like a translation and must not come back, and how easily a text is read."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "withhold"
# Where the phrases are listed on purpose.
LISTS = ("tests/docs/words.py", "tests/docs/test_words.py", "docs/style.md")
# Each with the place of what was filled in as `.+?`.
PHRASES = (
    r"must be an existing file",
    r"\bGot none\b",
    r"read before anything is written",
    r"must be a column of",
    r"columns without it\b",
    r"Names are compared exactly",
    r"The '.+?' parameter of .+? must be",
    r"It shapes the game",
    r"Leave the default\.",
    r"one of a closed list\.",
    r"must be left out for this method",
    r"must be given one part",
    r"Each row belongs to one part",
    r"must be done with .+? installed",
    r"must be of classes",
    r"zero can neither be reached",
    r"by an empirical audit",
    r"whether the assumptions hold for these data is not known",
    r"a further draw; earlier draws unknown",
    r"one draw a record under the kept key",
    r"Corrected for the part of a planted leak",
    r"Not even the largest (leak|was)",
    r"corrected for what the panel missed",
    r"naming whoever stands highest",
    r"would count luck as a leak",
    r"looking for what has a name",
    r"telling the rows of the fit",
    r"free processor core",
    r"where other work shares it",
    r"Warnings: a reader must know",
    r"find their own original",
    r"knew no more of the sensitive attribute than its marginal",
    r"Who is served",
    r"\bby a guess\b",
    r"in each column's own place",
    r"What (it must leak|the release must leak, whoever)",
    r"sensitive_features can be inferred",
    r"its rows are nobody's",
    r"nobody judged them",
    r"nothing was drawn again",
    r"Row labels of pandas are no features",
    r"for sure \(.+?\)",
    r"attacker right at most",
    r"Whatever made this release wrote",
    r"DIR/private/ stays:",
    r"\bas a images\b",
    r"(?<![\d.,])1 (combinations|levels|rows|columns|records|seconds|minutes)\b",
    r"\(command line: --",
    r"Declare it: sensitive_kinds=",
    r"--(keep|drop|sensitive|utility|groups|key|text|date|continuous|categorical) [A-Z][a-z]+ [A-Z]",
)
FORBIDDEN = re.compile("|".join(f"(?:{phrase})" for phrase in PHRASES))


def texts_of(file: Path) -> Iterator[str]:
    """Every text of a Python file, docstrings included, with `_` for what is filled in; any other file whole.

    An f-string that goes on in the next line is one text, as it is when it is shown.
    """
    if file.suffix != ".py":
        yield " ".join(file.read_text(encoding="utf-8").split())
        return
    tree = ast.parse(file.read_text(encoding="utf-8"))
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "_" for part in node.values)
            yield " ".join("".join(map(str, parts)).split())
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            yield " ".join(node.value.split())


def unquoted_names(file: Path) -> Iterator[str]:
    """Options of a Python file's messages whose value is filled in as it is: a name with a blank must be quoted."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        parts = node.values if isinstance(node, ast.JoinedStr) else []
        for before, value in pairwise(parts):
            option = re.search(r"--[a-z][a-z-]* $", str(before.value)) if isinstance(before, ast.Constant) else None
            filled = value.value if isinstance(value, ast.FormattedValue) else None
            constant = isinstance(filled, ast.Name) and filled.id.isupper()
            if option and filled is not None and not constant and not isinstance(filled, ast.Call):
                yield f"{option[0]}{{{ast.unparse(filled)}}}"


def prose(markdown: str) -> str:
    """Return what a person reads of a page as sentences: no code, tables, links' targets or marks."""
    text = re.sub(r"```.*?```", "", markdown, flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->|<[^>]+>", "", text, flags=re.DOTALL)
    text = re.sub(r"^(\||#).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`[^`]*`", "it", text)  # a name of code, as one short word
    text = re.sub(r"^\s*([-*]|\d+\.)\s+", "\n\n", text, flags=re.MULTILINE)
    return re.sub(r"[*_·]", "", text)


def reading_ease(text: str) -> float:
    """Return the Flesch reading ease: 206.835 - 1.015 words per sentence - 84.6 syllables per word (Flesch, 1948)."""
    blocks = [block for block in re.split(r"\n\s*\n", text) if re.search(r"[A-Za-z]{2}", block)]
    sentences = [s for block in blocks for s in re.split(r"[.!?](?:\s|$)", block) if re.search(r"[A-Za-z]{2}", s)]
    words = [word for sentence in sentences for word in re.findall(r"[A-Za-z][A-Za-z'’-]*", sentence)]
    return 206.835 - 1.015 * len(words) / len(sentences) - 84.6 * sum(map(syllables, words)) / len(words)


def syllables(word: str) -> int:
    """Count groups of vowels, without a silent e at the end."""
    bare = re.sub(r"(?<=[^aeiouy])e$|(?<=[^aeiouytd])ed$|(?<=[^aeiouysxzcgh])es$", "", word.lower()) or word
    return max(1, len(re.findall(r"[aeiouy]+", bare)) + bool(re.search(r"[^aeiouy]le$", word.lower())))
