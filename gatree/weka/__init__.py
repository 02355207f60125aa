"""WEKA's random numbers and folds, reproduced exactly. J48 is in `gatree.j48`."""
