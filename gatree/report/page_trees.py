"""The best tree of each data set as a page shows it: drawn, and as text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from gatree.experiments.data_provenance import recorded_sources
from gatree.experiments.journal import find_records
from gatree.report.best_trees import BestTree, best_trees
from gatree.report.inline_svg import inline_svg
from gatree.trees.plot import plot_tree


@dataclass(frozen=True)
class PageTree:
    """A data set's best tree as a picture and as text, or why it is not shown."""

    best: BestTree
    svg: Markup | None
    text: str


def page_trees(keys: set[str], journal: Path) -> list[PageTree]:
    """Return the best trees, which are looked up in the journal: those of other records were not kept."""
    found = best_trees(find_records(journal, keys).values(), recorded_sources(journal.parent)) if keys else []
    return [_page_tree(index, tree) for index, tree in enumerate(found)]


def _page_tree(index: int, best: BestTree) -> PageTree:
    tree = best.tree
    if tree is None:
        return PageTree(best, None, "")
    label = f"The best tree on {best.dataset}: {tree.n_nodes} nodes. The same as text follows."

    def draw() -> Any:
        return plot_tree(tree, data=best.data).get_figure(root=True)

    return PageTree(best, inline_svg(draw, f"tree-{index}", label), tree.to_text())
