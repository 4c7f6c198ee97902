"""Named observations about a release, one file per family, with stable codes."""
