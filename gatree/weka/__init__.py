"""What WEKA does, to the bit: its random numbers, its folds, its discretization. J48 is in `gatree.j48`."""
