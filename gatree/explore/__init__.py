"""A page to explore trees of all sizes: the front, each tree with its data, what it gets wrong, edits by hand."""
