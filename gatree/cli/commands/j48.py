"""`gatree j48`: WEKA's J48 on a data set, with the tree, its size and its accuracy."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from pathlib import Path
from typing import NamedTuple

import click

from gatree.base.errors import percent
from gatree.base.limits import MOST_FOLDS, MOST_INSTANCES
from gatree.base.progress import Progress
from gatree.cli.data_options import data_request, gathered
from gatree.cli.options import Given, picture_option, save_option, save_tree
from gatree.cli.output import print_json
from gatree.data.dataset import Dataset
from gatree.data.load import read
from gatree.data.source import ReadOptions
from gatree.j48 import Evaluation, J48Settings, J48Tree, cross_validate, evaluate, fit
from gatree.j48.classifier import aligned, split
from gatree.j48.evaluation import ClassMeasures, details
from gatree.j48.settings import Pruning
from gatree.j48.tree import decimals
from gatree.study.reading import DataRequest, read_dataset
from gatree.weka.folds import check_n_folds

_SETTING_OPTIONS = (
    click.option(
        "--reduced-error", is_flag=True, help="Prune by the errors on held-out instances (WEKA's -R)."
    ),
    click.option("--unpruned", is_flag=True, help="Do not prune (WEKA's -U)."),
    click.option(
        "--binary/--multiway",
        "binary_splits",
        default=True,
        show_default=True,
        help="Test a nominal attribute for one value (WEKA's -B), as in the paper's tables, or give every "
        "value a branch, which is WEKA's own default.",
    ),
    click.option(
        "--confidence",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.25,
        show_default=True,
        help="Smaller prunes more (-C).",
    ),
    click.option(
        "--min-instances",
        type=click.IntRange(1, MOST_INSTANCES),
        default=2,
        show_default=True,
        help="Instances that two branches of a test need (-M).",
    ),
    click.option("--no-raising", is_flag=True, help="Never replace a node by its largest branch (-S)."),
    click.option(
        "--prune-folds",
        type=click.IntRange(2, MOST_FOLDS),
        default=3,
        show_default=True,
        help="Folds of reduced-error pruning, of which one is held out (-N).",
    ),
    click.option(
        "--prune-seed",
        type=click.IntRange(-(2**31), 2**31 - 1),
        default=1,
        show_default=True,
        help="Seed of reduced-error pruning (-Q).",
    ),
    click.option("--laplace", is_flag=True, help="Smooth the class probabilities (-A)."),
)


def _settings(given: Given) -> J48Settings:
    if given["reduced_error"] and given["unpruned"]:
        raise click.UsageError("--reduced-error and --unpruned exclude each other; give one of them")
    pruning: Pruning = "none" if given["unpruned"] else "confidence"
    return J48Settings(
        pruning="reduced-error" if given["reduced_error"] else pruning,
        binary_splits=given["binary_splits"],
        min_instances=given["min_instances"],
        confidence=given["confidence"],
        subtree_raising=not given["no_raising"],
        prune_folds=given["prune_folds"],
        prune_seed=given["prune_seed"],
        laplace=given["laplace"],
    )


_TRIAL_OPTIONS = (
    click.option(
        "--folds",
        type=click.IntRange(2, MOST_FOLDS),
        default=10,
        show_default=True,
        help="Folds of the cross-validation (-x).",
    ),
    click.option(
        "--test", metavar="FILE", help="Test the tree on this data instead of by cross-validation (-T)."
    ),
    click.option(
        "--split",
        "split_percent",
        type=click.FloatRange(0, 100, min_open=True, max_open=True),
        metavar="PERCENT",
        help="Build a second tree on this share of the data and test it on the rest, instead of a "
        "cross-validation (-split-percentage).",
    ),
    click.option(
        "--seed",
        default=1,
        show_default=True,
        help="Seed that shuffles the folds, or the data to split (-s).",
    ),
)


class _Trial(NamedTuple):
    """How a tree is tried: on other data, on a part of the data, or else by cross-validation."""

    folds: int
    test: str | None
    split_percent: float | None
    seed: int

    @property
    def name(self) -> str:
        """What the figures are of, as in their names in JSON."""
        return "test" if self.test is not None else "cv" if self.split_percent is None else "split"

    def evaluation(
        self, tree: J48Tree, settings: J48Settings, dataset: Dataset, reading: ReadOptions
    ) -> Evaluation:
        """Return how the tree, or others that are built for it, classify data that they were not built on."""
        if self.test is not None:
            return evaluate(tree, aligned(tree, _test_data(self.test, reading, dataset)))
        if self.split_percent is not None:
            train, rest = split(dataset, self.split_percent, self.seed)
            return evaluate(fit(train, settings), rest)
        check_n_folds(self.folds, dataset.n_instances, "--folds")
        return cross_validate(dataset, settings, self.folds, self.seed)


def _trial(given: Given) -> _Trial:
    trial = _Trial(given["folds"], given["test"], given["split_percent"], given["seed"])
    if trial.test is not None and trial.split_percent is not None:
        raise click.UsageError("--test and --split exclude each other; give one of them")
    return trial


@click.command()
@gathered("settings", _settings, *_SETTING_OPTIONS)
@data_request
@gathered("trial", _trial, *_TRIAL_OPTIONS)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print JSON. Correct counts refer to the rows with a known class, n_instances.",
)
@save_option
@picture_option
def j48(
    settings: J48Settings,
    request: DataRequest,
    trial: _Trial,
    as_json: bool,
    save: Path | None,
    picture: Path | None,
) -> None:
    """Build the tree that WEKA 3.6's J48 builds on DATA, and cross-validate it.

    DATA is the name of an included data set, or a file. Size counts all nodes of the tree
    on all the data. The table by class is WEKA's, of the cross-validation or the test; rows without a
    class are in none of the figures. The paper's column "J48" is the default with --folds 5; "J48 (p)" is
    that with --reduced-error. A saved tree predicts what J48 predicts, also where values are missing.
    Letters in parentheses are WEKA's options.

    \b
    Examples:
      gatree j48 vote
      gatree j48 vote --reduced-error --json
      gatree j48 my.arff --multiway --confidence 0.1 --class outcome
      gatree j48 vote --save tree.json --picture tree.svg
      gatree j48 train.csv --test test.csv
      gatree j48 vote --split 66
    """
    with Progress() as progress:
        dataset = read_dataset(replace(request, regression=False), progress)
        progress.progress(f"{dataset.name}: J48")
        tree = fit(dataset, settings)
        training = evaluate(tree, dataset)
        tried = trial.evaluation(tree, settings, dataset, request.reading)
    if save is not None or picture is not None:
        save_tree(tree.to_decision_tree(), save, picture)
    if as_json:
        run = {"data": dataset.name, "settings": asdict(settings), "folds": trial.folds, "seed": trial.seed}
        print_json(run | _as_dict(dataset, tree, training, tried, trial.name))
    else:
        how = {"test": "test data:       ", "split": "test split:      ", "cv": "cross-validation:"}[
            trial.name
        ]
        judged = f"{how}  {_share(tried)}" + (f", {trial.folds} folds" if trial.name == "cv" else "")
        click.echo(_as_text(dataset, tree, training, tried, judged))


def _test_data(test: str, reading: ReadOptions, dataset: Dataset) -> Dataset:
    """Return other data, whose columns are read as those of the training data were."""
    like = (*dataset.attributes, dataset.class_attribute)
    return read(test, replace(reading, like=like)).dataset(dataset.class_attribute.name)


def _as_dict(
    dataset: Dataset, tree: J48Tree, training: Evaluation, crossed: Evaluation, tested: str
) -> dict[str, object]:
    figures = {
        "n_instances": training.n_instances,
        "n_without_class": dataset.n_instances - training.n_instances,
        "size": tree.size,
        "leaves": tree.n_leaves,
        "train_correct": training.n_correct,
        **({} if tested == "cv" else {"cv_instances": crossed.n_instances}),
        "cv_correct": crossed.n_correct,
        "cv_unclassified": crossed.n_unclassified,
        "classes": dataset.class_values,
        "cv_confusion": crossed.confusion.tolist(),
        "cv_kappa": _number(crossed.kappa),
        "cv_by_class": [_measures(measures) for measures in crossed.by_class()],
        "cv_weighted": _measures(crossed.weighted()),
        "tree": tree.to_text(),
    }
    return {name.replace("cv_", f"{tested}_"): figure for name, figure in figures.items()}


def _measures(measures: ClassMeasures) -> dict[str, float | None]:
    named = asdict(measures) | {"recall": measures.recall}
    return {name: _number(value) for name, value in named.items()}


def _number(value: float) -> float | None:
    """Return a number, None if it is not one: JSON has no NaN."""
    return None if math.isnan(value) else value


def _as_text(dataset: Dataset, tree: J48Tree, training: Evaluation, crossed: Evaluation, judged: str) -> str:
    return "\n".join(
        [
            tree.to_text(),
            "",
            f"leaves:            {tree.n_leaves}",
            f"size:              {tree.size}",
            f"training data:     {_share(training)}",
            judged,
            f"kappa:             {decimals(crossed.kappa, 4)}",
            "",
            *details([crossed], dataset.class_values),
        ]
    )


def _share(evaluation: Evaluation) -> str:
    share = f"{evaluation.n_correct} of {evaluation.n_instances} correct"
    if evaluation.n_instances:
        share += f" ({percent(evaluation.accuracy, digits=2)})"
    return share
