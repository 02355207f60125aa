"""The settings of J48: WEKA's options under descriptive names."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from gatree.base.errors import ConfigError
from gatree.j48.estimates import Confidence

Pruning = Literal["confidence", "reduced-error", "none"]


@dataclass(frozen=True)
class J48Settings:
    """The options of J48.

    Parameters
    ----------
    pruning : {"confidence", "reduced-error", "none"}
        C4.5's estimate of the errors from a confidence bound (WEKA's default), the errors on
        held-out instances (``-R``), or none (``-U``).
    binary_splits : bool
        Test a nominal attribute against one value (``-B``), as in the paper's columns; otherwise
        give every value a branch, which is WEKA's default.
    min_instances : int
        The minimum weight of instances that two branches of a split must have (``-M``).
    confidence : float
        The confidence of the error estimate (``-C``, in single precision as in WEKA). Smaller values prune
        more; above 0.5 the training errors are used unchanged.
    subtree_raising : bool
        Whether pruning may replace a node by its largest branch (off: ``-S``).
    prune_folds : int
        The number of folds of reduced-error pruning, of which one is held out (``-N``).
    prune_seed : int
        The seed that shuffles the other folds (``-Q``).
    laplace : bool
        Smooth the class probabilities of the leaves (``-A``).
    """

    pruning: Pruning = "confidence"
    binary_splits: bool = True
    min_instances: int = 2
    confidence: float = 0.25
    subtree_raising: bool = True
    prune_folds: int = 3
    prune_seed: int = 1
    laplace: bool = False

    def __post_init__(self) -> None:
        if self.pruning not in ("confidence", "reduced-error", "none"):
            raise ConfigError(
                f"J48: pruning must be 'confidence', 'reduced-error' or 'none', got {self.pruning!r}"
            )
        if self.min_instances < 1:
            raise ConfigError(f"J48: min_instances must be at least 1, got {self.min_instances}")
        if not 0 < self.confidence < 1 or not 0 < np.float32(1) - np.float32(self.confidence) < 1:
            raise ConfigError(
                f"J48: confidence must lie between 0 and 1 in single precision, got {self.confidence}"
            )
        if self.prune_folds < 2:
            raise ConfigError(f"J48: prune_folds must be at least 2, got {self.prune_folds}")
        if not -(2**31) <= self.prune_seed < 2**31:
            raise ConfigError(f"J48: prune_seed must be an integer of 32 bits, got {self.prune_seed}")


class Options(NamedTuple):
    """The settings in the form that kernels take."""

    least: float  # the minimum weight of two branches
    binary: bool
    collapses: bool
    prunes: bool
    raises: bool
    confidence: Confidence

    @classmethod
    @lru_cache(maxsize=64)
    def of(cls, settings: J48Settings) -> Options:
        """Return the options of the given settings."""
        return cls(
            least=float(settings.min_instances),
            binary=bool(settings.binary_splits),
            collapses=settings.pruning != "reduced-error",
            prunes=settings.pruning == "confidence",
            raises=bool(settings.subtree_raising),
            confidence=Confidence.of(settings.confidence),
        )
