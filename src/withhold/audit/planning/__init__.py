"""Foretelling: how small a leak an audit of given rows finds, and how many rows it needs for a budget."""
