"""MI backpropagation: its game and what estimates the information."""
