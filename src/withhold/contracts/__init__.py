"""The words everyone shares: quantities, findings, guarantees, records, errors, seeds.

This room imports nothing of ours, so that every other room may import it.
"""
