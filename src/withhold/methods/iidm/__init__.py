"""IIDM and its extension, and the rivals that the paper compares them with."""
