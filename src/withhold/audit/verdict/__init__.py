"""From evidence to a verdict and its words."""
