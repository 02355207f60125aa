"""The settings as kernels take them."""

from __future__ import annotations

from typing import NamedTuple

from gatree.j48.confidence import Confidence
from gatree.j48.settings import J48Settings


class Options(NamedTuple):
    """What building a tree is told."""

    least: float  # weight on two branches of a test
    binary: bool
    collapses: bool
    prunes: bool
    raises: bool
    confidence: Confidence

    @classmethod
    def of(cls, settings: J48Settings) -> Options:
        """Return the options of some settings."""
        return cls(
            least=float(settings.min_instances),
            binary=bool(settings.binary_splits),
            collapses=settings.pruning != "reduced-error",
            prunes=settings.pruning == "confidence",
            raises=bool(settings.subtree_raising),
            confidence=Confidence.of(settings.confidence),
        )
