"""Parts of LEACE: streamed moments, and where a promise against linear readers ends."""
