"""The best tree that an experiment has found on each data set, read back from the journal.

A journal stores a tree as numbers that have a meaning only together with the data. The data are loaded by
name, or from the location in the plan. A tree is shown only if it classifies as many instances correctly as
was recorded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import get_args

import msgspec
import numpy as np
import pandas as pd
from markupsafe import Markup
from matplotlib.figure import Figure

from gatree.base.errors import DataError, GatreeError, counted
from gatree.base.progress import SILENT, Listener
from gatree.data.catalog import dataset_names, load_dataset
from gatree.data.coding import NumericTests, code
from gatree.data.dataset import Dataset
from gatree.experiments.frame import evolutions
from gatree.experiments.grid import Split
from gatree.experiments.journal import find_records
from gatree.experiments.record import Done, FoldOutcome, FoldRecord, Record, SavingsOutcome, SavingsRecord
from gatree.experiments.sources import DataSource, recorded_sources
from gatree.rendering.figures import inline_svg
from gatree.study.finding import of_one_tree
from gatree.study.page import page
from gatree.trees.genome import Tree
from gatree.trees.model import DecisionTree
from gatree.trees.picture import draw_tree


@dataclass(frozen=True)
class BestTree:
    """The best tree on a data set, or why it cannot be shown."""

    dataset: str
    record: SavingsRecord | FoldRecord
    tree: DecisionTree | None
    data: Dataset | None = None
    why_not: str = ""
    svg: Markup | None = None
    file: str = ""  # in the folder of the pages on which to explore trees
    explored: str = ""  # that page, if its data are here

    @property
    def accuracy(self) -> float:
        outcome = self.record.outcome
        return outcome.train_correct / float(outcome.total_weight or outcome.n_train)

    @property
    def is_weighted(self) -> bool:
        return self.record.outcome.total_weight is not None


_X_FACTOR = 1e4  # to compare trees that were evolved with different ones


def best_keys(frame: pd.DataFrame) -> dict[str, str]:
    """Return the key of each data set's best tree, of those evolved on all instances, or else on a fold.

    The best one has the highest payoff (Eq. 1) with an x-factor of 10^4, whatever it was evolved with; of
    equals, the first.
    """
    ours = evolutions(frame)
    payoff = ours["train_accuracy"] ** 2 * _X_FACTOR / (ours["n_nodes"] ** 2 + _X_FACTOR)  # Eq. 1
    ranked = ours.assign(rank=payoff + 2.0 * (ours["kind"] == "savings")).reset_index(drop=True)
    first = ranked.loc[ranked.groupby("dataset")["rank"].idxmax()]
    best = dict(zip(first["dataset"].to_list(), first["key"].to_list(), strict=True))
    order = [name for name in dataset_names() if name in best]
    return {name: best[name] for name in [*order, *sorted(best.keys() - set(order))]}


def best_trees(
    records: Mapping[str, Done], sources: Mapping[str, DataSource] = MappingProxyType({})
) -> list[BestTree]:
    """Return the trees of some records, by data set. Data that do not come with gatree are in ``sources``."""
    return [
        _read_back(name, record, sources)
        for name, record in records.items()
        if isinstance(record, SavingsRecord | FoldRecord)
    ]


def _read_back(name: str, record: SavingsRecord | FoldRecord, sources: Mapping[str, DataSource]) -> BestTree:
    try:
        data = _training_data(_loaded(name, record, sources), record)
    except GatreeError as error:
        return BestTree(name, record, None, why_not=str(error))
    tree = _matching_tree(data, record.outcome)
    why_not = "" if tree else "The data have changed since the tree was evolved."
    return BestTree(name, record, tree, data, why_not)


def _loaded(name: str, record: Record, sources: Mapping[str, DataSource]) -> Dataset:
    checksum = record.data.checksum
    if name in sources:
        data = sources[name].load()
    elif name in dataset_names():
        data = load_dataset(name)
    else:
        raise DataError("Its data are not among those that come with gatree, nor where they were.")
    if checksum not in (None, data.checksum):
        raise DataError("The data have changed since the tree was evolved.")
    return data


def _training_data(data: Dataset, record: SavingsRecord | FoldRecord) -> Dataset:
    """Return what a tree was evolved on: all instances, or the training part of its fold."""
    if isinstance(record, SavingsRecord):
        return data
    try:
        split = msgspec.convert(record.settings, Split)
        return data.take(split.rows(data)[record.cell.fold or 0][0])
    except (msgspec.ValidationError, IndexError, TypeError, ValueError, OverflowError):
        raise DataError("How the data were split into folds is not known.") from None


def _matching_tree(dataset: Dataset, outcome: SavingsOutcome | FoldOutcome) -> DecisionTree | None:
    """Return the recorded tree, with the thresholds that give the recorded number of correct instances."""
    for numeric_tests in get_args(NumericTests):
        try:
            genome = Tree.from_preorder(outcome.best.attribute, outcome.best.value)
            model = DecisionTree.of(genome, code(dataset, numeric_tests), dataset)
        except DataError:  # no tree at all, or one of other tests and classes
            continue
        if _n_correct(model, dataset, outcome.class_weight) == outcome.train_correct:
            return model
    return None


def _n_correct(model: DecisionTree, dataset: Dataset, class_weight: Sequence[int] | None) -> int:
    """Count the correct instances as the evolution did: by the weights of their classes, if there are any."""
    right = dataset.classes[model.predict(dataset) == dataset.classes]
    if class_weight is None:
        return len(right)
    counts = np.bincount(right, minlength=dataset.n_classes)
    return sum(count * weight for count, weight in zip(counts.tolist(), class_weight, strict=False))


def page_trees(best: Mapping[str, str], journal: Path, listener: Listener = SILENT) -> list[BestTree]:
    """Return the best trees by their keys, which are looked up in the journal, with what a page shows."""
    records = find_records(journal, set(best.values())) if best else {}
    by_dataset = {name: records[key] for name, key in best.items() if key in records}
    found = best_trees(by_dataset, recorded_sources(journal.parent))
    drawn = []
    for index, tree in enumerate(found):
        listener.progress("the best trees", index, len(found))
        drawn.append(_drawn(index, tree))
    return drawn


def _drawn(index: int, best: BestTree) -> BestTree:
    """Return a tree with what a page shows; its file has letters that are safe in a path, and a hash."""
    tree, data = best.tree, best.data
    if tree is None or data is None:
        return best
    label = f"The best tree on {best.dataset}: {counted(tree.n_nodes, 'node')}. The same as text follows."

    def draw() -> Figure:
        figure = draw_tree(tree).get_figure(root=True)
        assert figure is not None
        return figure

    svg = inline_svg(draw, f"tree-{index}", label)
    safe = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in best.dataset)
    file = f"{safe[:40]}-{sha256(best.record.key.encode()).hexdigest()[:8]}.html"
    return replace(best, svg=svg, file=file, explored=page(of_one_tree(tree, data)))
