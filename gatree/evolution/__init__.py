"""The genetic algorithm. Start with `evolve.py`, which holds the generation loop."""

ENGINE_VERSION = 1
"""Incremented when the same settings and data give a different outcome: recorded cells then run again."""
