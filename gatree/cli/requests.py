"""The options of the commands that learn trees from data, as given."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from gatree.data.source import ReadOptions
    from gatree.settings.presets import Preset

Size = int | Literal["auto", "penalty"]


@dataclass(frozen=True)
class LearningRequest:
    """The options of a command that learns trees from data and judges them, as given."""

    data: str
    class_name: str | None
    keep: tuple[str, ...]
    drop: tuple[str, ...]
    regression: bool | None
    reading: ReadOptions
    folds: int | None
    costs: Path | None
    compare: bool
    quiet: bool


@dataclass(frozen=True)
class EvolveRequest(LearningRequest):
    """The options that are not settings, of `gatree evolve`, as given."""

    preset: Preset
    size: Size
    size_rule: float | str | None
    first: str | None
    effort: float
    per_size: bool
    details: bool
    everything: bool
    as_json: bool
    raw: bool
    save: Path | None
    picture: Path | None


@dataclass(frozen=True)
class ExploreRequest(LearningRequest):
    """The options of `gatree explore`, as given."""

    output: Path | None
    open_it: bool
    no_rows: bool
    preset: Any
    seed: int
    class_weight: Any
