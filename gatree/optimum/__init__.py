"""Find the provably best small tree of a data set, by dynamic programming over tests, with bounds."""

from gatree.optimum.solve import AllowedTrees, NumberOptimum, Optimum, optimum, optimum_of_numbers

__all__ = ["AllowedTrees", "NumberOptimum", "Optimum", "optimum", "optimum_of_numbers"]
