"""What an attacker sees of a release: every column, character, pixel and further version that is handed over."""
