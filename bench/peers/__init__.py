"""Other evolutionary tree learners, each in an environment of its own, on the same data."""
