"""DiscreteChannel: a finite code, the search over channels, and rows that stand for symbols."""
