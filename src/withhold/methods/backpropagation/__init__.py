"""Parts of MIBackprop: terms of information, decorrelated batches, the choice of lambda."""
