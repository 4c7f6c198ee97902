"""What `withhold bounds` prints for a person, and how it reads a list of budgets."""

from typing import IO

from rich.console import Console
from rich.table import Table

from withhold.contracts.bounds_record import BoundsRecord
from withhold.contracts.errors import InvalidParameterError, sentence



def read_budgets(text: str | None) -> list[float] | None:
    """Read numbers between commas.

    Examples
    --------
    >>> read_budgets("0,0.05"), read_budgets(None)
    ([0.0, 0.05], None)
    """
    if text is None:
        return None
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = [-1.0]
    if not found or any(not 0.0 <= k < float("inf") for k in found):
        why = "A budget is the most nats that a release may tell about the sensitive columns."
        remedy = "Write --budgets 0,0.05,0.1."
        raise InvalidParameterError(
            sentence("The option --budgets", "numbers >= 0 between commas", repr(text), why, remedy)
        )
    return sorted(set(found))


def show_bounds(record: BoundsRecord, stream: IO[str]) -> None:
    """Print the bounds: one line a budget, then what must be known to read them."""
    console = Console(file=stream, highlight=False)
    if not console.is_terminal:
        console = Console(file=stream, highlight=False, width=PLAIN_WIDTH)
    hidden, useful = ", ".join(record.sensitive), ", ".join(record.utility)
    told = record.mutual_information
    console.print(f"hide {hidden}, keep {useful}; {record.n} rows", markup=False)
    console.print(
        f"I(U;S) = {told['u_s']:.4f} (about {record.plug_in_bias:.2g} of it is bias), I(U;X) = {told['u_x']:.4f}, "
        f"H(U) = {record.entropy['u']:.4f}, H(S) = {record.entropy['s']:.4f} nat",
        markup=False,
    )
    table = Table(box=None, pad_edge=False)
    level = f"{100 * record.level:g} %"
    for title in (
        "budget",
        "attacker right at most",
        "loss of U at least",
        f"for sure ({level})",
        "Lemma 2.2",
        "achievable",
        "gap",
    ):
        table.add_column(title, justify="right")
    for i, k in enumerate(record.budgets):
        table.add_row(
            f"{k:g}",
            f"{record.attacker_accuracy[i][1]:.3f}" if record.attacker_accuracy else "",
            f"{record.lower_bound[i]:.4f}",
            f"{record.lower_bound_interval[i][0]:.4f}",
            f"{record.linear_bound[i]:.4f}",
            f"{record.achievable_bound[i]:.4f}",
            f"{record.certificate_gap[i]:.4f}",
        )
    console.print(table)
    console.print("nats of I(U;X|Z); the attacker's balanced accuracy for these class shares", markup=False)
    for note in record.notes:
        console.print(f"note      {note}", markup=False, soft_wrap=True)
