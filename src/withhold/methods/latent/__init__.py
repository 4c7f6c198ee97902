"""Parts of CADP: the flow, private answers for its latents, classes, counts and terms."""
