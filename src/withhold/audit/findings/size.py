"""Too few records to say much."""

import numpy as np

from withhold.audit.findings.finder import Code, Finder
from withhold.contracts.finding import Finding
from withhold.data.attribute import Attribute

# Below these an attacker that learns from the data cannot be told from chance unless the leak is coarse.
LEAST_ROWS, LEAST_CLASS = 500, 50
SMALL_SAMPLE = Code("small_sample", ("warning", "info"), "Audit more rows.")


def small_sample(attribute: Attribute) -> list[Finding]:
    """Say so when the attribute is known for few rows or a class has few.

    Examples
    --------
    >>> from withhold.data.attributes import read_attributes
    >>> small_sample(read_attributes(["f", "m"] * 20)[0])[0].text
    "'sensitive_features' is known for fewer than 500 rows: small leaks cannot be seen in so few."
    """
    known = int(attribute.known.sum())
    if known < LEAST_ROWS:
        text = f"'{attribute.name}' is known for fewer than {LEAST_ROWS} rows: small leaks cannot be seen in so few."
        return [SMALL_SAMPLE.found(text, [attribute.name])]
    if attribute.kind == "categorical":
        counts = np.bincount(attribute.codes[attribute.known], minlength=attribute.n_classes)
        few = int((counts < LEAST_CLASS).sum())
        if few:
            noun = "class has" if few == 1 else "classes have"
            text = f"{few} {noun} fewer than {LEAST_CLASS} rows of '{attribute.name}': leaks about them cannot be seen."
            return [SMALL_SAMPLE.found(text, [attribute.name], "info")]
    return []


FINDER = Finder.of_each((SMALL_SAMPLE,), lambda scene, asked: small_sample(asked.every), place=20)
