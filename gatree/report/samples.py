"""The numbers that a comparison is made of, and the comparison of two methods."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from gatree.base.json_values import Scalar
from gatree.base.statistics import Mean, TTest, WinTieLoss, corrected_t_test, mean_of, welch_t_test

Split = tuple[Scalar, ...]
"""The key that pairs the numbers of two methods: a fold or a seed."""

Block = tuple[str, ...]
"""A data set and the value of everything else that varies, as text."""


@dataclass(frozen=True)
class Sample:
    """The numbers of one method in one block."""

    values: Mapping[Split, float]
    test_to_train: float

    @cached_property
    def mean(self) -> Mean:
        return mean_of(list(self.values.values()), self.test_to_train)

    def minus(self, other: Sample, is_paired: bool) -> TTest | None:
        """Test the difference between two methods, split by split if they share these."""
        if not is_paired:
            return welch_t_test(list(self.values.values()), list(other.values.values()))
        both = [split for split in self.values if split in other.values]
        return corrected_t_test(
            [self.values[split] - other.values[split] for split in both], self.test_to_train
        )


@dataclass(frozen=True)
class Pair:
    """The comparison of two methods, block by block and over the data sets."""

    method: str
    against: str
    tests: Mapping[Block, TTest | None]  # p corrected for the number of methods
    significant: WinTieLoss | None  # of the blocks where a test was possible
    differences: Mapping[str, float]  # of the means, by data set
    counts: WinTieLoss  # of the data sets
    p: float | None  # Wilcoxon's, over the data sets
    corrected_p: float | None  # the same, corrected for the number of methods
    a12: float  # the mean over the blocks
