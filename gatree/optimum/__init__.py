"""The proven best small tree of a data set: dynamic programming over tests, with bounds."""

from gatree.optimum.solve import Optimum, optimum

__all__ = ["Optimum", "optimum"]
