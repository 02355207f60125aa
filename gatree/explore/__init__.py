"""A page to explore trees of all sizes: their front, their data, their mistakes, edits by hand."""
