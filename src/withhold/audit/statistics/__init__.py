"""The arithmetic of the audit: intervals, scores of a guess, normal scores and planted leaks."""
