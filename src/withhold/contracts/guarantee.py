"""What a method promises, against whom, under which assumptions - or that it promises nothing."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from withhold.contracts.differential_privacy import DifferentialPrivacy

Maturity = Literal["proven", "checked", "experimental"]


class Guarantee(BaseModel):
    """A claim with its terms.

    Attributes
    ----------
    claim : str
        One sentence. A method without a proof says so here.
    against : str
        Which adversaries the claim covers.
    assumptions : tuple of str
        What must hold for the claim to be true.
    reference : str
        Key in ``references.bib``.
    maturity : {"proven", "checked", "experimental"}
        proven: a theorem and a test of it; checked: measured on worlds with known truth; experimental: neither.
    holds : bool or None
        Whether the assumptions were found to hold for the data the method was fitted on; None if unknown.
    privacy : DifferentialPrivacy or None
        The terms, where the claim is one of differential privacy.

    Examples
    --------
    >>> nothing = Guarantee(claim="Promises nothing.", against="anyone")
    >>> nothing.maturity, nothing.holds
    ('experimental', None)
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    claim: str
    against: str
    assumptions: tuple[str, ...] = ()
    reference: str = ""
    maturity: Maturity = "experimental"
    holds: bool | None = None
    privacy: DifferentialPrivacy | None = None

    def __str__(self) -> str:
        """Return the claim as a terminal shows it best: terms of differential privacy line by line."""
        return self.claim if self.privacy is None else str(self.privacy)
