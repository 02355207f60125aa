"""What `evolve` and `explore` share: they read data, announce, search, validate and compare, and print it.

Importing this takes a while, which the help of the commands does not need.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from gatree.base.background import Interrupted
from gatree.base.errors import brief, counted
from gatree.base.progress import Progress
from gatree.cli.main import INTERRUPTED, stop_on_sigterm
from gatree.cli.options import read_to_learn, save_tree
from gatree.cli.output import print_json, print_labelled, print_notes, print_table
from gatree.cli.requests import EvolveRequest, LearningRequest
from gatree.cli.warm_up import compile_ahead
from gatree.data.attribute import Attribute
from gatree.data.catalog import dataset_names
from gatree.data.coding import Coding, NumericTests, code
from gatree.data.costs import read_costs
from gatree.data.dataset import Dataset
from gatree.data.files import STDIN
from gatree.data.load import format_of
from gatree.data.screen import LeftOut, screened
from gatree.explore import text
from gatree.explore.cross_validation import Baseline
from gatree.explore.finding import Finding, Request, compared, find, validated, with_firsts
from gatree.j48.evaluation import details, evaluated, pooled
from gatree.smalltree.settings import SearchSettings
from gatree.trees.numbers import grouped

_MOST_CLASSES = _MOST_NAMES = 6


def _say_what_is_predicted(dataset: Dataset, left_out: Sequence[LeftOut], is_guess: bool) -> None:
    """Print what is predicted from what, and what was left out."""
    name, target = brief(dataset.class_attribute.name), dataset.target
    known = dataset.classes >= 0 if target is None else ~np.isnan(target)
    what = _classes(dataset) if target is None else _numbers(target[known])
    n_columns, n_rows = dataset.n_attributes, int(np.count_nonzero(known))
    line = f"predicting {name} ({what}) from {counted(n_columns, 'column')} of {counted(n_rows, 'row')}"
    if left_out:
        line += f"; left out: {_grouped(left_out)}"
    click.echo(line, err=True)
    notes = []
    if is_guess:
        notes.append(f"{name} is a guess: the last column; --class NAME predicts another one")
    if n_without := len(known) - n_rows:
        rows = "1 row has" if n_without == 1 else f"{n_without} rows have"
        notes.append(f"{rows} no {name} and {'is' if n_without == 1 else 'are'} left out")
    if any(each.why != "on request" for each in left_out):
        notes.append("--keep NAME keeps a column")
    if notes:
        click.echo("; ".join(notes), err=True)


def _classes(dataset: Dataset) -> str:
    counts = dataset.class_counts.tolist()
    pairs = [
        (brief(value), count) for value, count in zip(dataset.class_values, counts, strict=True) if count
    ]
    if len(pairs) > _MOST_CLASSES:
        largest = sorted(pairs, key=lambda pair: -pair[1])[: _MOST_CLASSES - 1]
        listed = ", ".join(f"{value} {count}" for value, count in largest)
        return f"{len(pairs)} classes: {listed}, ..."
    return ", ".join(f"{value} {count}" for value, count in pairs)


def _numbers(target: NDArray[np.float64]) -> str:
    if len(target) == 0:
        return "numbers"
    return f"numbers from {grouped(target.min(), 6)} to {grouped(target.max(), 6)}"


def _grouped(left_out: Sequence[LeftOut]) -> str:
    """Return the names by the reason why they were left out."""
    by_reason: dict[str, list[str]] = {}
    for each in left_out:
        by_reason.setdefault(each.why, []).append(brief(each.name))
    return "; ".join(f"{_some(names)} ({why})" for why, names in by_reason.items())


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def read_and_announce(
    request: LearningRequest, keeps_known: bool = False
) -> tuple[Dataset, tuple[LeftOut, ...]]:
    """Read the data of a command, leave out identifiers, and print what is predicted from what.

    With ``keeps_known`` all columns of the paper's data sets are kept, as its experiments do.
    """
    dataset = read_to_learn(
        request.data, request.reading, request.class_name, request.regression, request.quiet
    )
    keep = request.keep
    if keeps_known and request.data in dataset_names():
        keep = tuple(each.name for each in dataset.attributes if each.name not in request.drop)
    dataset, left_out = screened(dataset, keep, request.drop)
    if not request.quiet:
        of_paper = request.data in dataset_names()
        names_no_class = request.data == STDIN or format_of(request.data) not in ("arff", None)
        is_guess = request.class_name is None and not of_paper and names_no_class
        _say_what_is_predicted(dataset, left_out, is_guess)
    return dataset, left_out


def warn_of_untested(attributes: Sequence[Attribute], coding: Coding, numeric_tests: NumericTests) -> None:
    """Name the numeric attributes that have no integer between their values, where integers are tested."""
    tests = zip(attributes, coding.n_tests, strict=True)
    untested = [brief(attribute.name) for attribute, n in tests if n == 0 and not attribute.is_nominal]
    if untested and numeric_tests == "integer":
        click.echo(
            f"warning: {', '.join(untested)}: no integer lies between the values, so they are never "
            "tested; --numeric-tests auto finds thresholds",
            err=True,
        )


def found_by(
    request: LearningRequest,
    settings: SearchSettings,
    class_weight: Any,
    progress: Progress,
    refuse: Callable[[str], None],
    **others: Any,
) -> tuple[Finding, bool]:
    """Read the data of a command and search trees of all sizes; return also whether Ctrl-C ended the proofs.

    ``refuse`` is called with the name of numbers to predict; ``others`` are those of `Request`.
    """
    stop_on_sigterm()
    started = time.perf_counter()
    dataset, left_out = read_and_announce(request)
    reading = ("reading", time.perf_counter() - started)
    if dataset.target is not None:
        refuse(dataset.class_attribute.name)
    elif settings.numeric_tests == "integer":
        warn_of_untested(dataset.attributes, code(dataset, "integer", settings.max_thresholds), "integer")
    costs = None if request.costs is None else read_costs(request.costs, dataset)
    wanted = Request(settings, class_weight, costs, request.folds, left_out, **others)
    compile_ahead(*_compiled_later(dataset, request.compare))
    try:
        finding, is_interrupted = find(dataset, wanted, dataset.target, progress), False
    except Interrupted as stop:
        finding, is_interrupted = stop.found, True
    return replace(finding, spent=(*finding.spent, reading)), is_interrupted


def _compiled_later(dataset: Dataset, compare: bool) -> list[str]:
    """Return the parts of the kernels that a command needs after the search."""
    if dataset.target is not None:
        return ["optimum-numbers"]
    is_nominal = all(attribute.is_nominal for attribute in dataset.attributes)
    return ["optimum", *(["j48-nominal" if is_nominal else "j48"] if compare else [])]


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
    request: EvolveRequest,
    finding: Finding,
    progress: Progress,
    watch: Any = None,
    is_interrupted: bool = False,
) -> None:
    """Save and print the tree, then its cross-validation, then the comparison; or everything as JSON.

    After an interruption there is only the tree.
    """
    save_tree(finding.tree, request.save, request.picture)
    tell_notes(finding, request, progress)
    is_text = not request.as_json
    if is_text:
        most = 10**9 if request.everything else text.MOST_LINES
        click.echo(text.tree_text(finding.tree, most) + "\n")
        print_labelled(text.answer_lines(finding))

    def on_validated(finding: Finding) -> None:
        if is_text and not (watch and watch.interrupted):
            print_labelled(text.validated_lines(finding))

    def on_baseline(baseline: Baseline) -> None:
        progress.clear()
        if is_text:
            print_labelled([text.baseline_line(baseline)])

    is_interrupted = is_interrupted or (watch is not None and watch.interrupted)
    if not is_interrupted:
        finding, is_interrupted = completed(finding, request.compare, progress, on_validated, on_baseline)
    if watch is not None and watch.interrupted:  # in a fold, of which too little is known
        finding, is_interrupted = replace(finding, crossed=None, baselines=None), True
    progress.clear()
    (_print_rest if is_text else _print_as_json)(request, finding, is_interrupted)
    if is_interrupted:
        without = "the best tree so far" if watch is not None else "the tree, without what was still to come"
        click.echo(f"interrupted: this is {without}", err=True)
        context.exit(INTERRUPTED)


def _print_rest(request: EvolveRequest, finding: Finding, _is_interrupted: bool) -> None:
    """Print the times, and details that were asked for."""
    print_labelled([("time", text.time_text(finding.spent))])
    if request.details and finding.crossed is not None:
        click.echo("\n" + "\n".join(details(_evaluated(finding), finding.dataset.class_values)))
    if request.per_size:
        click.echo(f"\nthe best tree found of each size, {finding.measure.name} on the training data")
        rows = finding.fields.get("per_size") or text.size_rows(finding)
        print_table([{name: row[name] for name in row if name != "tree"} for row in rows])


def _print_as_json(request: EvolveRequest, finding: Finding, is_interrupted: bool) -> None:
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
