"""`gatree evolve`: one evolution, as in Sections 2 and 3 of the paper."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NamedTuple, Self

import click

from gatree.base.files import write_whole
from gatree.base.progress import Progress
from gatree.cli.compilation import compile_ahead
from gatree.cli.data_options import (
    READING_OPTIONS,
    class_option,
    data_argument,
    data_of,
    drop_option,
    gathered,
    keep_option,
)
from gatree.cli.main import DIFFERENT, INTERRUPTED, stop_on_sigterm
from gatree.cli.options import Given, picture_option, save_option, save_tree
from gatree.cli.output import print_json, print_labelled
from gatree.cli.setting_options import GroupedCommand, naming_options, option_of, setting_options, was_given
from gatree.kernels.events import on_compilation
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.presets import AT_THE_DOORS
from gatree.settings.validation import validated

if TYPE_CHECKING:
    from gatree.data.dataset import Dataset
    from gatree.evolution.evolve import Evolution
    from gatree.evolution.outcome import Snapshot
    from gatree.study.evolution import EvolutionFinding
    from gatree.study.reading import DataRequest

_GROUPS = {
    "Evolution": "population_size n_generations mutation_rate crossover_rate x_factor seed",
    "Output options": "watch save picture history replay as_json quiet everything raw",
    "Data options": "class_name keep drop kinds day_first header sheet drop_strings",
    "Trees": "numeric_tests leaf_class min_leaf max_nodes max_depth size_measure",
    "Selection, replacement and mutations": "selection tournament_size generation_gap replacement "
    "prune_share shift_share grow_share root_share",
    "Computation and accounts": "",
}
"""The options of the command by what they are about; the first group is what the paper varies."""

_DEFAULTS = {"default_map": EvolutionSettings.preset("paper", AT_THE_DOORS).model_dump()}


_OUTPUT_OPTIONS = (
    click.option(
        "--all", "everything", is_flag=True, help="Print a large tree whole, not its first 40 lines."
    ),
    click.option("--json", "as_json", is_flag=True, help="Print everything as JSON."),
    click.option("--raw", is_flag=True, help="Show, save and draw the tree as it evolved, not simplified."),
    click.option("--watch", is_flag=True, help="Show the evolution while it runs, and let keys change it."),
    click.option(
        "--history",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Write a row per generation, as CSV.",
    ),
    click.option(
        "--replay",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Run the evolution of a saved tree or of --json again, with its settings and changes.",
    ),
    save_option,
    picture_option,
    click.option("--quiet", "-q", is_flag=True, help="Show no progress and no notes on the data."),
)


class _Output(NamedTuple):
    """What is shown of an evolution, and where it is written."""

    everything: bool
    as_json: bool
    raw: bool
    watch: bool
    history: Path | None
    replay: Path | None
    save: Path | None
    picture: Path | None
    quiet: bool


def _settings(given: Given) -> EvolutionSettings:
    with naming_options():
        return validated(EvolutionSettings, given)


@click.command(cls=GroupedCommand, groups=_GROUPS, context_settings=_DEFAULTS)
@gathered("data", data_of, data_argument, class_option, keep_option, drop_option, *READING_OPTIONS)
@gathered("settings", _settings, setting_options(EvolutionSettings))
@gathered("output", lambda given: _Output(**given), *_OUTPUT_OPTIONS)
@click.pass_context
def evolve(
    context: click.Context, /, data: DataRequest, settings: EvolutionSettings, output: _Output
) -> None:
    """Evolve a decision tree on DATA, as in Sections 2 and 3 of the paper.

    The data are a data set of the paper, an ARFF, CSV, Excel or Parquet file, several files with the same
    columns, or - for stdin. The payoff of a tree trades accuracy for size (Eq. 1). The defaults are the
    paper's settings, with thresholds by the data.

    It prints the tree with the best payoff, without redundant tests, and what lossless inheritance has saved.
    Ctrl-C ends the evolution and keeps the best tree so far. For good trees, whose size is chosen from the
    data, see `gatree tree`.

    \b
    Examples:
      gatree evolve vote
      gatree evolve vote --population 400 --generations 400 --mutation-rate 0.5
      gatree evolve glass --x-factor 1e4..1e6 --evaluator old
      gatree evolve people.csv --class income --save tree.json --picture tree.svg
      gatree evolve kr-vs-kp --generations 5000 --watch --save tree.json
      gatree evolve kr-vs-kp --replay tree.json
    """
    _refuse_together(context, output)
    with naming_options(), Progress(quiet=output.quiet) as progress:
        on_compilation(progress.note)
        _evolve(context, replace(data, keeps_known=True), settings, output, progress)


def _refuse_together(context: click.Context, output: _Output) -> None:
    """Refuse options that do not go together."""
    if output.replay is not None:
        given = [name for name in EvolutionSettings.model_fields if was_given(context, name)]
        if given := [name for name in given if name not in _WITHOUT_EFFECT_ON_OUTCOMES]:
            raise click.UsageError(f"{option_of(given[0])}: --replay takes the settings from its file")
        if output.watch:
            raise click.UsageError("--watch and --replay: a replay is not to be changed; give one of them")
    if output.watch:
        from gatree.cli.watch import refuse_without_terminal

        refuse_without_terminal()


_WITHOUT_EFFECT_ON_OUTCOMES = ("evaluator", "n_jobs")


def _evolve(
    context: click.Context,
    data: DataRequest,
    settings: EvolutionSettings,
    output: _Output,
    progress: Progress,
) -> None:
    """Run an evolution on the data of a request, and print what it finds."""
    from gatree.study.evolution import EvolutionRequest, study_evolution

    stop_on_sigterm()
    compile_ahead("breeding")
    with _Interrupts() as interrupts, _Watching(data, output, progress, interrupts) as listener:
        found = study_evolution(EvolutionRequest(data, settings, output.raw, output.replay), listener)
    progress.clear()
    if output.history is not None:
        _write_history(output.history, listener.snapshots)
    save_tree(found.tree, output.save, output.picture, evolution=found.account.as_dict)
    _print(data, output, found, interrupts.asked)
    if not found.is_equal:
        context.exit(DIFFERENT)
    if interrupts.asked:
        click.echo("interrupted: this is the best tree so far", err=True)
        context.exit(INTERRUPTED)


def _print(data: DataRequest, output: _Output, found: EvolutionFinding, is_interrupted: bool) -> None:
    from gatree.evolution.account import outcome_as_dict, outcome_lines
    from gatree.trees.render import MOST_LINES, brief_text

    if output.as_json:
        more = {"equal": found.is_equal} if found.compared else {}
        content = outcome_as_dict(found.dataset, found.outcome, found.account, found.tree)
        print_json(content | {"interrupted": is_interrupted} | more)
        return
    click.echo(brief_text(found.tree, 10**9 if output.everything else MOST_LINES) + "\n")
    print_labelled(outcome_lines(found.outcome, found.settings, found.tree))
    print_labelled([("replayed", found.compared)] if found.compared else [])
    print_labelled([("see also", f"{_of_small_trees(data)}: a tree whose size the data choose")])


def _of_small_trees(data: DataRequest) -> str:
    name = ["--class", data.class_name] if data.class_name is not None else []
    return shlex.join(["gatree", "tree", data.data, *name])


def _write_history(file: Path, snapshots: list[Snapshot]) -> None:
    from gatree.evolution.outcome import Snapshot

    rows = [",".join(Snapshot._fields), *(",".join(map(str, each)) for each in snapshots)]
    write_whole(file, "\n".join(rows) + "\n")


class _Watching(ExitStack):
    """The listener of an evolution, and a context manager: it shows every generation."""

    def __init__(
        self, data: DataRequest, output: _Output, progress: Progress, interrupts: _Interrupts
    ) -> None:
        super().__init__()
        self._data, self._output = data, output
        self._interrupts = interrupts
        self._view: Callable[[Evolution], bool] | None = None
        self.snapshots: list[Snapshot] = []  # of every generation, if they are wanted
        self.progress = progress.progress
        self.note = progress.note
        self._clear = progress.clear

    def read(self, dataset: Dataset) -> None:
        """Refuse numbers."""
        from gatree.data.answer import Numbers

        if isinstance(dataset.answer, Numbers):
            name = dataset.answer.name
            raise click.UsageError(
                f"{name} has numbers to predict, and an evolution predicts classes; use "
                f"{_of_small_trees(self._data)}, or --as {shlex.quote(name)}=category"
            )

    def begun(self, dataset: Dataset) -> None:
        """Open the live view, if it is wanted."""
        if self._output.watch:
            from gatree.cli.watch import LiveView

            self._clear()
            self._view = self.enter_context(LiveView(dataset.name, lambda: self._interrupts.asked))

    def bred(self, evolution: Evolution, n_generations: int) -> bool:
        """Show a generation; return whether the evolution shall end."""
        if self._output.history is not None:
            self.snapshots.append(evolution.snapshot())
        if self._view is None:
            self.progress("evolution", evolution.generation, n_generations)
        is_over = self._view is not None and self._view(evolution)
        return self._interrupts(evolution) or is_over


_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class _Interrupts:
    """A callback for `evolve`, and a context manager: the first Ctrl-C or SIGTERM ends the evolution.

    It stops after its generation, which keeps the best tree; a second one, or one before the first
    generation, interrupts as usual.
    """

    def __init__(self) -> None:
        self.asked = False
        self._is_started = False

    def __enter__(self) -> Self:
        self._usual_handlers = {kind: signal.signal(kind, self._on_interrupt) for kind in _SIGNALS}
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
