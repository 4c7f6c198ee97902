"""A diagonal Gaussian for each class: the last step from what couplings return to a standard normal latent."""

import torch
from torch import Tensor, nn

LARGEST = 8.0  # |log-scale|: a dimension that is constant in training must not become infinitely loud


class ClassGaussian(nn.Module):
    """z = (u - mean) / spread, with mean and spread of each dimension learned for each class.

    Couplings that preserve volume cannot make every dimension as wide as the prior; here is where its width is known
    (Sorrenson et al. 2020 use the spread of each class of the latents in the same way).

    Parameters
    ----------
    dimensions : int
    classes : int
        0 for none.

    Examples
    --------
    >>> last = ClassGaussian(3, classes=2)
    >>> u, labels = torch.ones(4, 3), torch.tensor([0, 1, 1, 0])
    >>> z, logdet = last(u, labels)
    >>> torch.equal(last.inverse(z, labels), u), logdet.abs().tolist()
    (True, [0.0, 0.0, 0.0, 0.0])
    """

    def __init__(self, dimensions: int, classes: int = 0) -> None:
        super().__init__()
        self.classes = classes
        # Tables, not bare parameters: per-sample gradients are known for them.
        self.mean, self.log_spread = (nn.Embedding(max(1, classes), dimensions) for _ in range(2))
        nn.init.zeros_(self.mean.weight)
        nn.init.zeros_(self.log_spread.weight)

    def forward(self, u: Tensor, labels: Tensor | None) -> tuple[Tensor, Tensor]:
        """Return the latents and the log-determinant of each record."""
        mean, log_spread = self._terms(u, labels)
        return (u - mean) * torch.exp(-log_spread), -log_spread.sum(dim=1)

    def inverse(self, z: Tensor, labels: Tensor | None) -> Tensor:
        """Undo `forward`."""
        mean, log_spread = self._terms(z, labels)
        return torch.addcmul(mean, z, log_spread.exp())

    @torch.no_grad()
    def start_at(self, u: Tensor, labels: Tensor | None, fewest: int = 20) -> None:
        """Take mean and spread from latents `u`; a class with fewer records than `fewest` gets those of all."""
        for number in range(len(self.mean.weight)):
            of = None if labels is None or not self.classes else labels == number
            part = u if of is None or int(of.sum()) < fewest else u[of]
            spread = part.std(dim=0, correction=0).clamp_min(1e-3)
            self.mean.weight[number], self.log_spread.weight[number] = part.mean(dim=0), spread.log()

    def _terms(self, x: Tensor, labels: Tensor | None) -> tuple[Tensor, Tensor]:
        if labels is None or not self.classes:
            labels = torch.zeros(len(x), dtype=torch.long, device=x.device)
        log_spread = LARGEST * torch.tanh(self.log_spread(labels) / LARGEST)
        return self.mean(labels), log_spread
