"""AIOI: its game, and what it knows of vectors, images and tables."""
