"""`gatree evolve --leaves penalty`: one evolution on one data set, the tree it finds, and what it cost."""

from __future__ import annotations

import _thread
import json
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING, Any, Self

import click
import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import ConfigError
from gatree.base.progress import OnProgress, Progress, no_progress
from gatree.cli.learning import read_and_announce, tell, warn_of_untested
from gatree.cli.main import stop_on_sigterm
from gatree.cli.output import print_notes
from gatree.cli.requests import EvolveRequest
from gatree.data.dataset import Dataset
from gatree.data.formats import is_in_pieces
from gatree.evolution.evaluators.shards.workers import load_in_pieces
from gatree.evolution.evolve import Evolution, evolve, problem_of
from gatree.evolution.outcome import BestPerSize, Champion, Outcome
from gatree.evolution.payoff import payoff
from gatree.evolution.problem import Problem
from gatree.evolution.scoring import class_weights
from gatree.evolution.warm_up import warm_up
from gatree.explore.finding import Finding, Request, find
from gatree.explore.measures import Floats, Measure
from gatree.explore.search import FoundTrees
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.trees.genome import LEAF
from gatree.trees.model import DecisionTree

if TYPE_CHECKING:
    from gatree.data.pieces import DataInPieces

_INTERRUPTS = (signal.SIGINT, signal.SIGTERM)
_SECONDS_BETWEEN_CHECKS = 1.0


class Watch:
    """A callback for `evolve`, and a context manager, which shows the generation.

    The first Ctrl-C or SIGTERM asks the evolution to stop after its generation, which keeps the best tree; a
    second one, or one before the first generation, interrupts as usual. So does the first one if the cluster
    of ``client`` has no workers that answer, because the generation would not end.
    """

    def __init__(self, client: Any = None) -> None:
        self.interrupted = False
        self.show: OnProgress = no_progress
        self.what = "search"
        self._client = client
        self._is_started = False
        self._is_over = threading.Event()

    def __enter__(self) -> Self:
        self._usual_handlers = {kind: signal.signal(kind, self._on_interrupt) for kind in _INTERRUPTS}
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
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
        if self._client is not None:
            threading.Thread(target=self._interrupt_without_workers, daemon=True).start()

    def _interrupt_without_workers(self) -> None:
        """Interrupt again as soon as no worker of the cluster answers, unless the evolution ends before."""
        from gatree.evolution.evaluators.shards.cluster import WorkerMonitor

        monitor = WorkerMonitor(self._client, self._client.scheduler.address)
        while not self._is_over.is_set():
            with suppress(ConfigError):  # the scheduler is gone, which the evolution reports
                if monitor.nobody_answers():
                    _interrupt_main_thread()
                    return
            self._is_over.wait(_SECONDS_BETWEEN_CHECKS)

    def _interrupt_as_usual(self) -> None:
        for kind, handler in self._usual_handlers.items():
            signal.signal(kind, handler)


def _interrupt_main_thread() -> None:
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, signal.SIGINT)  # which also ends a wait
    else:
        _thread.interrupt_main()


class OneEvolution:
    """A search by one evolution, which weighs the size by its payoff; it keeps its first outcome."""

    def __init__(
        self, settings: EvolutionSettings, request: EvolveRequest, watch: Watch, where: dict[str, Any]
    ) -> None:
        self._settings, self._request, self._watch, self._where = settings, request, watch, where
        self._champions = BestPerSize()
        self._first: tuple[Outcome, Problem] | None = None

    def __call__(self, dataset: Dataset, target: Floats | None, show: OnProgress, what: str) -> FoundTrees:
        """Return the tree that is found on all rows of a data set."""
        self._watch.show, self._watch.what = show, what
        outcome = self.run(dataset)
        tree = outcome.tree if self._request.raw else outcome.tree.simplified()
        return FoundTrees((tree.with_counts(dataset),))

    def run(self, data: Dataset | DataInPieces) -> Outcome:
        """Evolve once."""
        in_shards, is_watched = any(self._where.values()), self._request.per_size and self._first is None
        problem = problem_of(data, self._settings, in_memory=not in_shards)
        warm_up(problem, self._settings, in_parts=in_shards)

        def watch(evolution: Evolution) -> bool:
            if is_watched:
                self._champions.watch(evolution.population)
            return self._watch(evolution)

        outcome = evolve(problem, self._settings, watch, **self._where)
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


def find_once(
    data: Dataset | DataInPieces, request: Request, search: OneEvolution, show: OnProgress
) -> Finding:
    """Run one evolution and return what it found."""
    if isinstance(data, Dataset):
        finding = find(data, request, show=show, search=search)
    else:
        tree = search.run(data).tree.simplified()
        schema: Any = data.plan.schema
        weights = None if request.class_weight is None else class_weights(schema, request.class_weight)
        measure = Measure(schema, None, weights, request.costs)
        judged = measure.judged_by_counts(_confusion(tree))
        finding = Finding(request, measure, search, FoundTrees((tree,)), (judged,))
    return replace(finding, lines=tuple(search.lines(finding.tree.n_nodes)), fields=search.fields())


def _confusion(tree: DecisionTree) -> NDArray[np.int64]:
    """Return the class counts of a tree's leaves, ``[class, predicted class]``."""
    assert tree.counts is not None
    leaves = np.flatnonzero(tree.tree.attribute == LEAF)
    confusion = np.zeros((tree.n_classes, tree.n_classes), dtype=np.int64)
    np.add.at(confusion.T, tree.tree.value[leaves], tree.counts[leaves])
    return confusion


_WORTH_SHARDS = 100_000  # instances


def _where(source: Dataset | DataInPieces, request: EvolveRequest, client: Any) -> dict[str, Any]:
    """Return where to evaluate: in this process, if the data are here and few; the outcome is the same."""
    n = source.n_instances if isinstance(source, Dataset) else _WORTH_SHARDS
    if n >= _WORTH_SHARDS or not request.shards or client is not None:
        return {"shards": request.shards, "client": client}
    if not request.quiet:
        reason = f"shards pay from {_WORTH_SHARDS:,} on"
        click.echo(f"note: {n} instances are evaluated faster in one process; {reason}", err=True)
    return {}


def evolve_once(
    context: click.Context, request: EvolveRequest, settings: EvolutionSettings, progress: Progress
) -> None:
    """Run one evolution, which weighs the size by its payoff, and print what it found."""
    stop_on_sigterm()
    with _cluster(request.scheduler) as client:
        started = time.perf_counter()
        source = _load(request, settings, client)
        reading = ("reading", time.perf_counter() - started)
        where = _where(source, request, client)
        folds = request.folds if isinstance(source, Dataset) else 0
        wanted = Request(class_weight=settings.class_weight, n_folds=folds, may_be_constant=True)
        with Watch(client) as watch:
            search = OneEvolution(settings, request, watch, where)
            finding = find_once(source, wanted, search, progress)
            _, problem = search.first
            warn_of_untested(finding.dataset.attributes, problem.coding, settings.numeric_tests)
            finding = replace(finding, spent=(*finding.spent, reading))
            tell(context, request, finding, progress, watch)


def _load(request: EvolveRequest, settings: EvolutionSettings, client: Any) -> Dataset | DataInPieces:
    """Return the data."""
    if not (request.in_pieces or is_in_pieces(request.data)):
        dataset, _ = read_and_announce(request, keeps_known=True)
        if dataset.target is not None:
            raise click.UsageError(
                f"{dataset.class_attribute.name} has numbers to predict, and the genetic algorithm with its "
                "payoff predicts classes; leave out its options and --leaves penalty"
                + (", or --regression" if request.regression else "")
            )
        return dataset
    if request.details:
        raise click.UsageError("--details: data in pieces are not cross-validated; leave it out")
    if request.folds:
        raise click.UsageError("--folds: data in pieces are not cross-validated; leave it out, or give 0")
    if request.keep or request.drop or request.regression:
        raise click.UsageError("--keep, --drop and --regression need the data in memory, not in pieces")
    pieces = load_in_pieces(request.data, request.class_name, request.reading, settings, client)
    print_notes(pieces.notes, request.quiet)
    return pieces


def _cluster(scheduler: str | None) -> AbstractContextManager[Any]:
    """Return a context with the client of a Dask cluster, if there is to be one."""
    if scheduler is None:
        return nullcontext()
    from gatree.evolution.evaluators.shards.cluster import cluster_at

    return cluster_at(scheduler)
