"""Keyed noise that belongs to a record, and mechanisms whose differential privacy is exact."""
