"""Attackers: each file is one way to guess the sensitive attribute from a release, always trained afresh.

A new file with a subclass of `Attacker` or `ScoreAttacker` enters the panel and the laws by itself.
"""
