"""The alternating game between networks: players, the budget as a constraint, checkpoints, progress."""

from withhold.training.adversary import Calibration, CrossFittedAdversary
from withhold.training.budget import BudgetMultiplier
from withhold.training.debiasing import Debiasing
from withhold.training.game import Game, Player
from withhold.training.progress import Progress
from withhold.training.recipe import Recipe, Records

__all__ = [
    "BudgetMultiplier",
    "Calibration",
    "CrossFittedAdversary",
    "Debiasing",
    "Game",
    "Player",
    "Progress",
    "Recipe",
    "Records",
]
