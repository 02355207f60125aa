"""The evaluators that route instances down the trees, one by one: `old`, `new` and `new-all-nodes`."""
