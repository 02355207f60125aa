"""What tests of fronts share: cases of a data set, drafts of trees, trees of archives."""

from __future__ import annotations

import naive
import numpy as np

from gatree.data.cases import cases_of
from gatree.data.coding import code
from gatree.front.archive import make_archive, tree_at
from gatree.front.bench import make_bench
from gatree.front.grow import ENTROPY, GAIN_RATIO, GINI
from gatree.front.prune import CORRECT_UNIT, PURITY_UNIT, goal_of
from gatree.front.room import Draft, set_spans
from gatree.front.search import offer_greedy
from gatree.trees.genome import Tree


class Workshop:
    def __init__(self, dataset, worth=None, min_leaf=1, most_leaves=16, numeric_tests="observed"):
        self.dataset, self.most_leaves, self.min_leaf = dataset, most_leaves, max(1, min_leaf)
        self.worth = np.array(worth or [1] * dataset.n_classes, dtype=np.int64)
        self.coding = code(dataset, numeric_tests)
        self.cases = cases_of(dataset, self.coding)
        self.bench = make_bench(self.cases, goal_of(self.worth, min_leaf, dataset.classes), most_leaves)
        self.naive = naive.Data.of(dataset, numeric_tests)

    def put(self, tree, draft=None):
        """Lay a tree into a draft; return its nodes."""
        draft = self.bench.one if draft is None else draft
        for part, values in zip(draft, (tree.attribute, tree.value, tree.span), strict=True):
            part[: tree.n_nodes] = values
        return tree.n_nodes

    def leaf_score(self, instances):
        """What a leaf with these instances gets right and, far behind, its purity."""
        weights = [
            int(self.worth[c]) * sum(self.dataset.classes[i] == c for i in instances)
            for c in range(self.dataset.n_classes)
        ]
        whole = int(self.worth[self.dataset.classes].sum())
        squares = float(sum(weight * weight for weight in weights))
        purity = squares / sum(weights) * (PURITY_UNIT / whole) if any(weights) else 0.0
        return CORRECT_UNIT * max(weights) + int(purity)

    def score(self, nested):
        return sum(map(self.leaf_score, naive.instances_at_leaves(self.naive, nested).values()))

    def correct(self, nested):
        return naive.n_correct(self.naive, nested, self.worth.tolist())


def greedy_front(bench, most_leaves, criteria=(GINI, ENTROPY, GAIN_RATIO)):
    """The best prunings of greedy trees."""
    archive = make_archive(most_leaves)
    for criterion in criteria:
        offer_greedy(bench, archive, criterion)
    return archive


def nested(draft: Draft, n_nodes: int):
    """The tree in a draft as nested tuples."""
    set_spans(draft, n_nodes)
    return naive.to_nested(Tree(*draft[:, :n_nodes]))


def nested_at(archive, rung):
    return naive.to_nested(tree_at(archive, rung))
