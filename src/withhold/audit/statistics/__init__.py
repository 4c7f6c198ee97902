"""The arithmetic of the audit: calibration, intervals, scores of a guess, normal scores and planted leaks."""
