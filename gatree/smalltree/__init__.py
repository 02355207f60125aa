"""The front of a data set: the best tree of every size, and the choice of the size."""
