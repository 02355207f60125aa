"""Learn a tree of the size that the data support: search the fronts, choose the size, return the tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from gatree.base.background import Interrupted, interruptible
from gatree.base.progress import SILENT, Listener
from gatree.data.answer import Classes
from gatree.data.coding import check_attributes
from gatree.data.dataset import Dataset
from gatree.data.goal import Goal
from gatree.smalltree.choose import (
    FRONTS,
    Choice,
    Effort,
    SizeChoice,
    choose,
    choose_min_leaf,
    count_all,
    improve_up_to,
    search_all,
)
from gatree.smalltree.front import Front
from gatree.smalltree.prepare import Demands, Note, Prepared, Samples, known, prepare, sampled
from gatree.smalltree.proof import DEPTHS, END, is_solvable, prove, solve_ends
from gatree.smalltree.prune import Archive, copied, tree_at
from gatree.smalltree.search import Deadline
from gatree.smalltree.settings import SearchSettings
from gatree.smalltree.task import CORRECT_UNIT, DistinctRows, Floats
from gatree.trees.genome import LEAF, Tree, leaves
from gatree.trees.model import DecisionTree
from gatree.trees.numbers import NodeSamples, Reduced, shrunken, without_noise
from gatree.trees.shrinkage import FREQUENCIES, Shrinkage

_ENDS = 0.5  # the work for the last levels of trees of a given size and depth, as a share of all
_PROOFS = 0.2  # the work for proofs, as a share of the maximum work of all searches
_MANY = 1_000  # above this number of instances, all of one class, there is no search


@dataclass(frozen=True)
class FrontFit:
    """The result of a fit.

    The tree of the chosen size, both fronts, what was left out of the search, the shrinkage, for numbers the
    chosen minimum leaf, and why the size was chosen.
    """

    tree: DecisionTree
    fronts: dict[str, Front]
    notes: tuple[str, ...] = ()
    shrinkage: float = 0.0
    min_leaf: int = 1
    size_choice: SizeChoice | None = None

    @property
    def n_leaves(self) -> int:
        return self.tree.n_leaves


def fit_front(
    dataset: Dataset,
    settings: SearchSettings,
    goal: Goal | None = None,
    *,
    demands: Demands | None = None,
    listener: Listener = SILENT,
) -> FrontFit:
    """Search the fronts of a data set and choose a tree.

    Parameters
    ----------
    dataset : Dataset
        Instances without a class or number are left out. The order of instances and classes does not matter.
        The order of a nominal attribute's values matters if they are declared, but not if they are text.
    settings : SearchSettings
        For numbers usually `RegressionSettings`.
    goal : Goal, optional
        What every instance is worth; by default each counts once, and all classes are worth the same.
    demands : Demands, optional
        Directions and initial trees. The cross-validation that chooses the size starts without these
        trees, which may have been trained on instances that it holds out.
    listener : Listener
        Notified after every search.

    Raises
    ------
    Interrupted
        If Ctrl-C ends the proofs, with the fit without them in ``found``.
    """
    demands = demands or Demands()
    given, goal = known(dataset, goal or Goal.of(dataset))
    are_classes = isinstance(given.answer, Classes)
    if are_classes:
        check_attributes(given)
        is_single = goal.gains is None and given.n_instances > _MANY
        if is_single and given.classes.min() == given.classes.max():
            return _only_class(given, settings, goal)
    prepared: Prepared = interruptible(lambda: prepare(given, settings, goal, demands))
    found = search_prepared(prepared, settings, listener, demands.initial)
    choice = found.choice
    errors = (None, None) if choice.errors is None else choice.errors
    shrinkage = _of_classes(choice.shrinkage, goal) if are_classes else FREQUENCIES
    fronts = {
        name: replace(front_of(prepared, archive, choice.shrinkage, validated), shrinkage=shrinkage)
        for name, archive, validated in zip(FRONTS, found.archives, errors, strict=True)
    }
    # The size was chosen without proofs, so a larger tree that a proof found is not the chosen one.
    tree = fronts["evolved"].tree(found.n_leaves)
    if are_classes:
        tree = _counted(tree, given, goal).simplified()
    size_choice = found.size_choice and found.size_choice.simplified(found.n_leaves, tree.n_leaves)
    fit = FrontFit(tree, fronts, found.notes, choice.shrinkage, found.min_leaf, size_choice)
    if found.is_interrupted:
        raise Interrupted(fit)
    return fit


def _of_classes(strength: float, goal: Goal) -> Shrinkage:
    """Return how class counts become probabilities, which the weights of the classes weigh."""
    weights = goal.class_weights.tolist()
    class_weight = tuple(weights) if min(weights) < max(weights) else None
    return Shrinkage(strength, class_weight, goal.sample_weights.per_sample)


def _counted(tree: DecisionTree, dataset: Dataset, goal: Goal) -> DecisionTree:
    """Return a tree with the class counts of weighted instances."""
    return tree.with_counts(goal.sample_weights.repeated(dataset))


def _only_class(dataset: Dataset, settings: SearchSettings, goal: Goal) -> FrontFit:
    """Return the result of a search on instances of one class: a single leaf."""
    shrinkage = _of_classes(settings.shrinkages[0], goal)
    front = Front(
        leaves=np.ones(1, dtype=np.int64),
        worth=np.ones(1),
        validated=np.ones(1) if settings.size == "auto" else None,
        genomes=((Tree.nested(int(dataset.classes[0])), np.full(1, np.inf)),),
        attributes=dataset.attributes,
        class_attribute=dataset.class_attribute,
        shrinkage=shrinkage,
        proven=np.ones(1, dtype=np.bool_),
    )
    return FrontFit(
        _counted(front.tree(1), dataset, goal), dict.fromkeys(FRONTS, front), shrinkage=shrinkage.strength
    )


class FoundFronts(NamedTuple):
    """The fronts of all rows, what was chosen, and what was left out."""

    archives: tuple[Archive, Archive]
    choice: Choice
    size_choice: SizeChoice | None
    n_leaves: int
    min_leaf: int
    notes: Note
    is_interrupted: bool  # in the proofs, which are then left out


def search_prepared(
    prepared: Prepared,
    settings: SearchSettings,
    listener: Listener = SILENT,
    initial: Sequence[DecisionTree] = (),
) -> FoundFronts:
    """Return the fronts of all rows, the small trees proven, and the chosen size."""
    few, samples, note = sampled(prepared.rows, prepared.samples, settings.seed)
    uses_gaps = settings.numeric_tests != "integer"
    limited = replace(settings, max_leaves=_most_leaves(settings, few, samples, 1))
    min_leaf = choose_min_leaf(few, samples, limited, prepared.goal.sample_weights.per_sample)
    limits = prepared.rows.limits._replace(min_leaf=prepared.goal.sample_weights.of_samples(min_leaf))
    few = replace(few, limits=limits)
    limited = replace(settings, max_leaves=_most_leaves(settings, few, samples, limits.min_leaf))
    solves_ends = not note and _solves_ends(limited, few)
    if solves_ends:
        limited = replace(limited, work=(1 - _ENDS) * limited.work)
    effort = Effort.of(limited, len(samples.row))

    drafts, deadline = prepared.drafts(initial), Deadline(settings.max_seconds)
    searched, evaluations = search_all(few, samples, limited, effort, drafts, listener, deadline)
    choice = choose(few, samples, limited, evaluations)
    interruptible(partial(improve_up_to, few, searched, choice.place, limited, deadline))
    greedy, evolved = searched.archives
    if note:
        every = replace(prepared.rows, limits=limits)
        for archive in searched.archives:
            interruptible(partial(count_all, every, archive, choice.place, uses_gaps))
    chosen = int(evolved.n_leaves[evolved.best[choice.place]])
    size_choice = SizeChoice.of(choice, evolved)

    def solved() -> Archive:  # a copy, because after Ctrl-C a kernel may still write to it
        improved = copied(evolved)
        if solves_ends:
            solve_ends(few, improved, uses_gaps, int(_ENDS * settings.effort * settings.work))
        if not note:
            prove(few, improved, uses_gaps, int(_PROOFS * settings.effort * settings.work))
        return improved

    is_interrupted, is_over = False, deadline.is_over
    try:
        evolved = evolved if is_over else interruptible(solved, deadline.left)
    except KeyboardInterrupt:
        is_interrupted = True
    except TimeoutError:
        is_over = True
    if is_over:
        note += (f"the search ended after {settings.max_seconds:g} s with the best trees so far",)
    n_leaves = chosen if settings.size == "auto" else limited.max_leaves
    notes = prepared.notes + note
    return FoundFronts((greedy, evolved), choice, size_choice, n_leaves, min_leaf, notes, is_interrupted)


def _solves_ends(settings: SearchSettings, rows: DistinctRows) -> bool:
    """Return whether the trees sought are those of a depth, as many leaves as it allows, for the solver."""
    depth = settings.max_depth or 0
    is_full = settings.size != "auto" and depth in DEPTHS and settings.max_leaves == 1 << depth
    return is_full and is_solvable(rows, END.tests)


def _most_leaves(settings: SearchSettings, rows: DistinctRows, samples: Samples, min_leaf: int) -> int:
    """Return the maximum number of leaves; half the samples if the size is chosen from the data."""
    if not np.any(rows.cases.n_tests > 0):
        return 1
    wanted = len(samples.row) // 2 if settings.size == "auto" else settings.size
    room_for = int(rows.weight.sum()) // max(1, min_leaf)
    of_depth = 1 << min(rows.limits.max_depth, settings.max_leaves.bit_length())
    return max(1, min(wanted, room_for, of_depth, settings.max_leaves))


def front_of(prepared: Prepared, archive: Archive, shrinkage: float, errors: Floats | None = None) -> Front:
    """Return the trees of an archive with thresholds, without sizes that improve on no smaller one.

    ``errors`` are those of every size in a cross-validation.
    """
    kept = np.unique(archive.best)
    worth = archive.score[kept] // CORRECT_UNIT / prepared.rows.total_stake
    validated = None if errors is None else 1 - errors[kept]
    numbers = None
    if prepared.numbers is not None:
        target = _Target(prepared, prepared.numbers)
        trees = (_coded(prepared, archive, place)[0] for place in kept.tolist())
        numbers, explained = zip(*(target.numbers(tree, shrinkage) for tree in trees), strict=True)
        worth = 1 - np.array(explained) / (explained[0] or 1.0)
        validated = None if errors is None else 1 - errors[kept] / (errors[0] or 1.0)
    return Front(
        leaves=archive.n_leaves[kept],
        worth=worth,
        validated=validated,
        proven=archive.proven[kept] == 1,
        genomes=tuple(_genome(prepared, archive, place) for place in kept.tolist()),
        attributes=prepared.given.attributes,
        class_attribute=prepared.given.answer.attribute,
        numbers=numbers,
    )


def _coded(prepared: Prepared, archive: Archive, place: int) -> tuple[Tree, Floats]:
    """Return a tree of the attributes of the data, and the threshold of every node."""
    tree, begin = tree_at(archive, place), int(archive.first[place])
    thresholds = archive.middle[begin : begin + tree.n_nodes].copy()
    is_test = tree.attribute != LEAF
    tree.attribute[is_test] = prepared.rows.order[tree.attribute[is_test]]
    for node in np.flatnonzero(np.isinf(thresholds) & is_test).tolist():
        candidates = prepared.coding.thresholds[tree.attribute[node]]
        if len(candidates):
            thresholds[node] = candidates[tree.value[node]]
    return tree, thresholds


def _genome(prepared: Prepared, archive: Archive, place: int) -> tuple[Tree, Floats]:
    """Return a tree and the threshold of every node: the middle of its gap, or the candidate's."""
    tree, thresholds = _coded(prepared, archive, place)
    names, is_test = prepared.names, tree.attribute != LEAF
    for node in range(tree.n_nodes):
        order = names.values[tree.attribute[node]] if is_test[node] else names.classes
        if len(order):  # numeric attributes have none
            tree.value[node] = order[tree.value[node]]
    return tree, thresholds


class _Target:
    """The numbers to predict, as often as they count, reduced so that sums and squares are accurate."""

    def __init__(self, prepared: Prepared, numbers: Floats) -> None:
        in_order = np.argsort(prepared.row_of, kind="stable")  # sums do not depend on the order of instances
        counts = prepared.goal.sample_weights.counts
        self._prepared, self._repeated = prepared, np.repeat(in_order, counts[in_order])
        self._reduced = Reduced.of(numbers)
        self._target = self._reduced.numbers[self._repeated]

    def numbers(self, tree: Tree, shrinkage: float) -> tuple[Floats, float]:
        """Return the prediction of every node of a tree, and the error of all leaves without shrinkage."""
        reached = leaves(tree, self._prepared.codes, self._prepared.coding.is_numeric)[self._repeated]
        samples = NodeSamples.of(tree, reached, self._target)
        means = samples.means()
        error = samples.errors(means, np.flatnonzero(tree.attribute == LEAF)).sum()
        numbers = self._reduced.restored(without_noise(means))
        return shrunken(tree, reached, numbers, shrinkage), float(error)
