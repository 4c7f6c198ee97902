"""Real tables that ship with Python packages, for demonstrations."""
