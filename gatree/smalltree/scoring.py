"""Judge a front by the class probabilities of its trees: log loss, or area under the ROC curve.

Accuracy sees only the class of a leaf. Who ranks cases or weighs risks needs probabilities, and these keep
improving with sizes at which the accuracy has long stopped. So a size can be chosen by what they show on
held-out instances, with the probabilities that the tree will give: shrunk, on counts of its training rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.coding import CodedData
from gatree.smalltree.draft import Draft, Workspace, find_leaves
from gatree.smalltree.held_out import HeldOut, load_centred
from gatree.smalltree.prune import Archive
from gatree.smalltree.task import DistinctRows, Floats, Longs
from gatree.trees.genome import Tree
from gatree.trees.model import with_inner_nodes
from gatree.trees.scores import ranking, surprises
from gatree.trees.shrinkage import Shrinkage, probabilities_by_strength


class Errors(NamedTuple):
    """The sum of all samples' errors, and the sum of their squares."""

    total: float
    of_squares: float


def score_probabilities(
    workspace: Workspace, archive: Archive, held_out: HeldOut, front: int, rows: DistinctRows, scoring: str
) -> None:
    """Replace a front's errors on held-out instances by those of its trees' probabilities."""
    learned, unseen = workspace.task, held_out.task
    errors, squares = held_out.errors[front], held_out.squares[front]
    for place in range(len(archive.score)):
        if archive.best[place] != place:
            errors[:, place], squares[:, place] = errors[:, place - 1], squares[:, place - 1]
            continue
        n_nodes = load_centred(workspace, archive, held_out, place, -1)
        here = Draft(*(part[:n_nodes] for part in workspace.one))
        tree = Tree.known(*here)
        counts = with_inner_nodes(tree, counts_of(learned.cases, learned.counts, here))
        answers = counts_of(unseen.cases, unseen.counts, here)
        shrinkage = Shrinkage(class_weight=rows.class_weight, per_sample=rows.per_sample)
        by_strength = probabilities_by_strength(tree, counts, shrinkage, held_out.shrinkages)
        judge = _log_loss if scoring == "log_loss" else _unranked
        for row, found in enumerate(by_strength):
            errors[row, place], squares[row, place] = judge(found, answers, rows)


def counts_of(cases: CodedData, weight: Longs, draft: Draft) -> NDArray[np.int64]:
    """Return the class counts of every leaf; inner nodes have none."""
    leaves = np.empty(len(weight), dtype=np.int32)
    find_leaves(cases, draft, leaves)
    counts = np.zeros((len(draft.attribute), cases.n_classes), dtype=np.int64)
    np.add.at(counts, (leaves, cases.classes), weight)
    return counts


def _log_loss(found: Floats, answers: NDArray[np.int64], rows: DistinctRows) -> Errors:
    """Return the log loss, every sample weighted as its class."""
    weight = rows.mean_stake if rows.class_weight is None else np.array(rows.class_weight)
    lost = surprises(found) * weight
    return Errors(float((answers * lost).sum()), float((answers * lost**2).sum()))


def _unranked(found: Floats, answers: NDArray[np.int64], rows: DistinctRows) -> Errors:
    """Return the share of pairs that are ranked wrongly, as the error of every sample."""
    ranked, n, unit = ranking(found, answers), int(answers.sum()), rows.mean_stake
    if ranked is None:
        return Errors(0.0, 0.0)
    wrong = 1 - ranked.area
    return Errors(n * unit * wrong, n * unit**2 * (wrong**2 + n * ranked.variance))
