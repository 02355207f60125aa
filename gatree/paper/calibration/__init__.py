"""How well candidate settings explain published numbers: targets, scores, and what is chosen by them."""
