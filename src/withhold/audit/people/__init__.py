"""What threatens the people behind the records: being found again, and having been known to be in."""
