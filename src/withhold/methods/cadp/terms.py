"""What CADP promises, in words that can be quoted, and what its reader must be told."""

import math

from withhold.contracts.differential_privacy import DifferentialPrivacy
from withhold.contracts.finding import Finding
from withhold.contracts.guarantee import Guarantee
from withhold.methods.cadp.condition import Condition
from withhold.methods.cadp.settings import Settled
from withhold.privacy.mechanism import NOT_COVERED, at_least

FRESH_NOISE = "fresh exact draws in every release; each release of a record costs its epsilon again"
# A release lets its original be named among so many records with a probability that is worth a warning.
CROWD, LIKELY = 1_000, 0.05


def guarantee_of(settled: Settled, condition: Condition, seeded: bool) -> Guarantee:
    """Return what is promised of each released record; nothing of draws that a seed repeats.

    Examples
    --------
    >>> from fractions import Fraction
    >>> asked = Settled(Fraction(2), Fraction(2), Fraction(0), "privunit", 16)
    >>> guarantee_of(asked, Condition("CADP"), seeded=True).claim
    'None: the noise can be repeated by whoever knows the seed. Not for sharing.'
    """
    terms = terms_of(settled, condition)
    assumptions = [
        "The operating system's random generator cannot be told from fair coins.",
        ONCE,
        SAME_DATA if settled.same_data else PUBLIC,
    ]
    if condition.levels and not settled.label_epsilon:
        assumptions.append(f"The class '{condition.name}' of every record may be public: it is handed over as it is.")
    if settled.mechanism == "paper":
        assumptions.append(
            f"Algorithm 1 as printed calls this epsilon = {float(settled.epsilon / 2):g}; two records of L1 norm s are "
            "up to 2 s apart, so that noise of scale s / epsilon promises twice as much."
        )
    if seeded:
        claim, holds = "None: the noise can be repeated by whoever knows the seed. Not for sharing.", False
    elif settled.same_data:
        claim = (
            "None for the records that the flow was trained on, which are among those released: the decoder itself was "
            f"fitted to them. For records that it was not trained on: {terms.sentence()}"
        )
        holds = False
    else:
        claim, holds = terms.sentence(), None
    return Guarantee(
        claim=claim,
        against="anyone, whatever they know and however they compute",
        assumptions=tuple(assumptions),
        reference="tolle2022cadp",
        maturity="proven",
        holds=holds,
        privacy=None if holds is False else terms,
    )


ONCE = "Each record is released once; several releases of a record add up."
COUNTED = "All releases of a person went through this ledger, under one name; those that did not add up with it."
PUBLIC = "The rows the flow was trained on are not among the records released, or are public: they are not protected."
SAME_DATA = "The flow was trained on records that are released, without privacy of its own."


def guarantee_over_releases(guarantee: Guarantee, terms: DifferentialPrivacy) -> Guarantee:
    """Return a guarantee with the terms of several rows or releases of one person taken together.

    Examples
    --------
    >>> from fractions import Fraction
    >>> alone = terms_of(Settled(Fraction(2), Fraction(2), Fraction(0), "privunit", 16), Condition("CADP"))
    >>> once = Guarantee(claim=alone.sentence(), against="anyone", assumptions=(ONCE,), privacy=alone)
    >>> twice = guarantee_over_releases(once, alone.model_copy(update={"epsilon": 4.0}))
    >>> twice.claim[:69], twice.assumptions == (COUNTED,)
    ('Whatever the record was, no release is more than 54.6 times as likely', True)
    """
    held = tuple(COUNTED if line == ONCE else line for line in guarantee.assumptions)
    return guarantee.model_copy(update={"claim": terms.sentence(), "assumptions": held, "privacy": terms})


def terms_of(settled: Settled, condition: Condition) -> DifferentialPrivacy:
    """Return the terms for a record whose flow knows nothing of it.

    Examples
    --------
    >>> from fractions import Fraction
    >>> settled = Settled(Fraction(2), Fraction(1), Fraction(1), "privunit", 16)
    >>> terms_of(settled, Condition("CADP", "digit", ("0", "1"))).covers
    ('every value of the record', "its class 'digit'")
    """
    covers, excludes = ["every value of the record"], list(NOT_COVERED)
    if condition.levels:
        name = f"its class '{condition.name}'"
        if settled.label_epsilon:
            covers.append(name)
        else:
            excludes.insert(
                0, f"{name}, which is released as it is: any two records of one class are covered, no others"
            )
    return DifferentialPrivacy(
        notion="pure",
        epsilon=at_least(settled.epsilon),
        unit="record",
        covers=tuple(covers),
        excludes=tuple(excludes),
        float_safe=True,
    )


def found_among(epsilon: float, crowd: int) -> float:
    """Return the largest probability with which a release of one of `crowd` records can be traced to its original.

    The posterior odds of any record against any other are at most exp(epsilon), from equal odds to begin with.

    Examples
    --------
    >>> round(found_among(1.0, 1000), 4), round(found_among(10.0, 1000), 2)
    (0.0027, 0.96)
    """
    return 1 / (1 + (crowd - 1) * math.exp(-epsilon))


def findings_of(settled: Settled, condition: Condition) -> list[Finding]:
    """Return what a reader must know: how far linkage is excluded, and where nothing is promised."""
    epsilon, found = float(settled.epsilon), list[Finding]()
    if condition.levels and not settled.label_epsilon:
        text = (
            f"Every record is made anew in the likeness of its class '{condition.name}', so a reader can tell "
            f"'{condition.name}' even if the column is left out of the release. If the class is not public, set "
            "label='randomised'."
        )
        found.append(Finding(code="class_in_records", severity="warning", text=text))
    share = found_among(epsilon, CROWD)
    if share > LIKELY:
        text = (
            f"Epsilon {epsilon:g} does not rule out tracing a release to its record: among {CROWD:,} equally likely "
            f"records of its class an attacker may be right up to {100 * share:.0f} % of the time. The audit's linkage "
            "test shows how close a mechanism comes to that; a smaller epsilon rules it out."
        )
        found.append(Finding(code="linkage_possible", severity="warning", text=text))
    if settled.same_data:
        text = (
            "The flow was trained on the records that are released, so nothing is promised for them. Train it on "
            "public rows, or on rows that are not released."
        )
        found.append(Finding(code="flow_not_private", severity="warning", text=text))
    if settled.mechanism == "paper":
        text = f"Algorithm 1 as printed promises epsilon = {epsilon:g}, twice what it states."
        found.append(Finding(code="twice_the_epsilon", severity="warning", text=text))
    return found
