"""What is known of data whose columns are not here: names, kinds, values, how often each class comes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gatree.data.attribute import Attribute


@dataclass(frozen=True, eq=False)
class Schema:
    """A data set without its cells; see `gatree.data.dataset.Dataset` for the fields they share."""

    name: str
    attributes: tuple[Attribute, ...]
    class_attribute: Attribute
    class_position: int
    class_counts: NDArray[np.int64]

    @property
    def n_instances(self) -> int:
        """The instances whose class is known: nothing can be learnt from others."""
        return int(self.class_counts.sum())

    @property
    def n_attributes(self) -> int:
        return len(self.attributes)

    @property
    def n_classes(self) -> int:
        return len(self.class_values)

    @property
    def class_values(self) -> tuple[str, ...]:
        return self.class_attribute.values
