"""What estimators of information optimise: pure functions of tensors, shared with the methods that train on them."""
