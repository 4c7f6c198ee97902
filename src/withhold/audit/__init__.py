"""The judge: fresh attackers, known leaks planted beside them, and what a release still says about a record."""
