"""`walking` in numpy and `walking-compiled` in numba: every instance walks down the tree on its own."""

import numba
import numpy as np

from gatree.evolution.evaluators.contract import CHECKS, CHECKS_FULL, RECLASSIFIED, TOTAL, Evaluator

LEAF = -1


class WalkingEvaluator(Evaluator):
    """Lets all instances walk at once, level by level. Keeps nothing about any tree."""

    n_bytes = 0

    def evaluate(self, trees, births):
        """Fill in the correct instances of the children, and count the work."""
        for slot, source, is_known in zip(births.slot, births.source, births.is_known, strict=True):
            if is_known:  # a copy
                trees.n_correct[slot] = trees.n_correct[source]
            else:
                trees.n_correct[slot] = self.n_correct(trees, slot)

    def n_correct(self, trees, slot):
        """Return the correct instances of a tree."""
        classes = self.instances.classes
        parts = (rows[slot, : trees.n_nodes[slot]] for rows in (trees.attribute, trees.value, trees.span))
        attribute, value, span = parts
        reached = np.zeros(len(classes), dtype=np.int64)
        n_checks = len(classes) + self.walk(attribute, value, span, reached)
        self.ledger[[RECLASSIFIED, TOTAL]] += len(classes)
        self.ledger[[CHECKS, CHECKS_FULL]] += n_checks
        leaves = np.flatnonzero(attribute == LEAF)
        counts = np.zeros((len(attribute), self.n_classes), dtype=np.int64)  # [node, class]
        np.add.at(counts, (reached, classes), 1)
        if self.has_majority_leaves:
            filled = leaves[counts[leaves].any(axis=1)]
            value[filled] = counts[filled].argmax(axis=1)  # a view: this labels the tree's leaves
        if len(leaves) > 1 and counts[leaves].sum(axis=1).min() < self.min_leaf:
            return 0
        return counts[leaves, value[leaves]].sum()

    def walk(self, attribute, value, span, node):
        """Move every instance from the root, which is node 0, to its leaf; return the tests on their ways."""
        codes, is_numeric = self.instances.codes, self.instances.is_numeric
        n_tests, walking = 0, np.flatnonzero(attribute[node] != LEAF)
        while len(walking):
            here = node[walking]
            tested, code = attribute[here], codes[attribute[here], walking]
            passed = np.where(is_numeric[tested], code <= value[here], code == value[here])
            node[walking] = np.where(passed, here + 1, here + 1 + span[here + 1])
            n_tests += len(walking)
            walking = walking[attribute[node[walking]] != LEAF]
        return n_tests


class CompiledWalkingEvaluator(WalkingEvaluator):
    """Lets one instance walk after the other, in code that numba compiles."""

    def walk(self, attribute, value, span, node):
        """Move every instance from the root to its leaf; return the tests on their ways."""
        return walk(self.instances.codes, self.instances.is_numeric, attribute, value, span, node)


@numba.njit(cache=True)
def walk(codes, is_numeric, attribute, value, span, reached):
    """Fill in the leaf that every instance reaches; return the tests on their ways."""
    n_tests = 0
    for instance in range(codes.shape[1]):
        node = 0
        while attribute[node] != LEAF:
            code = codes[attribute[node], instance]
            passed = code <= value[node] if is_numeric[attribute[node]] else code == value[node]
            node = node + 1 if passed else node + 1 + span[node + 1]
            n_tests += 1
        reached[instance] = node
    return n_tests
