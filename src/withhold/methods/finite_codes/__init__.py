"""Parts of DiscreteChannel: a finite code of records, what it tells, and rows that stand for its symbols."""
