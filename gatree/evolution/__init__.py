"""The genetic algorithm. Start with `evolve.py`, which holds the generation loop."""
