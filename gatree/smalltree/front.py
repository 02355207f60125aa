"""Finished fronts: the best tree found of every size, for classes or for numbers, and their plot."""

from __future__ import annotations

import lzma
import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, counted
from gatree.base.extras import extras
from gatree.data.attribute import Attribute
from gatree.trees.genome import Tree
from gatree.trees.model import DecisionTree, unlabelled
from gatree.trees.numbers import Floats
from gatree.trees.plot import current_figure
from gatree.trees.shrinkage import FREQUENCIES, Shrinkage

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class Front:
    """The best tree found of every size at which it is better on the training data than all smaller trees.

    Attributes
    ----------
    leaves : ndarray
        The sizes, in increasing order.
    worth : ndarray
        How good each tree is on the training data: its `accuracy` or, for numbers, its `r2`.
    validated : ndarray or None
        The same in the cross-validation that chose the size, if it did so by this; for numbers with the
        chosen shrinkage.
    proven : ndarray of bool
        For each size, whether no tree of at most that number of leaves is better on the training data.
    numbers : tuple of ndarray or None
        What every node of each tree predicts; None for classes.
    shrinkage : Shrinkage
        How the class counts of its trees become probabilities.
    """

    leaves: NDArray[np.int64]
    worth: Floats
    validated: Floats | None
    proven: NDArray[np.bool_]
    genomes: tuple[tuple[Tree, Floats], ...]  # and the threshold of every node
    attributes: tuple[Attribute, ...]
    class_attribute: Attribute  # numeric for numbers
    numbers: tuple[Floats, ...] | None = None
    shrinkage: Shrinkage = FREQUENCIES

    def __getstate__(self) -> dict[str, bytes]:
        """Return the state for pickles, compressed: trees of neighbouring sizes are much alike."""
        return {"compressed": lzma.compress(pickle.dumps(self.__dict__), preset=1)}

    def __setstate__(self, state: dict[str, bytes]) -> None:
        self.__dict__.update(pickle.loads(lzma.decompress(state["compressed"])))

    @property
    def accuracy(self) -> Floats:
        """The weighted share of the training instances that each tree classifies correctly.

        With costs, the share of what the best class of every instance would save.
        """
        return self.worth

    @property
    def r2(self) -> Floats:
        """The share of the training data's squared error around the mean that each tree explains.

        Without shrinkage.
        """
        return self.worth

    @property
    def measure(self) -> str:
        """The name of the worth, for people."""
        return "accuracy" if self.numbers is None else "R²"

    def __repr__(self) -> str:
        leaves = f"{self.leaves[0]} to {self.leaves[-1]} leaves"
        return f"<Front of {leaves}, {self.measure} {self.worth[0]:.3f} to {self.worth[-1]:.3f}>"

    def tree(self, most_leaves: int) -> DecisionTree:
        """Return the best tree of at most ``most_leaves`` leaves."""
        return self.tree_and_numbers(most_leaves)[0]

    def tree_and_numbers(self, most_leaves: int) -> tuple[DecisionTree, Floats | None]:
        """Return the best tree of a size and, if it predicts numbers, those of all its nodes."""
        if most_leaves < self.leaves[0]:
            smallest = counted(int(self.leaves[0]), "leaf", "leaves")
            raise DataError(f"the smallest tree of the front has {smallest}, got {most_leaves}")
        place = int(np.searchsorted(self.leaves, most_leaves, side="right")) - 1
        genome, thresholds = self.genomes[place]
        is_numeric = np.array([*(not each.is_nominal for each in self.attributes), False])  # last: a leaf's
        value = np.where(is_numeric[genome.attribute], thresholds, genome.value)
        answer = self.class_attribute if self.numbers is None else unlabelled(self.class_attribute)
        tree = DecisionTree.of_nodes(
            genome.attribute, value, self.attributes, answer, shrinkage=self.shrinkage
        )
        if self.numbers is None:
            return tree, None
        return tree.with_numbers(self.numbers[place]), self.numbers[place]


def plot_fronts(fronts: Any, ax: Axes | None = None, file: str | Path | None = None) -> Axes:
    """Draw the accuracy, or R2, of the best trees of every size.

    Parameters
    ----------
    fronts : dict of Front, or fitted GATreeClassifier or GATreeRegressor
        The result of `fit_front`, or an estimator that chose its size; the choice is marked.
    ax : matplotlib Axes, optional
        The axes to draw on; by default pyplot's current axes, which are cleared, as in scikit-learn.
    file : path, optional
        The file to save, as PNG, SVG or PDF by its suffix; without ``ax`` a separate figure is saved.

    Returns
    -------
    matplotlib Axes
    """
    found: dict[str, Any] | None = getattr(fronts, "fronts_", fronts if isinstance(fronts, dict) else None)
    if found is None:
        raise DataError(
            "there are no fronts to draw: the estimator is not fitted, or its size was not chosen"
        )
    with extras():
        from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter
    if ax is None and file is None:
        ax = current_figure().gca()
        ax.clear()
    elif ax is None:
        with extras():
            from matplotlib.figure import Figure  # not pyplot: no window, no global state, nothing to close

        ax = Figure(figsize=(6.4, 4.4), layout="constrained").subplots()
    for color, (name, front) in enumerate(found.items()):
        ax.step(front.leaves, front.worth, where="post", color=f"C{color}", label=f"{name}, training data")
        if front.proven.any():
            at = front.leaves[front.proven], front.worth[front.proven]
            ax.plot(*at, "o", color=f"C{color}", markersize=4, label=f"{name}, proven to be the best")
        if front.validated is not None:
            label = f"{name}, cross-validated"
            ax.plot(front.leaves, front.validated, "--", color=f"C{color}", linewidth=1, label=label)
    if hasattr(fronts, "tree_"):
        ax.axvline(fronts.tree_.n_leaves, color="0.6", linewidth=1, label="chosen")
    ax.set(xlabel="leaves", ylabel=next(iter(found.values())).measure, xscale="log")
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.grid(visible=True, alpha=0.3)
    ax.legend(frameon=False)
    if file is not None:
        ax.get_figure(root=True).savefig(file)  # type: ignore[union-attr]  # these axes have one
    return ax
