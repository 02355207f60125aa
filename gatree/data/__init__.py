"""Data in: files to a `Dataset`, a `Dataset` to integer codes, and the folds."""
