"""One evolution on one data set: run it, and print the tree that it finds and what that has cost."""

from __future__ import annotations

import json
import shlex
import signal
from collections.abc import Iterator
from types import FrameType
from typing import Any, Self

import click

from gatree.base.progress import Progress
from gatree.cli.announce import read_and_announce, warn_of_untested
from gatree.cli.main import INTERRUPTED, stop_on_sigterm
from gatree.cli.options import save_tree
from gatree.cli.output import print_json, print_labelled
from gatree.cli.requests import EvolveRequest
from gatree.data.dataset import Dataset
from gatree.evolution.evolve import Evolution, evolve
from gatree.evolution.outcome import Outcome
from gatree.evolution.problem import Problem
from gatree.evolution.warm_up import warm_up
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.trees.model import DecisionTree
from gatree.trees.render import MOST_LINES, brief_text, size_text

_INTERRUPTS = (signal.SIGINT, signal.SIGTERM)


class _Watch:
    """A callback for `evolve`, and a context manager, which shows the generation.

    The first Ctrl-C or SIGTERM asks the evolution to stop after its generation, which keeps the best tree; a
    second one, or one before the first generation, interrupts as usual.
    """

    def __init__(self, progress: Progress) -> None:
        self.interrupted = False
        self._progress = progress
        self._is_started = False

    def __enter__(self) -> Self:
        self._usual_handlers = {kind: signal.signal(kind, self._on_interrupt) for kind in _INTERRUPTS}
        return self

    def __exit__(self, *_: object) -> None:
        self._interrupt_as_usual()

    def __call__(self, evolution: Evolution) -> bool:
        """Show a generation; return whether it shall be the last one."""
        self._is_started = True
        self._progress("evolution", evolution.generation, evolution.settings.n_generations)
        return self.interrupted

    def _on_interrupt(self, _signal: int, _frame: FrameType | None) -> None:
        if not self._is_started:
            raise KeyboardInterrupt
        self.interrupted = True
        self._interrupt_as_usual()

    def _interrupt_as_usual(self) -> None:
        for kind, handler in self._usual_handlers.items():
            signal.signal(kind, handler)


def run(
    context: click.Context, request: EvolveRequest, settings: EvolutionSettings, progress: Progress
) -> None:
    """Run an evolution on the data of a request, and print what it finds."""
    stop_on_sigterm()
    dataset = _read(request)
    problem = Problem.of(dataset, settings.numeric_tests)
    warn_of_untested(dataset.attributes, problem.coding, settings.numeric_tests)
    warm_up(problem, settings)
    with _Watch(progress) as watch:
        outcome = evolve(problem, settings, watch)
    progress.clear()
    tree = outcome.tree if request.raw else outcome.tree.simplified().with_counts(dataset)
    save_tree(tree, request.save, request.picture)
    if request.as_json:
        print_json(_as_dict(dataset, outcome, settings, tree) | {"interrupted": watch.interrupted})
    else:
        click.echo(brief_text(tree, 10**9 if request.everything else MOST_LINES) + "\n")
        print_labelled(_lines(outcome, settings, tree))
        print_labelled([("see also", f"{_of_small_trees(request)}: a tree whose size the data choose")])
    if watch.interrupted:
        click.echo("interrupted: this is the best tree so far", err=True)
        context.exit(INTERRUPTED)


def _read(request: EvolveRequest) -> Dataset:
    """Return the data, whose answer is classes."""
    dataset, _ = read_and_announce(request, None, keeps_known=True)
    if dataset.target is not None:
        name = dataset.class_attribute.name
        raise click.UsageError(
            f"{name} has numbers to predict, and an evolution predicts classes; use "
            f"{_of_small_trees(request)}, or --as {shlex.quote(name)}=category"
        )
    return dataset


def _of_small_trees(request: EvolveRequest) -> str:
    name = ["--class", request.class_name] if request.class_name is not None else []
    return shlex.join(["gatree", "tree", request.data, *name])


def _lines(outcome: Outcome, settings: EvolutionSettings, tree: DecisionTree) -> Iterator[tuple[str, str]]:
    """Yield labels and texts of what is known of an evolution and its tree."""
    correct = f"{outcome.n_correct:,} of {outcome.n_instances:,}"
    yield "payoff", f"{outcome.payoff:.4f}"
    yield "accuracy", f"{outcome.accuracy:.4f} on the training data ({correct})"
    yield "size", size_text(tree)
    if outcome.best.n_nodes > tree.n_nodes:
        yield "", f"{outcome.best.n_nodes} nodes before simplification, see --raw"
    yield "x-factor", settings.schedule_text
    yield "saved", f"{outcome.ledger.instances_saved:.1%} of the instances by lossless inheritance"
    seconds = outcome.timing.total
    rate = f", {outcome.n_evaluations / seconds:,.0f} per second" if seconds else ""
    yield "evaluations", f"{outcome.n_evaluations} in {seconds:.3f} s{rate}"


def _as_dict(
    dataset: Dataset, outcome: Outcome, settings: EvolutionSettings, tree: DecisionTree
) -> dict[str, Any]:
    return {
        "data": dataset.name,
        "n_instances": outcome.n_instances,
        "accuracy": outcome.accuracy,
        "n_correct": outcome.n_correct,
        "payoff": outcome.payoff,
        "n_nodes": tree.n_nodes,
        "n_leaves": tree.n_leaves,
        "depth": tree.depth,
        "x_factor": settings.schedule_text,
        "savings": outcome.ledger.instances_saved,
        "evaluations": outcome.n_evaluations,
        "generations": outcome.n_generations,
        "seconds": outcome.timing.total,
        "settings": settings.model_dump(mode="json"),
        "tree": json.loads(tree.to_json()),
        "raw_tree": json.loads(outcome.tree.to_json()),
    }
