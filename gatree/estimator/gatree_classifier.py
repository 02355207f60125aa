"""`GATreeClassifier`: one evolution of the paper as a scikit-learn classifier."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Annotated, Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from pydantic import ConfigDict, Field

from gatree.base.errors import counted
from gatree.data.dataset import Dataset
from gatree.data.goal import SampleWeights
from gatree.estimator.base import Floats, TreeClassifier
from gatree.estimator.inputs import Matrix
from gatree.estimator.parameters import checked, with_parameters
from gatree.evolution.evolve import Evolution
from gatree.evolution.problem import Problem
from gatree.settings.evolution_settings import EvolutionSettings, PayoffName, PositiveFinite
from gatree.settings.presets import AT_THE_DOORS
from gatree.settings.registry import EQ_1


class _Parameters(EvolutionSettings):
    """The settings of an evolution, and how it is watched."""

    model_config = ConfigDict(strict=True)

    payoff: PayoffName | Callable[..., Any] = Field(  # type: ignore[assignment]
        EQ_1,
        description=f"{EvolutionSettings.model_fields['payoff'].description}; or a function of the "
        "`gatree.evolution.payoff.Candidates` of a generation, which returns a number per tree; higher is "
        "better",
    )
    callback: Callable[..., Any] | None = Field(
        None, description="called after every generation with the `Evolution`; a true result ends it"
    )
    patience: Annotated[int, Field(ge=1)] | None = Field(
        None, description="end after this number of generations without a better payoff"
    )
    max_seconds: PositiveFinite | None = Field(None, description="end after this number of seconds")
    verbose: Annotated[int, Field(ge=0, strict=False)] = Field(
        0, description="1 prints a line for every tenth of the generations, 2 for every generation"
    )


@with_parameters(_Parameters, EvolutionSettings.preset("paper", AT_THE_DOORS).model_dump(mode="json"))
class GATreeClassifier(TreeClassifier):
    """A decision tree that one evolution finds, as in Sections 2 and 3 of the paper.

    Its payoff trades accuracy for size (Eq. 1). The defaults are the paper's settings, with thresholds by the
    data. `SmallTreeClassifier` finds better trees, and chooses the size from the data.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    tree_ : DecisionTree
        The tree with the best payoff; `gatree.plot_tree` draws it.
    classes_, n_classes_, n_features_in_, feature_names_in_
        As in all classifiers of scikit-learn.
    feature_importances_ : ndarray
        The share of each feature in the decrease of the Gini impurity.
    history_ : DataFrame
        A row per generation.
    n_generations_ : int
        The number of generations.
    settings_ : EvolutionSettings
        All settings of the evolution.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> GATreeClassifier(mutation_rate=0.5, random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """

    settings_: EvolutionSettings

    def fit(self, X: Matrix, y: ArrayLike) -> Self:
        """Evolve a tree.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
            Numbers, or a frame that may also hold categories, text, booleans and dates. Missing values are
            NaN, None or pandas' NA.
        y : array of shape (n_samples,)
            The class of every sample, numbers or text. The name of a Series is the class's name in the tree.
        """
        return self._learn(X, y)

    def _fit(self, dataset: Dataset, weights: SampleWeights) -> None:
        parameters = checked(self, _Parameters)
        given = parameters.model_dump(include=set(EvolutionSettings.model_fields))
        function = None if isinstance(parameters.payoff, str) else parameters.payoff
        self.settings_ = EvolutionSettings(**given | ({} if function is None else {"payoff": EQ_1}))
        problem = Problem.of(dataset, self.settings_.numeric_tests)
        evolution = Evolution(problem, self.settings_, function)
        _run(evolution, parameters)
        outcome = evolution.outcome()
        self.tree_, self.n_generations_ = outcome.tree, outcome.n_generations
        self.history_ = _as_frame(outcome.history, dataset.n_instances, self.settings_.population_size)

    def _distribution(self, X: Matrix) -> Floats:
        reached = self.apply(X)  # raises if there is no tree yet
        return np.asarray(self.tree_.probabilities[reached])

    def _labels(self, X: Matrix) -> NDArray[np.integer]:
        reached = self.apply(X)
        return self.tree_.tree.value[reached]


def _run(evolution: Evolution, watched: _Parameters) -> None:
    """Run an evolution to its last generation, or until a limit or the callback ends it."""
    patience, max_seconds, callback = watched.patience, watched.max_seconds, watched.callback
    started, last = time.monotonic(), evolution.settings.n_generations
    best, since = -np.inf, 0  # the best payoff so far, and the generations since it was found
    if not (patience or max_seconds or callback or watched.verbose):
        evolution.advance(last - evolution.generation)
    while evolution.generation < last:
        evolution.step()
        _report(evolution, watched.verbose)
        payoff = float(evolution.payoff[0])
        best, since = max(best, payoff), 0 if payoff > best else since + 1
        if (
            (patience is not None and since >= patience)
            or (max_seconds is not None and time.monotonic() - started >= max_seconds)
            or (callback is not None and callback(evolution))
        ):
            break


def _report(evolution: Evolution, verbose: int) -> None:
    """Print the progress of the evolution, as often as ``verbose`` requests."""
    last = evolution.settings.n_generations
    every = 1 if verbose > 1 else max(1, last // 10)
    if verbose > 0 and evolution.generation % every == 0:
        best = evolution.history[evolution.generation]
        accuracy = best["best_correct"] / evolution.problem.n_instances
        size = f"{counted(best['best_nodes'], 'node')}, payoff {best['best_payoff']:.4f}"
        print(f"generation {evolution.generation} of {last}: accuracy {accuracy:.4f}, {size}")


def _as_frame(history: NDArray[np.void], n_instances: int, population_size: int) -> pd.DataFrame:
    """Return the history as a frame of shares and means, one row per generation."""
    return pd.DataFrame(
        {
            "generation": np.arange(len(history)),
            "best_payoff": history["best_payoff"],
            "mean_payoff": history["mean_payoff"],
            "best_accuracy": history["best_correct"] / n_instances,
            "mean_accuracy": history["total_correct"] / (n_instances * population_size),
            "best_nodes": history["best_nodes"],
            "mean_nodes": history["total_nodes"] / population_size,
            "instances_reclassified": history["instances_reclassified"],
            "instances_total": history["instances_total"],
        }
    )
