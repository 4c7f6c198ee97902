"""The alternating game between networks: players, the budget as a constraint, checkpoints, progress."""
