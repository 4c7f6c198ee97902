"""How far a release can stand for its original: distributions, missing values, relations of columns."""
