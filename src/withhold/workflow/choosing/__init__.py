"""The choice of a method: trials of methods with settings, on rows that the final audit does not judge."""
