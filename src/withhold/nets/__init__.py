"""Torch modules that know no paper's objective: perceptrons, banks of them, critics, densities of attributes."""

from withhold.nets.attribute_density import AttributeLayout
from withhold.nets.bank import PerceptronBank
from withhold.nets.critic import JointCritic, SeparableCritic
from withhold.nets.perceptron import Perceptron

__all__ = ["AttributeLayout", "JointCritic", "Perceptron", "PerceptronBank", "SeparableCritic"]
