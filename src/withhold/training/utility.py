"""What a release loses of the utility attributes, as a network reads them from it."""

from collections.abc import Callable

from torch import Tensor, nn

from withhold.contracts.errors import InvalidParameterError, sentence
from withhold.nets.attribute_density import AttributeLayout
from withhold.nets.perceptron import Perceptron
from withhold.training.recipe import Recipe, Records


class UtilityLoss(nn.Module):
    """A network that predicts the utility attributes from a release, and the loss it shares with whoever made it.

    With posteriors p(u|x) in the records the loss is KL(p(u|x) || q(u|z)), whose mean is the information lost, plus
    what q misses; without them it is -log q(u|z) of the values themselves. Both in units of ``utility_unit``.

    Parameters
    ----------
    records : Records
        With a `utility_layout`.
    recipe : Recipe
    net : callable, optional
        Reads outputs of the layout from a release; by default a perceptron. A function that is no module stays fixed.
    """

    def __init__(self, records: Records, recipe: Recipe, net: Callable[[Tensor], Tensor] | None = None) -> None:
        super().__init__()
        layout = _layout(records)
        self.records, self.recipe, self.layout = records, recipe, layout
        self.net = net or Perceptron((recipe.dimensions, *recipe.decoder, layout.width))

    def forward(self, Z: Tensor, rows: Tensor) -> Tensor:
        """Return the weighted loss of the release `Z` of `rows`."""
        scale, outputs = self.recipe.utility_weight / self.records.utility_unit, self.net(Z)
        if self.records.posterior is not None:
            lost: Tensor = self.layout.divergence(self.records.posterior[rows], outputs).sum(dim=-1).mean()
            return scale * lost
        target = self.records.utility
        if target is None:
            return outputs.sum() * 0.0
        density, known = self.layout.log_density(outputs, target[rows]), ~target[rows].isnan()
        return -scale * density.sum() / known.sum().clamp(min=1)


def _layout(records: Records) -> AttributeLayout:
    if records.utility_layout is None:
        why = "A loss needs something that can be lost."
        raise InvalidParameterError(sentence("The records", "with a utility attribute", "none", why, "Pass y."))
    return records.utility_layout
