"""What `tree` and `explore` share: they read data, search, validate and compare; and what `tree` prints.

Importing this takes a while, which the help of the commands does not need.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import click

from gatree.base.background import Interrupted
from gatree.base.errors import brief
from gatree.base.progress import Progress
from gatree.cli.announce import read_and_announce
from gatree.cli.compilation import compile_ahead
from gatree.cli.main import INTERRUPTED, stop_on_sigterm
from gatree.cli.options import save_tree
from gatree.cli.output import print_json, print_labelled, print_notes, print_table
from gatree.cli.requests import LearningRequest, TreeRequest
from gatree.cli.setting_options import option_of, was_given
from gatree.data.answer import Numbers
from gatree.data.costs import read_costs
from gatree.data.dataset import Dataset
from gatree.j48.evaluation import details, evaluated, pooled
from gatree.learners.cross_validation import Baseline
from gatree.settings.small_tree import SmallTreeSettings
from gatree.study import text
from gatree.study.finding import Finding, Request, compared, find, validated, with_firsts
from gatree.trees.render import MOST_LINES, brief_text

_OF_CLASSES = ("class_weight", "scoring", "costs", "details")


def found_by(
    context: click.Context,
    request: LearningRequest,
    settings: SmallTreeSettings,
    progress: Progress,
    **others: Any,
) -> tuple[Finding, bool]:
    """Read the data of a command and search trees of all sizes; return also whether Ctrl-C ended the proofs.

    ``others`` are those of `Request`.
    """
    stop_on_sigterm()
    started = time.perf_counter()
    dataset, left_out = read_and_announce(request, request.regression)
    reading = ("reading", time.perf_counter() - started)
    _refuse_others(context, dataset)
    costs = None if request.costs is None else read_costs(request.costs, dataset)
    wanted = Request(settings, costs, request.folds, left_out, **others)
    compile_ahead(*_compiled_later(dataset, request.compare))
    try:
        finding, is_interrupted = find(dataset, wanted, progress), False
    except Interrupted as stop:
        finding, is_interrupted = stop.found, True
    return replace(finding, spent=(*finding.spent, reading)), is_interrupted


def _compiled_later(dataset: Dataset, compare: bool) -> list[str]:
    """Return the parts of the kernels that a command needs after the search."""
    if isinstance(dataset.answer, Numbers):
        return ["optimum-numbers"]
    is_nominal = all(attribute.is_nominal for attribute in dataset.attributes)
    return ["optimum", *(["j48-nominal" if is_nominal else "j48"] if compare else [])]


def _refuse_others(context: click.Context, dataset: Dataset) -> None:
    """Refuse options for classes where numbers are predicted."""
    given = [name for name in _OF_CLASSES if was_given(context, name)]
    if given and isinstance(dataset.answer, Numbers):
        options = ", ".join(map(option_of, given))
        raise click.UsageError(
            f"{options}: for classes, and {brief(dataset.answer.name)} has numbers; leave it out"
        )


def completed(
    finding: Finding,
    compare: bool,
    progress: Progress,
    on_validated: Callable[[Finding], Any],
    on_baseline: Callable[[Baseline], Any] = lambda _: None,
    firsts: bool = False,
) -> tuple[Finding, bool]:
    """Cross-validate a finding and compare it with other methods; return it, and whether it was interrupted.

    ``on_validated`` is called before the comparison starts; with ``firsts`` trees with another first test are
    compared, too.
    """
    try:
        finding = validated(finding, progress)
        progress.clear()
        on_validated(finding)
        if compare:
            finding = with_firsts(finding, progress) if firsts else finding
            finding = compared(finding, progress, on_baseline)
    except KeyboardInterrupt:
        return finding, True
    return finding, False


def tell_notes(finding: Finding, request: LearningRequest, progress: Progress) -> None:
    """Print what the reader should know of the data."""
    progress.clear()
    print_notes([f"note: {note}" for note in finding.notes], request.quiet)


def tell(
    context: click.Context,
    request: TreeRequest,
    finding: Finding,
    progress: Progress,
    is_interrupted: bool = False,
) -> None:
    """Save and print the tree, then its cross-validation, then the comparison; or everything as JSON.

    After an interruption there is only the tree.
    """
    save_tree(finding.tree, request.save, request.picture)
    tell_notes(finding, request, progress)
    is_text = not request.as_json
    if is_text:
        most = 10**9 if request.everything else MOST_LINES
        click.echo(brief_text(finding.tree, most) + "\n")
        print_labelled(text.answer_lines(finding))

    def on_validated(finding: Finding) -> None:
        if is_text:
            print_labelled([*text.validated_lines(finding), *text.smaller_lines(finding)])

    def on_baseline(baseline: Baseline) -> None:
        progress.clear()
        if is_text:
            print_labelled([text.baseline_line(baseline)])

    if not is_interrupted:
        finding, is_interrupted = completed(finding, request.compare, progress, on_validated, on_baseline)
    progress.clear()
    (_print_rest if is_text else _print_as_json)(request, finding, is_interrupted)
    if is_interrupted:
        click.echo("interrupted: this is the tree, without what was still to come", err=True)
        context.exit(INTERRUPTED)


def _print_rest(request: TreeRequest, finding: Finding, _is_interrupted: bool) -> None:
    """Print the times, and details that were asked for."""
    print_labelled([("time", text.time_text(finding.spent))])
    if request.details and finding.crossed is not None:
        click.echo("\n" + "\n".join(details(_evaluated(finding), finding.dataset.class_values)))
    if request.per_size:
        click.echo(f"\nthe best tree found of each size, {finding.measure.name} on the training data")
        print_table(text.size_rows(finding))


def _print_as_json(request: TreeRequest, finding: Finding, is_interrupted: bool) -> None:
    content = text.as_dict(finding, request.per_size) | {"interrupted": is_interrupted}
    if request.details and finding.crossed is not None:
        content["confusion_matrix"] = pooled(_evaluated(finding)).confusion.tolist()
    print_json(content)


def _evaluated(finding: Finding) -> list[Any]:
    """Return how the tree of every fold did on the rows that were held out."""
    crossed, dataset = finding.crossed, finding.dataset
    assert crossed is not None
    folds = zip(crossed.trees, crossed.folds.rows(dataset), strict=True)
    held_out = ((fold.trees[0], dataset.take(test)) for fold, (_, test) in folds)
    return [evaluated(tree, test, tree.predict(test), test.classes) for tree, test in held_out]
