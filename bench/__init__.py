"""Benchmarks: what the engine costs, how that grows, and how it compares with others.

Each part is a module with a TITLE and a function ``measure(options) -> Report``; ``python -m bench``
runs them, each in a process of its own, and writes ``results/bench/``. Nothing in `gatree` knows of this.
"""
