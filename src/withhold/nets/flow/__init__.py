"""Conditional invertible networks: couplings, orthonormal wavelets, fixed permutations, class-wise latents."""
