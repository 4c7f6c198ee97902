"""Formats of other programs, one reader a file; each needs a package of the extra `formats`, but for `single_array`."""
