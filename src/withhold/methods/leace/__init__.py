"""LEACE, its statistics, and where a promise against linear readers ends."""
