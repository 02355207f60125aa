"""Methods that build a tree, in one registry, and their cross-validation."""
