"""What a release kept: the utility attribute, every column, images, and what is fair about predictions."""
