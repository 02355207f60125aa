"""One evolution on one data set: run it, and print the tree that it finds and what that has cost."""

from __future__ import annotations

import json
import shlex
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from types import FrameType
from typing import Any, Self

import click

from gatree.base.files import write_whole
from gatree.base.progress import Progress
from gatree.cli.announce import read_and_announce, warn_of_untested
from gatree.cli.compilation import compile_ahead
from gatree.cli.main import DIFFERENT, INTERRUPTED, stop_on_sigterm
from gatree.cli.options import save_tree
from gatree.cli.output import print_json, print_labelled
from gatree.cli.requests import EvolveRequest
from gatree.data.answer import Numbers
from gatree.data.dataset import Dataset
from gatree.evolution.account import Account, change_text, read_account, verdict
from gatree.evolution.evolve import Evolution, evolve
from gatree.evolution.outcome import Outcome, Snapshot
from gatree.evolution.problem import Problem
from gatree.evolution.warm_up import warm_up
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.trees.model import DecisionTree
from gatree.trees.render import MOST_LINES, brief_text, size_text

_INTERRUPTS = (signal.SIGINT, signal.SIGTERM)


class _Interrupts:
    """A callback for `evolve`, and a context manager: the first Ctrl-C or SIGTERM ends the evolution.

    It stops after its generation, which keeps the best tree; a second one, or one before the first
    generation, interrupts as usual.
    """

    def __init__(self) -> None:
        self.asked = False
        self._is_started = False

    def __enter__(self) -> Self:
        self._usual_handlers = {kind: signal.signal(kind, self._on_interrupt) for kind in _INTERRUPTS}
        return self

    def __exit__(self, *_: object) -> None:
        self._interrupt_as_usual()

    def __call__(self, _evolution: Evolution) -> bool:
        """Return whether the evolution shall end."""
        self._is_started = True
        return self.asked

    def _on_interrupt(self, _signal: int, _frame: FrameType | None) -> None:
        if not self._is_started:
            raise KeyboardInterrupt
        self.asked = True
        self._interrupt_as_usual()

    def _interrupt_as_usual(self) -> None:
        for kind, handler in self._usual_handlers.items():
            signal.signal(kind, handler)


def run(
    context: click.Context, request: EvolveRequest, settings: EvolutionSettings, progress: Progress
) -> None:
    """Run an evolution on the data of a request, and print what it finds."""
    stop_on_sigterm()
    compile_ahead("breeding")
    replayed = None if request.replay is None else read_account(request.replay)
    if replayed is not None:
        settings = replayed.evolution_settings(str(request.replay), settings)
    dataset = _read(request)
    problem = Problem.of(dataset, settings.numeric_tests)
    warn_of_untested(dataset.attributes, problem.coding, settings.numeric_tests)
    warm_up(problem, settings)
    with _Interrupts() as interrupts:
        outcome = _evolved(problem, settings, request, progress, interrupts, replayed)
    progress.clear()
    tree = outcome.tree if request.raw else outcome.tree.simplified().with_counts(dataset)
    account = Account.of(outcome, settings, dataset)
    save_tree(tree, request.save, request.picture, evolution=account.as_dict)
    is_equal, compared = True, ""
    if replayed is not None:
        is_equal, compared = verdict(replayed, outcome, dataset)
    if request.as_json:
        more = {"equal": is_equal} if compared else {}
        print_json(_as_dict(dataset, outcome, account, tree) | {"interrupted": interrupts.asked} | more)
    else:
        click.echo(brief_text(tree, 10**9 if request.everything else MOST_LINES) + "\n")
        print_labelled(_lines(outcome, settings, tree))
        print_labelled([("replayed", compared)] if compared else [])
        print_labelled([("see also", f"{_of_small_trees(request)}: a tree whose size the data choose")])
    if not is_equal:
        context.exit(DIFFERENT)
    if interrupts.asked:
        click.echo("interrupted: this is the best tree so far", err=True)
        context.exit(INTERRUPTED)


def _evolved(
    problem: Problem,
    settings: EvolutionSettings,
    request: EvolveRequest,
    progress: Progress,
    interrupts: _Interrupts,
    replayed: Account | None,
) -> Outcome:
    """Run an evolution, show it, and write its history; a replay does what its file says."""
    n_generations = settings.n_generations if replayed is None else replayed.generations
    snapshots: list[Snapshot] = []

    def observe(evolution: Evolution) -> bool:
        if request.history is not None:
            snapshots.append(evolution.snapshot())
        return show(evolution) or interrupts(evolution) or evolution.generation == n_generations

    def show(evolution: Evolution) -> bool:
        progress("evolution", evolution.generation, n_generations)
        return False

    changes = () if replayed is None else replayed.all_changes(str(request.replay))
    with ExitStack() as stack:
        if request.watch:
            from gatree.cli.watch import LiveView

            progress.clear()
            show = stack.enter_context(LiveView(problem.dataset.name, lambda: interrupts.asked))
        outcome = evolve(problem, settings, observe, changes=changes)
    if request.history is not None:
        rows = [",".join(Snapshot._fields), *(",".join(map(str, each)) for each in snapshots)]
        write_whole(request.history, "\n".join(rows) + "\n")
    return outcome


def _read(request: EvolveRequest) -> Dataset:
    """Return the data, whose answer is classes."""
    dataset, _ = read_and_announce(request, None, keeps_known=True)
    if isinstance(dataset.answer, Numbers):
        name = dataset.answer.name
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
    if outcome.changes:
        yield "changes", "; ".join(map(change_text, outcome.changes))
    yield "saved", f"{outcome.ledger.instances_saved:.1%} of the instances by lossless inheritance"
    seconds = outcome.timing.total
    rate = f", {outcome.n_evaluations / seconds:,.0f} per second" if seconds else ""
    yield "evaluations", f"{outcome.n_evaluations} in {seconds:.3f} s{rate}"


def _as_dict(dataset: Dataset, outcome: Outcome, account: Account, tree: DecisionTree) -> dict[str, Any]:
    return account.as_dict | {
        "data": dataset.name,
        "n_instances": outcome.n_instances,
        "accuracy": outcome.accuracy,
        "n_correct": outcome.n_correct,
        "payoff": outcome.payoff,
        "n_nodes": tree.n_nodes,
        "n_leaves": tree.n_leaves,
        "depth": tree.depth,
        "x_factor": EvolutionSettings(**account.settings).schedule_text,
        "savings": outcome.ledger.instances_saved,
        "evaluations": outcome.n_evaluations,
        "seconds": outcome.timing.total,
        "tree": json.loads(tree.to_json()),
        "raw_tree": json.loads(outcome.tree.to_json()),
    }
