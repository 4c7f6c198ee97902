r"""DiscreteChannel: the filter that reaches the bound, for records in a finite code.

M. Bertran, N. Martinez, A. Papadaki, Q. Qiu, M. Rodrigues, G. Reeves, G. Sapiro, "Adversarially Learned
Representations for Information Obfuscation and Inference", ICML 2019 (bertran2019aioi).

Idea. The paper plays a game because p(y|x) cannot be written down for pictures and information cannot be computed.
Where the records have few values both can: the channel is a table of numbers, I(U;Z) and I(S;Z) are sums over it, and
no adversary is needed. Other records are first brought into such a code by what they tell of U and of S.

=====================  ================================================================
paper                  here
=====================  ================================================================
X                      records; in training `FiniteCode` cells of them
Y, p(y|x)              released symbol `Z`, ``channel``
k                      ``budget``
lambda                 none: an augmented Lagrangian, see `withhold.methods.discrete_channel.channels`
=====================  ================================================================

Equations. (2) on the joint of (code, U, S) of the training rows. Several sensitive attributes are hidden jointly,
several utility attributes kept jointly, up to 50 combinations each.

Departures, and why.

1. No game, no networks for posteriors: see above. The code is learned from boosted models; a row's code comes from
   models that met no copy of it.
2. The joint is counted, and a search exploits what is chance in the counts: a plug-in value of .003 nat was .007 on new
   rows. So channels are first found on one half of the rows and judged on the other, with the bias of that judgement
   removed by a grouped jackknife; the aim is lowered until this estimate is one standard error below the budget, and
   then the channel is found on all rows. The estimate is in ``diagnostics_`` as ``held_out_leakage``.
3. Symbols that fewer than ten training rows are expected to get are merged with the nearest: that only loses
   information.
4. Tables are released as rows that stand for the symbol (`RowBank`).
5. Draws are keyed by the record and, among copies of a record, by their order in the table: with one draw for all
   copies the channel of a record that many share would be no channel but a renaming, and leak more than was computed.
   A record that stands alone comes out the same wherever it stands; copies do so in a table of the same order (and of
   the same chunks, where it is streamed).

Guarantee. I(S;Z) of the channel on the joint counted over the training rows is computed exactly and stated. Of new
records it is an estimate; no reader of Z alone can learn more of S than I(S;Z) on the population.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
import pyarrow as pa

from withhold.contracts.checks import Between, OneOf, Positive, Size
from withhold.contracts.errors import DataError
from withhold.contracts.finding import Finding
from withhold.contracts.guarantee import Guarantee
from withhold.contracts.ranges import Range
from withhold.contracts.seeds import stream
from withhold.contracts.wording import advice, flags
from withhold.data.attribute import Attribute, check_shared
from withhold.data.attributes import Attributes
from withhold.information.measures.shannon import mutual_information
from withhold.methods.discrete_channel.channel_aim import Aim, channel_aim, merge_rare
from withhold.methods.discrete_channel.channels import optimise_channel, release
from withhold.methods.discrete_channel.finite_code import FiniteCode
from withhold.methods.discrete_channel.row_bank import KEPT, RowBank, faithful_cells
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.estimator.release import Draws
from withhold.methods.estimator.sanitizer import Sanitizer

SMALL = 1_000  # rows below which the counted joint is pointed out
MISSED = 1.25  # held-out leakage over the budget, as a factor, that is worth a finding

REPRESENTATION = "output='representation'"


@dataclass(kw_only=True, eq=False, repr=False)
class DiscreteChannel(Sanitizer):
    """Release one of a few symbols a record: as much of the utility attribute as a budget of the sensitive one allows.

    Parameters
    ----------
    budget : float, default=0.02
        Most I(S;Z) in nats, for all sensitive attributes together.
    cells : int, optional
        Values of the learned code; by default one to 400 rows, 4 to 64.
    symbols : int, optional
        Values of Z to search with; by default twice the combinations of U and S, at most 48.
    rows : {"representative", "sample"}, default="representative"
        What a table release holds for a symbol: the most typical training row that says of `y` what the symbol says,
        or one drawn by the key from up to 256 such rows. The drawn ones look more like a table, but models find it
        harder to learn from them what the symbol tells.
    rounds : int, default=120
        Most rounds of the boosted models.
    restarts, max_steps : int, default=6, 2000
        Of the search.
    sensitive_features, drop, output, decode, noise_key, noise_seed, keep, sensitive_kinds, categorical, continuous,
    device, random_state
        As for every method; see `Noise`.

    Attributes
    ----------
    channel_ : ndarray (n_symbols, n_cells)
        p(z | cell).
    code_ : FiniteCode
    diagnostics_ : dict
        ``leakage`` and ``utility_information``: I(S;Z) and I(U;Z) on the counted joint (plug-in); ``held_out_leakage``:
        of channels on rows they were not found on, corrected; ``aim``: the budget the channel was found with;
        ``code_utility``, ``code_leakage``: I(U;code), I(S;code), plug-in; ``cells``, ``symbols``.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> U, S = rng.integers(3, size=2_000), rng.integers(2, size=2_000)
    >>> X = np.c_[U, (S + (rng.random(2_000) < 0.2)) % 2].astype("float32")
    >>> method = DiscreteChannel(budget=0.01, noise_seed=0, random_state=0)
    >>> Z = method.fit_transform(X, U, sensitive_features=S)
    >>> bool(method.diagnostics_["leakage"] <= 0.01), bool(method.diagnostics_["utility_information"] > 1.0)
    (True, True)
    """

    command_name: ClassVar[str] = "discrete-channel"
    needs_y: ClassVar[bool] = True
    several_y: ClassVar[bool] = True
    own_table: ClassVar[bool] = True
    copies_apart: ClassVar[bool] = True

    budget: Annotated[float, Positive(zero=True)] = 0.02
    cells: Annotated[int, Between(2), Range(4, 64)] | None = None
    symbols: Annotated[int, Between(2)] | None = None
    rows: Annotated[str, OneOf(("representative", "sample"))] = "representative"
    rounds: Size = 120
    restarts: Size = 6
    max_steps: Size = 2000

    def _fit_encoded(self, data: FitData) -> None:
        secret = joint_attribute(data.sensitive, "sensitive")
        useful = joint_attribute(data.utilities or Attributes(()), "utility")
        check_shared(secret.name, secret.n_classes, data.n)
        blocks = () if data.codec is None else data.codec.blocks
        self.code_ = FiniteCode.fit(
            data.H,
            [(useful.codes, useful.n_classes), (secret.codes, secret.n_classes)],
            blocks=blocks,
            cells=self.cells,
            rounds=self.rounds,
            seed=data.rng_seed,
        )
        own = self.code_(data.H)
        known = useful.known & secret.known
        shape = (self.code_.n_cells, useful.n_classes, secret.n_classes)
        triples = np.ravel_multi_index((own[known], useful.codes[known], secret.codes[known]), shape)
        counts = np.bincount(triples, minlength=int(np.prod(shape))).reshape(shape)
        groups, sizes = None if data.groups is None else data.groups[known], np.bincount(own, minlength=shape[0])
        self._find(counts, triples, groups, sizes, data.rng_seed)
        self.bank_ = None
        if data.cells is not None:
            rows = KEPT if self.rows == "sample" else 1
            shares = faithful_cells(self.channel_, counts.sum(axis=2) / max(1, counts.sum()), sizes)
            self.bank_ = RowBank.of(data.cells, shares[:, own].astype(float), rows, stream(data.rng_seed, "row bank"))

    def _find(
        self, counts: np.ndarray, triples: np.ndarray, groups: np.ndarray | None, sizes: np.ndarray, seed: int
    ) -> None:
        """Find the channel on counts of (cell, u, s), and report."""
        joint = counts / max(1, counts.sum())
        search = {"symbols": self.symbols, "steps": self.max_steps, "seed": seed % (1 << 32)}
        aim = channel_aim(triples, counts.shape, float(self.budget), groups, search, stream(seed, "halves"))
        found = optimise_channel(joint, aim.budget, restarts=self.restarts, **search)
        channel = merge_rare(found.channel, sizes, joint)
        told = release(channel, joint)
        self.channel_ = channel
        self.numbers_ = np.array([told.leakage, np.nan if aim.held_out is None else aim.held_out, float(counts.sum())])
        known = {"held_out_leakage": aim.held_out} if aim.held_out is not None else {}
        self.diagnostics_ |= {
            "leakage": told.leakage,
            "utility_information": mutual_information(np.einsum("zx,xu->zu", channel, joint.sum(axis=2))),
            "aim": aim.budget,
            "code_utility": mutual_information(joint.sum(axis=2)),
            "code_leakage": mutual_information(joint.sum(axis=1)),
            "cells": float(counts.shape[0]),
            "symbols": float(len(channel)),
            **known,
        }
        self._remark(aim, int(counts.sum()))

    def _remark(self, aim: Aim, n: int) -> None:
        if n < SMALL:
            text = (
                f"DiscreteChannel counted {n} rows; with fewer than {SMALL} its leakage on new rows is only rough. Fit "
                "on more rows, or choose a smaller budget."
            )
            self.findings_.append(Finding(code="small_fit", severity="warning", text=text))
        if aim.held_out is not None and aim.held_out > MISSED * self.budget:
            text = (
                f"On rows that the search did not see, channels leak about {aim.held_out:.3f} nat (budget "
                f"{self.budget:g}), however low it aims. Use fewer cells, or more rows."
            )
            self.findings_.append(Finding(code="budget_missed", severity="warning", text=text))
        if self._form() == "table":
            kept = "one" if self.rows == "representative" else f"up to {KEPT}"
            text = (
                f"The released table consists of training rows, {kept} per symbol. They tell no more of a record than "
                "its symbol, but they are rows of real people. Use "
                f"{advice(REPRESENTATION, '--output representation')} to release the symbol alone."
            )
            self.findings_.append(Finding(code="real_rows", severity="warning", text=text))

    def _encode(self, H: Any) -> np.ndarray:
        return np.asarray(self.channel_.T[self.code_(np.asarray(H))], dtype=np.float32)

    def _draw(self, H: Any, draws: Draws) -> np.ndarray:
        levels = np.cumsum(self.channel_, axis=0)[:-1].T[self.code_(np.asarray(H))]
        symbol = (draws.apart().uniform("symbol", 1) >= levels).sum(axis=1)
        return np.asarray(np.eye(len(self.channel_), dtype=np.float32)[symbol])

    def _random(self) -> bool:
        return len(self.channel_) > 1

    def _decode(self, Z: np.ndarray, folds: np.ndarray | None = None, rows: np.ndarray | None = None) -> pa.Table:
        if self.codec_ is None or self.bank_ is None:
            return super()._decode(Z, folds, rows)
        uniform = None
        if self.rows == "sample" and rows is not None:
            uniform = self._drawing(rows).apart().uniform("row", 1)[:, 0]
        return self.bank_.table(Z.argmax(axis=1), uniform, self.codec_)

    def _draws(self) -> bool:
        return self._random() or (self.rows == "sample" and self._form() == "table")

    def _noise_scale(self) -> float:
        return 0.0

    def _state(self) -> dict[str, np.ndarray]:
        code = {f"code.{name}": array for name, array in self.code_.state().items()}
        bank = {} if self.bank_ is None else {f"bank.{name}": array for name, array in self.bank_.state().items()}
        return {"channel": self.channel_, "numbers": self.numbers_, **code, **bank}

    def _restore(self, state: dict[str, np.ndarray], header: Mapping[str, Any]) -> None:
        def part(prefix: str) -> dict[str, np.ndarray]:
            return {name.removeprefix(prefix): a for name, a in state.items() if name.startswith(prefix)}

        self.channel_, self.numbers_ = state["channel"], state["numbers"]
        self.code_ = FiniteCode.restore(part("code."))
        self.bank_ = RowBank.restore(part("bank.")) if "bank.starts" in state else None
        if self.channel_.shape[1:] != (self.code_.n_cells,) or (self.channel_ < 0).any():
            raise ValueError(f"a channel of shape {self.channel_.shape} from {self.code_.n_cells} cells")
        if not np.allclose(self.channel_.sum(axis=0), 1.0) or self.numbers_.shape != (3,):
            raise ValueError("a channel whose probabilities are none")
        if self.bank_ is not None:
            self._check_bank(self.bank_)

    def _check_bank(self, bank: RowBank) -> None:
        counts = () if self.codec_ is None else self.codec_.cell_counts
        if len(bank.starts) != len(self.channel_) + 1 or bank.cells.shape[1] != len(counts):
            raise ValueError("rows of other symbols or columns than those of the channel")
        if (bank.cells >= np.asarray(counts)).any():
            raise ValueError("rows of values that no column has")

    def guarantee(self) -> Guarantee:
        """Return what is known: the information of the channel on the joint of its training rows."""
        told, held, n = self.numbers_
        more = "" if np.isnan(held) else f"; channels tell {held:.4f} nat of rows they were not found on (an estimate)"
        return Guarantee(
            claim=f"I(S;Z) is {told:.4f} nat on the joint of code and S counted over {n:.0f} training rows{more}.",
            against="any reader of one release, about the training rows' joint; of new rows nothing is proven",
            assumptions=(
                "One draw per record: the key is kept, and copies of a record stand in one order, or nothing else was "
                "released.",
                "New records come from the population of the training rows, and these show its joint.",
            ),
            reference="bertran2019aioi",
            maturity="checked",
        )


def joint_attribute(attributes: Attributes, role: str) -> Attribute:
    """Return the attributes as one categorical attribute; refuse what cannot be counted."""
    for item in attributes:
        if item.kind != "categorical":
            raise DataError(
                f"DiscreteChannel needs categorical attributes; {item.name!r} is numeric. "
                + advice(
                    f"Pass sensitive_kinds={{{item.name!r}: 'categorical'}}",
                    f"Add {flags('--categorical', [item.name])}",
                )
                + ", bin it first, or use AIOI or DeepMinMax."
            )
    joint = attributes.joint()
    if joint is None:
        sizes = " x ".join(str(item.n_classes) for item in attributes)
        raise DataError(
            f"DiscreteChannel hides or keeps at most 50 combinations of classes; the {role} attributes have {sizes}. "
            "Name fewer of them, merge classes, or use AIOI or DeepMinMax."
        )
    return joint
