"""What is told to an audit beside the release and what it hides, in three groups: recipient, order of rows, context."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypedDict

import pyarrow as pa

from withhold.contracts.audit_record import SplitsSource, TransferResult, UtilityResult
from withhold.contracts.errors import InvalidTypeError
from withhold.contracts.finding import Finding
from withhold.contracts.guarantee import Guarantee
from withhold.contracts.threats import DriftNote, LikelihoodMembership


@dataclass(frozen=True, kw_only=True)
class Recipient:
    """What a recipient holds or can compute beside the release; tables are row for row its records.

    Attributes
    ----------
    utility_in_release : bool, default=True
        Whether the recipient gets the utility attributes too.
    own : collection of str, default=()
        Where the sensitive attributes are given as `Attributes`: those that the release holds as columns. They are
        taken out of what is attacked, and as the release then contains S, the verdict is never "pass".
    set_aside : DataFrame or Table, optional
        Columns that are handed over too but not attacked, such as subjects; copies of S among them are found.
    also : mapping of str to DataFrame, Table or ndarray, optional
        Other versions of the same records that the recipient holds too, by name: attacked together with the release,
        side by side and averaged.
    surfaces : mapping of str to DataFrame, Table or ndarray, optional
        What anyone can compute from the release, such as the table decoded from it: attacked alone.
    redrawn : sequence of DataFrame, Table or ndarray, optional
        Further draws of the same rows, with the columns of the release, by somebody who has the sanitiser and the
        originals of records he knows: attackers learn from them too, only about records they are not scored on.
    hypothetical : mapping of str to DataFrame, Table or ndarray, optional
        Like `surfaces`, but not assumed to be in the hands of the recipient: attacked for information only.
    behind : str, default=""
        Which of `hypothetical` the release was made from, and nothing else.
    latent : (Table, Table), optional
        What the sanitiser makes of each original without noise, and what stands for the release in the same space:
        records are linked there too.
    recipient_has_sanitizer : bool, default=False
        Whether the recipient is assumed to have the sanitiser, for the record; `surfaces` and `redrawn` are what it
        adds.
    """

    utility_in_release: bool = True
    own: Collection[str] = ()
    set_aside: Any = None
    also: Mapping[str, Any] | None = None
    surfaces: Mapping[str, Any] | None = None
    redrawn: Sequence[Any] | None = None
    hypothetical: Mapping[str, Any] | None = None
    behind: str = ""
    latent: tuple[pa.Table, pa.Table] | None = None
    recipient_has_sanitizer: bool = False


@dataclass(frozen=True, kw_only=True)
class Order:
    """What ties S and other tables to the rows of the release.

    Attributes
    ----------
    alignment : {"given", "key", "rows"}, default="given"
        How S was matched to the rows: same table, by key, or only by position ("rows"), which must be proven.
    alignment_controls : DataFrame or Table, optional
        With "rows": other columns of the table that S came from, in its order, without S. The release must predict
        them; default: the columns of `original`.
    also_by_position : collection of str, default=()
        Those of `also` that nothing but row numbers ties to the release: their columns must prove the order.
    """

    alignment: str = "given"
    alignment_controls: Any = None
    also_by_position: Collection[str] = ()


@dataclass(frozen=True)
class Promise:
    """What was promised of all that is released of one person.

    Attributes
    ----------
    guarantee : Guarantee
        Of everything that a ledger holds of a person, not of one release alone.
    row_epsilon : float or None
        What one release of one row costs, if that is less.
    named : bool
        Whether a column names persons in the ledger.
    """

    guarantee: Guarantee
    row_epsilon: float | None = None
    named: bool = True


@dataclass(frozen=True, kw_only=True)
class Context:
    """What the caller knows of the release, for the record.

    Attributes
    ----------
    title, release : str
        What the release is called by whoever shares it, and "sha256:" with its digest.
    splits_source : str, default="none"
        Where `fit_rows` came from.
    folds : int, default=0
        Into how many folds the release could have been cross-fitted instead, so that every row counts; 0: it could not.
    planned : bool, default=False
        Whether a release that nobody gave a budget for is to be told which one its rows could decide.
    exposure : callable, optional
        Given a table of what was learned about single records, which is not for sharing.
    drift : sequence of DriftNote, whose : str
        Where some rows are unlike those of the fit, and which rows.
    transfer : mapping of str to TransferResult
        What a model trained on the release is worth on originals, by utility attribute.
    promise : Promise, optional
        What holds against any attacker whatever.
    findings : sequence of Finding
        What the caller found, such as in the files.
    threats : sequence of str
        Lines of the threat model.
    """

    title: str = ""
    release: str = ""
    splits_source: SplitsSource = "none"
    folds: int = 0
    planned: bool = False
    exposure: Callable[[pa.Table], None] | None = None
    drift: Sequence[DriftNote] = ()
    whose: str = ""
    transfer: Mapping[str, TransferResult] = field(default_factory=dict)
    flow_membership: LikelihoodMembership | None = None
    promise: Promise | None = None
    findings: Sequence[Finding] = ()
    threats: Sequence[str] = ()

    def known(self) -> Iterator[Finding]:
        """Yield what the caller found, drift included: what holds for one part may not hold for the other.

        Examples
        --------
        >>> note = DriftNote(column="age", kind="range", share=0.2, text="20 % lie outside the range of the fit.")
        >>> next(Context(drift=[note], whose="the audit part").known()).text
        'Rows of the audit part are unlike those the sanitiser was fitted on. 20 % lie outside the range of the fit.'
        """
        yield from self.findings
        if self.drift:
            first, others = self.drift[0], len(self.drift) - 1
            more = f" And {others} more." if others else ""
            text = f"Rows of {self.whose} are unlike those the sanitiser was fitted on. {first.text}{more}"
            yield Finding(code="drift", severity="warning", text=text, column=first.column)

    def with_transfer(self, utility: Mapping[str, UtilityResult]) -> dict[str, UtilityResult]:
        """Return what was measured of each utility attribute, with what a model is worth on originals."""
        return {
            name: one.model_copy(update={"transfer": self.transfer[name]}) if name in self.transfer else one
            for name, one in utility.items()
        }


NO_MORE, GIVEN, NOTHING_KNOWN = Recipient(), Order(), Context()


class Single(TypedDict, total=False):
    """Fields of the groups that `audit_release` also takes as keywords of its own."""

    utility_in_release: bool
    set_aside: Any
    also: Mapping[str, Any] | None
    surfaces: Mapping[str, Any] | None
    redrawn: Sequence[Any] | None
    hypothetical: Mapping[str, Any] | None
    recipient_has_sanitizer: bool
    alignment: str
    alignment_controls: Any
    also_by_position: Collection[str]
    exposure: Callable[[pa.Table], None] | None
    splits_source: SplitsSource


def grouped(recipient: Recipient, order: Order, context: Context, single: Single) -> tuple[Recipient, Order, Context]:
    """Return the groups with the keywords that were given singly put into them.

    Raises
    ------
    TypeError
        For a name that is none of them, as Python itself would; for `sample_weight` with a reason.

    Examples
    --------
    >>> recipient, order, _ = grouped(Recipient(), Order(), Context(), {"utility_in_release": False})
    >>> recipient.utility_in_release, order.alignment
    (False, 'given')
    """
    unknown = [name for name in single if name not in Single.__annotations__]
    if "sample_weight" in unknown:
        raise InvalidTypeError(
            "audit_release takes no sample_weight: what can be inferred about a record does not depend on how many "
            "people it stands for. Draw the rows again in proportion to their weights, and audit those."
        )
    if unknown:
        raise TypeError(f"audit_release() got an unexpected keyword argument {unknown[0]!r}")

    def own(group: Any) -> dict[str, Any]:
        return {one.name: single[one.name] for one in fields(group) if one.name in single}  # type: ignore[literal-required]

    return replace(recipient, **own(recipient)), replace(order, **own(order)), replace(context, **own(context))
