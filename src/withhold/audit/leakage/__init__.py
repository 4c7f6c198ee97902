"""How much attackers learn of one attribute: attacks, canaries, controls, and the evidence they leave."""
