"""The `walking` evaluator: every instance walks down the tree on its own."""

from typing import Any, NamedTuple

import numpy as np

from gatree.evolution.evaluators.children import book, has_small_leaf, settle_leaf
from gatree.evolution.evaluators.contract import RECLASSIFIED, Evaluator
from gatree.evolution.problem import Instances
from gatree.evolution.scoring import Scoring
from gatree.kernels.decorators import inlined, lean
from gatree.trees.genome import LEAF


class Kept(NamedTuple):
    """All that the kernel works on."""

    instances: Instances
    scoring: Scoring
    tally: Any  # [node, class]: the instances that end at a leaf
    reached: Any  # [0, node]: all of them


@inlined
def walk(instances, trees, slot, instance, tally):
    """Let an instance walk to its leaf; return how many nodes it has met."""
    node, met = 0, 1
    while trees.attribute[slot, node] != LEAF:
        tested, value = trees.attribute[slot, node], trees.value[slot, node]
        code = instances.codes[tested, instance]
        passed = code <= value if instances.is_numeric[tested] else code == value
        node = node + 1 if passed else node + 1 + trees.span[slot, node + 1]
        met += 1
    tally[node, instances.classes[instance]] += 1
    return met


@inlined
def score(scoring, trees, slot, tally, reached):
    """Return the weight of the correct instances."""
    n_correct = 0
    for node in range(trees.n_nodes[slot]):
        if trees.attribute[slot, node] == LEAF:
            reached[0, node] = tally[node].sum()
            if scoring.majority:
                n_correct += settle_leaf(scoring, trees, slot, node, tally[node])
            else:
                label = trees.value[slot, node]
                n_correct += tally[node, label] * scoring.class_weight[label]
    return n_correct


@lean
def evaluate_walking(trees, births, first, last, ledger, kept):
    """Evaluate a range of children."""
    instances, scoring = kept.instances, kept.scoring
    n, slots = len(instances.classes), births.slot
    for k in range(first, last):
        if births.is_known[k]:  # a copy
            trees.n_correct[slots[k]] = trees.n_correct[births.source[k]]
        else:
            checks = 0
            kept.tally[:] = 0
            for instance in range(n):
                checks += walk(instances, trees, slots[k], instance, kept.tally)
            n_correct = score(scoring, trees, slots[k], kept.tally, kept.reached)
            too_small = has_small_leaf(scoring, trees, slots[k], kept.reached, 0)
            trees.n_correct[slots[k]] = 0 if too_small else n_correct
            ledger[RECLASSIFIED] += n
            book(ledger, births, k, n, checks, 0)


class WalkingEvaluator(Evaluator):
    """Evaluates one instance after the other. Keeps nothing about any tree."""

    kernel = staticmethod(evaluate_walking)
    n_bytes = 0

    def fit(self, trees, births):
        n_classes, threads = len(self.scoring.class_weight), range(self.threads.n_jobs)
        self.rooms = [
            (np.zeros((trees.width, n_classes), np.int64), np.zeros((1, trees.width), np.int32))
            for _ in threads
        ]

    def kept_for(self, thread):
        return Kept(self.instances, self.scoring, *self.rooms[thread])
