"""Settings of searches for small trees that take a fraction of the usual work."""

from gatree.smalltree.settings import RegressionSettings, SearchSettings

_LITTLE = {"n_folds": 3, "most_repeats": 1, "most_offspring": 240, "polished": (4, 8, 16, 32, 64)}

FAST = SearchSettings(**_LITTLE, work=2e7, population=100, generations=30)
FAST_NUMBERS = RegressionSettings(**_LITTLE, work=1e8)
