"""One hypothesis profile for all: the same examples every time, and no limit on a slow first call."""

from hypothesis import settings

settings.register_profile("gatree", derandomize=True, deadline=None, max_examples=100)
settings.load_profile("gatree")
