"""The genetic algorithm. Start with `evolve.py`, which holds the generation loop."""

ENGINE_VERSION = 1
"""Raised when the same settings and data begin to give other outcomes: recorded cells then run again."""
