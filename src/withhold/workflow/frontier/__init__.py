"""The frontier: what methods and trivial releases leak and keep at several settings, cell by cell."""
