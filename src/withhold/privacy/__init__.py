"""Noise that belongs to a record. Mechanisms with a proof of differential privacy are not in this room yet."""
