"""Settings of searches for small trees that take a fraction of the usual work."""

from dataclasses import replace

import numpy as np

from gatree.data.dataset import Dataset
from gatree.data.goal import Goal
from gatree.smalltree.settings import RegressionSettings, SearchSettings

_LITTLE = {"n_folds": 3, "most_repeats": 1, "most_offspring": 60, "polished": (4, 8, 16, 32, 64)}

FAST = SearchSettings(**_LITTLE, work=2e7, population=100, generations=30)
FAST_NUMBERS = RegressionSettings(**_LITTLE, work=1e8)


def goal_of(dataset: Dataset, worth) -> Goal:
    """Return the goal in which correct rows of a class are worth a given integer."""
    return replace(Goal.of(dataset), class_weights=np.array(worth, dtype=np.int64))
