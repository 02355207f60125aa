"""`GATreeClassifier`: the genetic algorithm as a scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.base.progress import Progress
from gatree.data.dataset import Dataset
from gatree.data.goal import class_weights
from gatree.estimator.base import Floats, TreeClassifier
from gatree.estimator.inputs import Copies
from gatree.estimator.parameters import (
    MEASURES,
    constrained,
    demands,
    front_settings,
    initial_trees,
    least_samples,
)
from gatree.estimator.single_evolution import EvolvedTree, continued, history_frame, run_watched
from gatree.evolution.evolve import Evolution
from gatree.evolution.payoff import PayoffFunction
from gatree.evolution.problem import Problem
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.presets import Preset
from gatree.smalltree.fit import FrontFit, fit_front
from gatree.smalltree.prepare import Weights
from gatree.smalltree.settings import FRONT_PRESETS, SearchSettings
from gatree.trees.probabilities import class_shares
from gatree.trees.recode import recoded


class GATreeClassifier(EvolvedTree, TreeClassifier):
    """A decision tree found by evolution, of the size that the data support.

    By default, evolution starts from greedy trees and finds the best tree of every size; cross-validation on
    the training data chooses the size. With ``size="penalty"``, ``preset="paper"`` or any setting of the
    genetic algorithm, a single evolution finds the tree as in the paper, by a payoff that trades accuracy for
    size (Eq. 1). Settings that are None take the preset's value.

    Parameters
    ----------
    preset : {"default", "fast", "paper"}
        The base of all settings: measured to give good trees, the same with less work, or the paper's.
    population_size, n_generations : int
        Trees in the population, and generations after the first.
    mutation_rate, crossover_rate : float
        The probability that a child is mutated, and that two parents are crossed.
    x_factor : float or str
        x of Eq. 1: a larger x allows larger trees. ``"1e5..1e4"`` moves from the first value to the second
        over the generations.
    size : {"auto", "penalty", "nodes", "leaves"} or int
        ``"auto"``: chosen from the data. An int: the best tree of at most ``size`` leaves. ``"penalty"``: by
        Eq. 1, in nodes, as with ``"nodes"``; ``"leaves"``: by Eq. 1, in leaves. None is ``"auto"``, unless a
        setting of the genetic algorithm is given: all from ``population_size`` to ``leaf_class``, ``payoff``,
        ``evaluator``, ``patience``, ``max_seconds``, ``callback`` and ``warm_start``.
    size_rule : {"min", "1-se"} or float, optional
        With ``size="auto"``: the size with the best cross-validation, or the smallest size within one
        standard error of it, or within the given number of standard errors. By default the smallest size
        within half a standard error and 0.7 points.
    first : str or int, optional
        The feature that the root tests, by name or position; it needs a size that is chosen or given.
    effort : float
        A factor of the work of the search for the best tree of every size: the more, the closer to the
        optimum.
    selection : {"tournament", "roulette", "scaled-roulette"}
        How parents are chosen.
    tournament_size : int
        Trees that compete to become a parent.
    generation_gap : float
        Offspring per generation, as a share of the population.
    replacement : {"best", "worst"}
        The best of parents and offspring survive, or the offspring replace the worst trees.
    prune_share, shift_share : float
        Shares of an inner node's mutations that prune it and that move its threshold or value to a
        neighbour; the rest give it a new test.
    grow_share : float
        Share of a leaf's mutations that grow it into a test; the rest change its class.
    leaf_class : {"majority", "random"}
        A leaf's class: that of most of its samples, or random, as in the paper.
    min_samples_leaf : int or float
        The minimum number of samples in a leaf, or their share; other trees are not selected.
    min_samples_split : int or float, optional
        The minimum number of samples at a test, or their share. It needs a size that is chosen or given.
    max_depth : int, optional
        The maximum number of tests on a path; deeper children are rejected.
    max_leaf_nodes : int, optional
        The maximum number of leaves. Without ``size``, the best tree within this limit is found; with
        ``size="auto"``, the choice has this limit; in the genetic algorithm, larger children are rejected.
    max_nodes : int
        The same in nodes: a tree of L leaves has 2 L - 1.
    numeric_tests : {"auto", "observed", "integer"}
        Thresholds: ``"observed"``: between observed values. ``"integer"``: every integer, as in the paper.
        ``"auto"``: every integer for features of at most 20 neighbouring integers, else between observed
        values.
    max_thresholds : int, optional
        The maximum number of thresholds of a feature; a thinned choice is even over the samples.
    class_weight : dict or "balanced", optional
        The weight of a correct sample of each class. Integers are exact, fractions are rounded to about a
        millionth.
    cost_matrix : array of shape (n_classes, n_classes), optional
        The cost of predicting a class (column) for a sample of a class (row), in the order of ``classes_``.
        Leaves then predict the cheapest class, and trees are selected by the costs that they save.
    monotonic_cst : array of shape (n_features,) or dict, optional
        For two classes: 1 if the second class may only become more likely as a numeric feature grows, -1 if
        only less likely, 0 for no constraint; or a dict of these by feature name. Other trees get no payoff.
    initial_trees : sequence, optional
        Trees to start with: fitted classifiers of gatree or scikit-learn's DecisionTreeClassifier, or
        their trees. Their best prunings compete at all sizes; the cross-validation that chooses the size
        starts without them. In the genetic algorithm all other trees of the first population are random.
        With ``warm_start``, a further `fit` has no first population and ignores them.
    payoff : callable, optional
        The criterion for the selection of trees, instead of Eq. 1: a function of ``(n_correct, n_instances,
        n_nodes, n_leaves, x)``, called once per generation with arrays of an entry per tree; higher is
        better. It needs the genetic algorithm: without ``size="penalty"`` there is a warning.
    evaluator : {"bitset", "new", "new-all-nodes", "old"}
        How fitness is computed; all give the same tree.
    n_jobs : int, optional
        Threads, -1 for one per core: for the searches of the cross-validation, or for the evaluation in a
        single evolution. The tree is the same for any number.
    patience : int, optional
        Stop after this number of generations without a better payoff; useful with a constant ``x_factor``.
        Like ``max_seconds``, this selects the genetic algorithm: the size is then not chosen from the data.
    max_seconds : float, optional
        Stop after this number of seconds. For a search for the best tree of every size, use ``effort``.
    callback : callable, optional
        Called after every generation with the `Evolution`; a true result stops it.
    warm_start : bool
        Whether `fit` continues with the last population, up to ``n_generations``, on the same data and with
        the same settings. An ``x_factor`` that has moved to its last value stays there.
    laplace : bool
        Whether `predict_proba` counts one more sample of every class at every leaf, as J48's option does.
    verbose : int
        1 prints the progress of the search; of one evolution a line for every tenth of the generations,
        2 a line for every generation.
    random_state : int, RandomState or None
        The seed; the same seed gives the same tree with every evaluator.

    Attributes
    ----------
    tree_ : DecisionTree
        The best tree found, with ``to_text``, ``to_json``, ``to_dot``; `gatree.plot_tree` draws it.
    classes_, n_classes_, n_features_in_, feature_names_in_
        As in all classifiers of scikit-learn.
    feature_importances_ : ndarray
        The share of each feature in the decrease of the Gini impurity.
    fronts_ : dict of Front
        The best trees of every size, ``"greedy"`` and ``"evolved"``, if the size was chosen or given;
        `gatree.plot_fronts` draws them, and ``fronts_["evolved"].tree(8)`` is the best tree of at most 8
        leaves.
    history_ : DataFrame
        A row per generation, after a single evolution.
    n_generations_ : int
        The number of generations, after a single evolution.
    settings_ : SearchSettings or EvolutionSettings
        All settings that were used.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> GATreeClassifier("fast", random_state=0).fit(X, y).get_n_leaves()
    4
    """

    settings_: EvolutionSettings | SearchSettings

    def __init__(
        self,
        preset: Preset = "default",
        *,
        population_size: int | None = None,
        n_generations: int | None = None,
        mutation_rate: float | None = None,
        crossover_rate: float | None = None,
        x_factor: float | str | None = None,
        size: str | int | None = None,
        size_rule: str | float | None = None,
        first: str | int | None = None,
        effort: float = 1.0,
        selection: str | None = None,
        tournament_size: int | None = None,
        generation_gap: float | None = None,
        replacement: str | None = None,
        prune_share: float | None = None,
        shift_share: float | None = None,
        grow_share: float | None = None,
        leaf_class: str | None = None,
        min_samples_leaf: float | None = None,
        min_samples_split: float | None = None,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        max_nodes: int | None = None,
        numeric_tests: str | None = None,
        max_thresholds: int | None = None,
        class_weight: Mapping[Any, float] | str | None = None,
        cost_matrix: Any = None,
        monotonic_cst: Any = None,
        initial_trees: Sequence[Any] | None = None,
        payoff: PayoffFunction | None = None,
        evaluator: str | None = None,
        n_jobs: int | None = None,
        patience: int | None = None,
        max_seconds: float | None = None,
        callback: Callable[[Evolution], bool | None] | None = None,
        warm_start: bool = False,
        laplace: bool = False,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self._store(locals())

    _traded_sizes = MEASURES

    def _fit_front(self, dataset: Dataset, settings: EvolutionSettings, copies: Copies) -> None:
        preset = FRONT_PRESETS[self.preset]
        limit = self.max_leaf_nodes if self.size is None else None
        chosen: SearchSettings = replace(
            front_settings(self, preset if limit is None else replace(preset, size=limit), settings, dataset),
            min_leaves=(max(1, settings.min_leaf),),
            min_split=least_samples(self, "min_samples_split", 2) or 2,
            numeric_tests=settings.numeric_tests,
            max_thresholds=self.max_thresholds,
        )
        self._class_weight = class_weights(copies.repeated(dataset), settings.class_weight)
        with Progress("search", quiet=not self.verbose, always=True) as show:
            found = fit_front(
                dataset,
                chosen,
                worth=self._class_weight,
                on_search=lambda done, of: show("search", done, of),
                weights=Weights(copies.counts, copies.per_weight),
                demands=demands(self, dataset, settings),
            )
        self.settings_ = chosen
        self._evolution: Evolution | None = None
        self.fronts_, self.tree_ = found.fronts, found.tree

    def _fit_evolution(self, dataset: Dataset, settings: EvolutionSettings) -> None:
        evolution = continued(self, dataset, settings) if self.warm_start else None
        if evolution is None:
            problem = Problem.of(dataset, settings.numeric_tests, self.max_thresholds)
            self._max_thresholds = self.max_thresholds
            evolution = self._first(problem, settings)
        self._evolve(evolution, settings)

    def _first(self, problem: Problem, settings: EvolutionSettings) -> Evolution:
        """Return an evolution before its first generation."""
        problem = constrained(self, problem)
        initial = [recoded(tree, problem.coding, problem.dataset) for tree in initial_trees(self)]
        return Evolution(problem, settings, self.payoff, initial)

    def _evolve(self, evolution: Evolution, settings: EvolutionSettings) -> None:
        """Run an evolution and store its results."""
        self.settings_ = evolution.settings
        run_watched(evolution, self)
        outcome, problem = evolution.outcome(), evolution.problem
        self._class_weight = problem.scoring.class_weight
        self._evolution = evolution if self.warm_start else None
        self.n_generations_ = outcome.n_generations
        self.history_ = history_frame(outcome.history, outcome.total_weight, settings.population_size)
        self.tree_ = outcome.tree

    def _distribution(self, X: Any) -> Floats:
        reached = self.apply(X)  # raises if there is no tree yet
        more = self._rows_per_sample if self.laplace else 0
        return np.asarray(class_shares(self.tree_, self._class_weight, more)[reached])

    def _labels(self, X: Any) -> NDArray[np.integer]:
        reached = self.apply(X)
        return self.tree_.tree.value[reached]

    def _searched(self, dataset: Dataset) -> Any:
        from gatree.explore.search import found_in

        # The page's cross-validation cannot repeat a fit with these.
        own = (self.class_weight, self.cost_matrix, self.monotonic_cst)
        if not hasattr(self, "fronts_") or any(option is not None for option in own):
            return None
        return found_in(FrontFit(self.tree_, self.fronts_), dataset)
