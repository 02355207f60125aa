"""Draw a crossover that happened in an evolution: what the child inherits, and what is computed again.

Part of `make pictures`. Every number in the picture is counted by the tree on the data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gatree import EvolutionSettings, load_dataset
from gatree.evolution.evolve import Evolution
from gatree.evolution.problem import Problem
from gatree.trees.genome import Tree
from gatree.trees.model import DecisionTree
from gatree.trees.render import branches

INHERITED, REMOVED, STALE = "#dfe7ea", "#f6d5c3", "#bfe3d0"
SETTINGS = EvolutionSettings(population_size=400, n_generations=60, mutation_rate=0.0, seed=1)


@dataclass(frozen=True)
class Crossover:
    """A parent and its child, which has another branch from one node on."""

    parent: DecisionTree
    child: DecisionTree
    cut: int  # the number of the exchanged branch's root, the same in both


def reaching(model: DecisionTree, node: int) -> int:
    """Return how many instances reach a node."""
    assert model.counts is not None
    return int(model.counts[node].sum())


def n_correct(model: DecisionTree) -> int:
    """Return how many instances a tree classifies correctly."""
    assert model.counts is not None
    leaves = [node for node in range(model.n_nodes) if model.tree.is_leaf(node)]
    return sum(int(model.counts[leaf, model.tree.value[leaf]]) for leaf in leaves)


def crossovers(name: str) -> Iterator[Crossover]:
    """Yield the crossovers of an evolution in their order."""
    dataset = load_dataset(name)
    evolution = Evolution(Problem.of(dataset), SETTINGS)
    while evolution.generation < SETTINGS.n_generations:
        evolution.step()
        births = evolution.births
        for slot, source, stale in zip(births.slot, births.source, births.stale, strict=True):
            pair = [evolution.population.tree(int(s)) for s in (source, slot)]
            models = [DecisionTree.of(tree, evolution.problem.coding, dataset) for tree in pair]
            yield Crossover(models[0], models[1], int(stale[0]))


def telling(found: Crossover) -> bool:
    """Return whether a crossover is small, exchanges a branch, makes the tree better and saves much."""
    models = (found.parent, found.child)
    small = all(7 <= model.n_nodes <= 9 for model in models)
    branches_of_tests = all(model.tree.span[found.cut] >= 3 for model in models)
    nothing_empty = all(reaching(model, node) > 0 for model in models for node in range(model.n_nodes))
    better = n_correct(found.child) > n_correct(found.parent)
    saves = 2 * reaching(found.child, found.cut) < reaching(found.child, 0)
    return small and branches_of_tests and nothing_empty and better and saves


def draw(file: Path, name: str = "zoo") -> Crossover:
    """Draw the first crossover that is telling."""
    found = next(filter(telling, crossovers(name)))
    figure = Figure(figsize=(11, 4.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    total, again = reaching(found.child, 0), reaching(found.child, found.cut)
    _tree(left, found.parent, found.cut, REMOVED)
    left.set_title(
        f"a parent, {n_correct(found.parent)} correct, and the branch that is replaced", fontsize=11
    )
    _tree(right, found.child, found.cut, STALE)
    right.set_title(
        f"its child, {n_correct(found.child)} correct: {again} of {total} instances are classified again",
        fontsize=11,
    )
    with rc_context({"svg.hashsalt": "gatree"}):  # the same file from the same tree
        figure.savefig(file, metadata={"Date": None, "Creator": None})
    return found


def _tree(ax: Axes, model: DecisionTree, cut: int, colour: str) -> None:
    tree, places = model.tree, _places(model.tree)
    branch = range(cut, cut + int(tree.span[cut]))
    for node, (x, y) in enumerate(places):
        for child in () if tree.is_leaf(node) else (tree.left(node), tree.right(node)):
            ax.plot(*zip((x, y), places[child], strict=True), color="0.6", linewidth=1, zorder=1)
        text = model.label(node) if tree.is_leaf(node) else branches(model, node)[0].replace(" = ", "\n= ")
        box = {"boxstyle": "round,pad=0.35", "edgecolor": "0.4", "linewidth": 0.8}
        box["facecolor"] = colour if node in branch else INHERITED
        caption = f"{text}\n{_instances(model, node)}"
        ax.text(x, y, caption, ha="center", va="center", fontsize=8, bbox=box, zorder=2)
    ax.set_xlim(-0.6, max(x for x, _ in places) + 0.6)
    ax.set_ylim(min(y for _, y in places) - 0.45, 0.45)
    ax.axis("off")


def _instances(model: DecisionTree, node: int) -> str:
    """Return how many instances reach a node, and at a leaf how many of them it classifies correctly."""
    assert model.counts is not None
    if not model.tree.is_leaf(node):
        return f"{reaching(model, node)} instances"
    return f"{model.counts[node, model.tree.value[node]]} of {reaching(model, node)} correct"


def _places(tree: Tree) -> list[tuple[float, float]]:
    """Return where nodes stand: leaves side by side, a test in the middle above its branches."""
    across = [0.0] * tree.n_nodes
    n_leaves = 0
    for node in range(tree.n_nodes):
        if tree.is_leaf(node):
            across[node], n_leaves = float(n_leaves), n_leaves + 1
    for node in reversed(range(tree.n_nodes)):
        if not tree.is_leaf(node):
            across[node] = (across[tree.left(node)] + across[tree.right(node)]) / 2
    return list(zip(across, (-tree.depths()).astype(float).tolist(), strict=True))
