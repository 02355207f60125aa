"""`gatree evolve --leaves penalty`: one evolution on one data set, the tree it finds, and what it cost."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from types import FrameType
from typing import Any, Self

import click
import numpy as np

from gatree.base.progress import OnProgress, Progress, no_progress
from gatree.cli.learning import read_and_announce, tell, warn_of_untested
from gatree.cli.main import stop_on_sigterm
from gatree.cli.requests import EvolveRequest
from gatree.data.dataset import Dataset
from gatree.evolution.evolve import Evolution, evolve, problem_of
from gatree.evolution.outcome import BestPerSize, Champion, Outcome
from gatree.evolution.payoff import payoff
from gatree.evolution.problem import Problem
from gatree.evolution.warm_up import warm_up
from gatree.explore.finding import Finding, Request, find
from gatree.explore.measures import Floats
from gatree.explore.search import FoundTrees
from gatree.settings.evolution_settings import EvolutionSettings

_INTERRUPTS = (signal.SIGINT, signal.SIGTERM)


class Watch:
    """A callback for `evolve`, and a context manager, which shows the generation.

    The first Ctrl-C or SIGTERM asks the evolution to stop after its generation, which keeps the best tree; a
    second one, or one before the first generation, interrupts as usual.
    """

    def __init__(self) -> None:
        self.interrupted = False
        self.show: OnProgress = no_progress
        self.what = "search"
        self._is_started = False

    def __enter__(self) -> Self:
        self._usual_handlers = {kind: signal.signal(kind, self._on_interrupt) for kind in _INTERRUPTS}
        return self

    def __exit__(self, *_: object) -> None:
        self._interrupt_as_usual()

    def __call__(self, evolution: Evolution) -> bool:
        """Show a generation; return whether it shall be the last one."""
        self._is_started = True
        self.show(self.what, evolution.generation, evolution.settings.n_generations)
        return self.interrupted

    def _on_interrupt(self, _signal: int, _frame: FrameType | None) -> None:
        if not self._is_started:
            raise KeyboardInterrupt
        self.interrupted = True
        self._interrupt_as_usual()

    def _interrupt_as_usual(self) -> None:
        for kind, handler in self._usual_handlers.items():
            signal.signal(kind, handler)


class OneEvolution:
    """A search by one evolution, which weighs the size by its payoff; it keeps its first outcome."""

    def __init__(self, settings: EvolutionSettings, request: EvolveRequest, watch: Watch) -> None:
        self._settings, self._request, self._watch = settings, request, watch
        self._champions = BestPerSize()
        self._first: tuple[Outcome, Problem] | None = None

    def __call__(self, dataset: Dataset, target: Floats | None, show: OnProgress, what: str) -> FoundTrees:
        """Return the tree that is found on all rows of a data set."""
        self._watch.show, self._watch.what = show, what
        outcome = self.run(dataset)
        tree = outcome.tree if self._request.raw else outcome.tree.simplified()
        return FoundTrees((tree.with_counts(dataset),))

    def run(self, dataset: Dataset) -> Outcome:
        """Evolve once."""
        is_watched = self._request.per_size and self._first is None
        problem = problem_of(dataset, self._settings)
        warm_up(problem, self._settings)

        def watch(evolution: Evolution) -> bool:
            if is_watched:
                self._champions.watch(evolution.population)
            return self._watch(evolution)

        outcome = evolve(problem, self._settings, watch)
        self._first = self._first or (outcome, problem)
        return outcome

    @property
    def first(self) -> tuple[Outcome, Problem]:
        """The outcome on all rows, and the problem."""
        assert self._first is not None
        return self._first

    def lines(self, n_nodes: int) -> Iterator[tuple[str, str]]:
        """Yield labels and texts of what only an evolution has, given the nodes of the tree that is shown."""
        outcome, _ = self.first
        if outcome.best.n_nodes > n_nodes:
            yield "", f"{outcome.best.n_nodes} nodes before simplification, see --raw"
        yield "payoff", f"{outcome.payoff:.4f}"
        yield "saved", f"{outcome.ledger.instances_saved:.1%} of the instances by lossless inheritance"
        seconds = outcome.timing.total
        rate = f", {outcome.n_evaluations / seconds:,.0f} per second" if seconds else ""
        yield "evaluations", f"{outcome.n_evaluations} in {seconds:.3f} s{rate}"

    def fields(self) -> dict[str, Any]:
        """Return the same for JSON."""
        outcome, _ = self.first
        per_size = {"per_size": self._per_size()} if self._request.per_size else {}
        return {
            "n_instances": outcome.n_instances,
            "total_weight": outcome.total_weight,
            "leaves": "penalty",
            "chosen": f"by the payoff of one evolution, x-factor {self._settings.x_factor}",
            "payoff": outcome.payoff,
            "savings": outcome.ledger.instances_saved,
            "evaluations": outcome.n_evaluations,
            "generations": outcome.n_generations,
            "seconds": outcome.timing.total,
            "settings": self._settings.model_dump(mode="json"),
            "raw_tree": json.loads(outcome.tree.to_json()),
            **per_size,
        }

    def _per_size(self) -> list[dict[str, Any]]:
        """Return one row for each size that has lived."""
        settings, (outcome, problem) = self._settings, self.first
        # Without a single generation there was nothing to watch.
        champions = self._champions.champions() or [Champion(outcome.best, outcome.n_correct)]
        sizes = [(c.tree.n_nodes, c.tree.n_leaves)[settings.size == "leaves"] for c in champions]
        payoffs = payoff(
            np.array([champion.n_correct for champion in champions], dtype=np.int64),
            outcome.total_weight,
            np.array(sizes, dtype=np.int64),
            settings.x_factor.at(outcome.n_generations, settings.n_generations),
        )
        return [
            {
                "n_nodes": champion.tree.n_nodes,
                "n_leaves": champion.tree.n_leaves,
                "accuracy": champion.n_correct / outcome.total_weight,
                "payoff": worth,
                "tree": json.loads(problem.decision_tree(champion.tree).to_json()),
            }
            for champion, worth in zip(champions, payoffs.tolist(), strict=True)
        ]


def evolve_once(
    context: click.Context, request: EvolveRequest, settings: EvolutionSettings, progress: Progress
) -> None:
    """Run one evolution, which weighs the size by its payoff, and print what it found."""
    stop_on_sigterm()
    started = time.perf_counter()
    dataset = _load(request)
    reading = ("reading", time.perf_counter() - started)
    wanted = Request(class_weight=settings.class_weight, n_folds=request.folds, may_be_constant=True)
    with Watch() as watch:
        search = OneEvolution(settings, request, watch)
        finding = find_once(dataset, wanted, search, progress)
        _, problem = search.first
        warn_of_untested(finding.dataset.attributes, problem.coding, settings.numeric_tests)
        tell(context, request, replace(finding, spent=(*finding.spent, reading)), progress, watch)


def find_once(dataset: Dataset, request: Request, search: OneEvolution, show: OnProgress) -> Finding:
    """Run one evolution and return what it found."""
    finding = find(dataset, request, show=show, search=search)
    return replace(finding, lines=tuple(search.lines(finding.tree.n_nodes)), fields=search.fields())


def _load(request: EvolveRequest) -> Dataset:
    """Return the data, whose answer is classes."""
    dataset, _ = read_and_announce(request, keeps_known=True)
    if dataset.target is not None:
        raise click.UsageError(
            f"{dataset.class_attribute.name} has numbers to predict, and the genetic algorithm with its "
            "payoff predicts classes; leave out its options and --leaves penalty"
            + (", or --regression" if request.regression else "")
        )
    return dataset
