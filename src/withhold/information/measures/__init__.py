"""Measures of discrete joints: exact functions of an array of probabilities, and of counts with their bias."""
