"""The `bitset` evaluator: sets of instances as bit sets, 64 instances per word."""
