"""The front of a data set with a numeric target: the best regression tree of every size."""
