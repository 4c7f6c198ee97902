"""Bounds that hold for every release: what is possible at a budget, and what an attacker can do with it."""

from withhold.information.bounds.certificate import Certificate, check_certificate
from withhold.information.bounds.frontier import Frontier, frontier

__all__ = ["Certificate", "Frontier", "check_certificate", "frontier"]
