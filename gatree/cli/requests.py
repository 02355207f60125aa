"""The options of the commands that learn trees from data, as given."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gatree.data.source import ReadOptions


@dataclass(frozen=True)
class DataRequest:
    """What is learned from."""

    data: str
    class_name: str | None
    keep: tuple[str, ...]
    drop: tuple[str, ...]
    reading: ReadOptions
    quiet: bool


@dataclass(frozen=True)
class EvolveRequest(DataRequest):
    """The options of `gatree evolve` that are not settings."""

    everything: bool
    as_json: bool
    raw: bool
    watch: bool
    history: Path | None
    replay: Path | None
    save: Path | None
    picture: Path | None


@dataclass(frozen=True)
class LearningRequest(DataRequest):
    """The options of a command that searches small trees and judges them, without its settings."""

    regression: bool | None
    costs: Path | None
    folds: int | None
    compare: bool


@dataclass(frozen=True)
class TreeRequest(LearningRequest):
    """The options of `gatree tree` that are not settings."""

    per_size: bool
    details: bool
    everything: bool
    as_json: bool
    save: Path | None
    picture: Path | None


@dataclass(frozen=True)
class ExploreRequest(LearningRequest):
    """The options of `gatree explore` that are not settings."""

    output: Path | None
    open_it: bool
    no_rows: bool
