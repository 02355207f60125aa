"""One evolution on a data set, from its source to its account: every step in order."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from gatree.base.errors import brief
from gatree.base.progress import Listener
from gatree.data.dataset import Dataset
from gatree.evolution.account import Account, read_account, verdict
from gatree.evolution.evolve import Evolution, evolve
from gatree.evolution.outcome import Outcome
from gatree.evolution.problem import Problem
from gatree.evolution.warm_up import warm_up
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.study.reading import DataRequest, read_to_learn
from gatree.trees.model import DecisionTree


@dataclass(frozen=True)
class EvolutionRequest:
    """What to evolve a tree on, and how; a replay takes the settings of its file."""

    data: DataRequest
    settings: EvolutionSettings
    is_raw: bool = False  # whether the tree stays as it evolved
    replay: Path | None = None


class EvolutionListener(Listener, Protocol):
    """What an evolution reports to."""

    def read(self, dataset: Dataset) -> None:
        """Note the data."""

    def begun(self, dataset: Dataset) -> None:
        """Note that the evolution starts."""

    def bred(self, evolution: Evolution, n_generations: int) -> bool:
        """Note a generation; return whether the evolution shall end."""


@dataclass(frozen=True)
class EvolutionFinding:
    """What is known of an evolution, and whether it came to the same as in its file, if it is a replay."""

    dataset: Dataset
    settings: EvolutionSettings
    outcome: Outcome
    tree: DecisionTree
    account: Account
    is_equal: bool = True
    compared: str = ""


def study_evolution(request: EvolutionRequest, listener: EvolutionListener) -> EvolutionFinding:
    """Evolve a tree, or run the evolution of a file again."""
    replayed = None if request.replay is None else read_account(request.replay)
    settings = request.settings
    if replayed is not None:
        settings = replayed.evolution_settings(str(request.replay), settings)
    dataset, _ = read_to_learn(request.data, listener)
    listener.read(dataset)
    problem = Problem.of(dataset, settings.numeric_tests)
    _warn_of_untested(problem, settings, listener)
    warm_up(problem, settings)
    n_generations = settings.n_generations if replayed is None else replayed.generations
    changes = () if replayed is None else replayed.all_changes(str(request.replay))

    def bred(evolution: Evolution) -> bool:
        return listener.bred(evolution, n_generations) or evolution.generation == n_generations

    listener.begun(dataset)
    outcome = evolve(problem, settings, bred, changes=changes)
    tree = outcome.tree if request.is_raw else outcome.tree.simplified().with_counts(dataset)
    is_equal, compared = (True, "") if replayed is None else verdict(replayed, outcome, dataset)
    account = Account.of(outcome, settings, dataset)
    return EvolutionFinding(dataset, settings, outcome, tree, account, is_equal, compared)


def _warn_of_untested(problem: Problem, settings: EvolutionSettings, listener: Listener) -> None:
    """Name the numeric attributes that have no integer between their values, where integers are tested."""
    tests = zip(problem.dataset.attributes, problem.coding.n_tests, strict=True)
    untested = [brief(attribute.name) for attribute, n in tests if n == 0 and not attribute.is_nominal]
    if untested and settings.numeric_tests == "integer":
        listener.note(
            f"warning: {', '.join(untested)}: no integer lies between the values, so they are never "
            "tested; --numeric-tests auto finds thresholds"
        )
