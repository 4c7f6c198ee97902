"""The parameters of the IIDM family: what is allowed, the sizes and rates they come to, and those of the paper.

``preset="paper"`` is what section 5.1 of iwasawa2020iidm states: RMSprop with a rate of .001 and batches of 128, a
fifth of the rows for validation, 10,000 iterations for images (rotated digits) and 20,000 for windows (Opportunity;
30,000 for USC-HAD: pass `rounds`); two convolutions of 32 and 48 filters, a layer of 100 units that is z, another of
100 and a discriminator of 100 units for images; three convolutions, a classifier that is linear in z and a
discriminator of 800 and 400 units for windows. PACS had a pre-trained network: pass it as `encoder`, with rate=5e-5,
batch=64 and rounds=5000. No noise, nothing standardised, sums and not means over other attributes.

Where the paper is silent: how lambda was chosen on validation rows (`lam` is the caller's; its grid is .001 .01 .1 1,
for rotated digits .01 .1 1 10), kappa outside the toy, the weight of the penalty that it used with IIDM
(`gradient_penalty` is 0 unless given), the discriminator's warm-up outside the toy (100 steps there and here), filters
and width of z for windows, everything about tables and vectors (sizes as by default, 10,000 iterations), which state
is kept (the last), and clipping (none).
"""

from torch import nn

from withhold.nets.encoders import form_of

ROUNDS = (200, 1_500)  # fewest and most by default
# Of 5,000 rotated digits 400 rounds left a fresh attacker the angle in .44 of cases, 1,200 in .25 (chance .2).
ROWS_A_ROUND = 5
HELD = 0.15  # share of rows, or of subjects, that no player learns from
PAPER_ROUNDS = {"images": 10_000, "windows": 20_000, "perceptron": 10_000}
PAPER_HELD = 0.2
PAPER_UNITS = 100  # z, the classifier's and the discriminator's hidden layer, for images
PAPER_FILTERS = (32, 48)
WINDOW_DISCRIMINATOR = (800, 400)


def paper_encoder(shape: tuple[int, ...], architecture: str) -> nn.Module | None:
    """Return the paper's network for images of `shape`; None for other records, and for images too small for it.

    Two convolutions of 5 x 5 without a border, maxima over 2 x 2, and one layer, which is z.

    Examples
    --------
    >>> import torch
    >>> paper_encoder((16, 16), "auto")(torch.zeros(2, 1, 16, 16)).shape
    torch.Size([2, 100])
    """
    (channels, *sides), kind = form_of(shape, architecture)
    if kind != "images" or min(sides) < SMALLEST:
        return None
    first, second = PAPER_FILTERS
    cells = ((sides[0] - 8) // 2) * ((sides[1] - 8) // 2)
    return nn.Sequential(
        nn.Conv2d(channels, first, 5), nn.ReLU(), nn.Conv2d(first, second, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(second * cells, PAPER_UNITS), nn.ReLU(),
    )  # fmt: skip


SMALLEST = 10  # pixels along a side that the paper's convolutions and pooling need
