"""Data in pieces: many files, or one that is too large, some thousand rows at a time."""
