"""The front of a data set whose class is a number: the best regression tree of every size."""
