"""Compile the kernels of a front, or load them from the cache, before a timed run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gatree.data.dataset import Dataset
from gatree.front.fit import fit_front
from gatree.front.settings import FrontSettings

_ENOUGH = 8


def warm_up_front(dataset: Dataset, settings: FrontSettings) -> None:
    """Fit a tree on a few instances and attributes, with minimal work."""
    narrow = replace(
        dataset,
        attributes=dataset.attributes[:_ENOUGH],
        columns=dataset.columns[:_ENOUGH],
        class_position=min(dataset.class_position, _ENOUGH, dataset.n_attributes),
    )
    few = narrow.take(np.arange(min(dataset.n_instances, _ENOUGH)))
    fit_front(few, replace(settings, size="auto", n_folds=2, most_repeats=1, most_offspring=1, work=1.0))
