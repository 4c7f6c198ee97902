"""A table and what it was made from: what was found in the one must agree with what was found in the other."""

from collections.abc import Iterator, Mapping

from withhold.contracts.audit_record import SensitiveResult
from withhold.contracts.finding import Finding


def behind_findings(results: Mapping[str, SensitiveResult], behind: str) -> Iterator[Finding]:
    """Say so where more was found in a table than in what it was made from, or much less.

    A table is made from the representation alone, so it cannot tell more: if it seems to, the attackers missed it there
    or a decoder had learned its rows by heart. If it seems to tell less, a stronger attacker could still find in the
    table what is found in the representation.

    Parameters
    ----------
    behind : str
        Which of the hypothetical surfaces the table was made from; "" for none.
    """
    for name, result in results.items():
        inside, table = result.hypothetical.get(behind), result.leakage_total
        if inside is None or inside.low is None or inside.high is None:
            continue
        if table.low is not None and table.low > inside.high:
            text = (
                f"More was found about '{name}' in the table ({table.value:.3f} nat) than in the representation it was "
                f"made from ({inside.value:.3f} nat), which cannot be: the attackers missed it there, or the decoder "
                "had learned rows by heart."
            )
            yield Finding(code="table_tells_more", severity="warning", text=text)
        if result.budget is not None and inside.low > result.budget and result.verdict == "pass":
            text = (
                f"The representation behind the table tells more about '{name}' ({inside.value:.3f} nat) than the "
                f"budget allows. It is not shared; of the table no attacker can learn more than that."
            )
            yield Finding(code="representation_tells_more", severity="warning", text=text)
