"""The evaluator `bitset`: sets of instances as bits, 64 at a time."""
