"""Read files into a `Dataset`, code it as integers, and make the folds."""
