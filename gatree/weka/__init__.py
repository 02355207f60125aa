"""WEKA's random numbers, folds and discretization, reproduced exactly. J48 is in `gatree.j48`."""
