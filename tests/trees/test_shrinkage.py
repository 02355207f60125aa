"""Class probabilities, compared with the formula in fractions, from the root down to every node."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatree.trees.genome import LEAF, Tree
from gatree.trees.model import with_inner_nodes
from gatree.trees.shrinkage import MARGIN, Shrinkage, probabilities, probabilities_by_strength

SHAPES = st.recursive(
    st.integers(0, 2), lambda below: st.tuples(st.just(0), st.just(0), below, below), max_leaves=8
)
COUNTS = st.lists(st.tuples(*[st.integers(0, 6)] * 3), min_size=8, max_size=8)


def counted(shape, of_leaves) -> tuple[Tree, np.ndarray]:
    tree = Tree.nested(shape)
    counts = np.zeros((tree.n_nodes, 3), dtype=np.int64)
    at_leaves = np.flatnonzero(tree.attribute == LEAF)
    counts[at_leaves] = of_leaves[: len(at_leaves)]
    return tree, with_inner_nodes(tree, counts)


def naive(tree: Tree, counts: np.ndarray, shrinkage: Shrinkage) -> list[list[Fraction]]:
    """Return what shrinkage gives, before a leaf's class is put ahead."""
    weight = shrinkage.class_weight or (1, 1, 1)
    found: list[list[Fraction]] = []
    for node, parent in enumerate(tree.parents().tolist()):
        rows = [Fraction(int(n) * w) for n, w in zip(counts[node], weight, strict=True)]
        if node == 0:
            rows = [n + shrinkage.per_sample * w for n, w in zip(rows, weight, strict=True)]
            found.append([n / sum(rows) for n in rows])
            continue
        n_above = Fraction(int(counts[parent].sum()), shrinkage.per_sample)
        kept = n_above / (n_above + Fraction(shrinkage.strength)) if counts[node].any() else Fraction(0)
        own = [n / sum(rows) for n in rows] if any(rows) else [Fraction(0)] * 3
        found.append([above + kept * (n - above) for n, above in zip(own, found[parent], strict=True)])
    return found


@given(
    SHAPES, COUNTS, st.sampled_from([1.0, 10.0]), st.sampled_from([None, (1, 3, 2)]), st.sampled_from([1, 4])
)
def test_a_node_is_drawn_towards_the_one_above(shape, of_leaves, strength, class_weight, per_sample):
    tree, counts = counted(shape, of_leaves)
    shrinkage = Shrinkage(strength, class_weight, per_sample)
    found, expected = probabilities(tree, counts, shrinkage), naive(tree, counts, shrinkage)
    for node in range(tree.n_nodes):
        label = int(tree.value[node])
        leads = expected[node][label] >= max(p for k, p in enumerate(expected[node]) if k != label) + MARGIN
        if tree.attribute[node] != LEAF or leads:
            assert found[node] == pytest.approx([float(p) for p in expected[node]], abs=1e-12)


@given(SHAPES, COUNTS, st.sampled_from([0.5, 10.0, 1e6]), st.sampled_from([None, (1, 3, 2)]))
def test_the_most_frequent_class_of_a_leaf_stays_the_most_probable(shape, of_leaves, strength, class_weight):
    tree, counts = counted(shape, of_leaves)
    leaf, weighted = tree.attribute == LEAF, counts * np.array(class_weight or (1, 1, 1))
    tree.value[leaf] = weighted[leaf].argmax(axis=1)
    found = probabilities(tree, counts, Shrinkage(strength, class_weight))
    assert found.sum(axis=1) == pytest.approx(1)
    assert (found >= 0).all()
    for node in np.flatnonzero(leaf):
        others = np.delete(found[node], tree.value[node])
        assert np.float32(found[node, tree.value[node]]) > np.float32(others.max())


def test_without_strength_a_leaf_has_its_frequencies():
    tree, counts = counted((0, 0, 1, 2), [(1, 3, 0), (0, 0, 0)])
    assert probabilities(tree, counts, Shrinkage()).tolist() == [[0.25, 0.75, 0], [0.25, 0.75, 0], [0, 0, 1]]


def test_a_tie_has_the_smallest_margin():
    tree, counts = counted(1, [(2, 2, 0)])
    found = probabilities(tree, counts, Shrinkage(10.0))[0]
    assert 0 < found[1] - found[0] < 2 * MARGIN


def test_a_class_that_costs_have_chosen_keeps_its_probability():
    tree, counts = counted(2, [(6, 3, 0)])
    assert probabilities(tree, counts, Shrinkage(10.0))[0] == pytest.approx([7 / 12, 4 / 12, 1 / 12])


@given(SHAPES, COUNTS)
def test_several_strengths_at_once_give_the_same(shape, of_leaves):
    tree, counts = counted(shape, of_leaves)
    strengths = np.array([0.0, 5.0, 50.0])
    found = probabilities_by_strength(tree, counts, Shrinkage(per_sample=2), strengths)
    for strength, here in zip(strengths.tolist(), found, strict=True):
        assert np.array_equal(here, probabilities(tree, counts, Shrinkage(strength, per_sample=2)))
