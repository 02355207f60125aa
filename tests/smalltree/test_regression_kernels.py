"""Regression trees: growth, pruning, sweeps and the search against slow, obvious twins."""

import itertools

import naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import trees
from workshop import AnyWorkshop, both_plans, interpreted, nested, of_all_nodes, rows_of, swept_completely

from gatree.data.coding import code
from gatree.data.dataset import Dataset
from gatree.smalltree import draft, loop, prune, search
from gatree.smalltree import grow as growing
from gatree.smalltree import held_out as held_outs
from gatree.smalltree import sweep as sweeping
from gatree.smalltree.draft import make_workspace
from gatree.smalltree.grow import MEANS
from gatree.smalltree.held_out import HeldOut
from gatree.smalltree.loop import N_UNIFORMS
from gatree.smalltree.proof import prove
from gatree.smalltree.prune import NO_TREE, make_archive, tree_at
from gatree.smalltree.task import TreeLimits, integers, task_of
from gatree.trees.genome import LEAF

prune_to, fill_rows = map(interpreted, (prune.prune_to, draft.fill_rows))
grow, find_prunings = map(interpreted, (growing.grow, prune.prunings))
weigh, weigh_leaves, average = map(interpreted, (prune.weigh, prune.weigh_leaves, held_outs.average))
gaps, start_at_root = map(interpreted, (held_outs.gaps, held_outs.start_at_root))
offer_prunings, offer_greedy = map(interpreted, (loop.offer_prunings, loop.offer_greedy))
polish, evolve, evaluate_held_out = map(interpreted, (loop.polish, loop.evolve, held_outs.evaluate_held_out))
grow_out, sweep_stale, sweep_all = map(interpreted, (sweeping.grow_out, sweeping.sweep, loop.sweep_all))
sweep = of_all_nodes(sweep_stale)

MOST_LEAVES = 8


class Workshop(AnyWorkshop):
    """A data set with a target, and twins of what kernels compute of it."""

    def __init__(self, dataset, target, min_leaf=1, max_depth=99):
        self.dataset, self.min_leaf, self.max_depth = dataset, min_leaf, max_depth
        self.coding = code(self.dataset, "observed")
        self.target = integers(np.array(target, dtype=float), np.ones(len(target), dtype=np.int64))
        limits = TreeLimits(max_depth=max_depth, min_leaf=min_leaf)
        self.rows = rows_of(dataset, self.coding, limits, target=self.target)
        self.task, self.cases = task_of(self.rows), self.rows.cases
        self.workspace = make_workspace(self.task, MOST_LEAVES)
        self.naive = naive.Data.of(self.dataset, "observed")
        self.all = range(dataset.n_instances)

    def numbers_at(self, instances):
        return sorted(int(self.target[i]) for i in instances)

    def predicted(self, instances):
        """What a leaf predicts."""
        here = self.numbers_at(instances)
        return float(sum(here)) / float(len(here))

    def shrunk(self, nested, instance, shrinkage):
        """What a tree predicts for an instance if every node is drawn towards its parent."""
        here, found = list(self.all), self.predicted(self.all)
        while isinstance(nested, tuple):
            passes = self.naive.passes(instance, nested[0], nested[1])
            below = [i for i in here if self.naive.passes(i, nested[0], nested[1]) == passes]
            share = len(here) / (len(here) + shrinkage)
            found = found + share * (self.predicted(below) - self.predicted(here))
            nested, here = nested[2 if passes else 3], below
        return found

    def explained(self, instances):
        """What a leaf explains, as the best test of a node is judged by."""
        here = self.numbers_at(instances)
        return float(sum(here)) * float(sum(here)) / float(len(here))

    def leaf_score(self, instances):
        here = self.numbers_at(instances)
        if not here:
            return 0
        return int(self.explained(instances) * self.task.unit)

    def best_test(self, instances):
        """The test that explains most, of equal ones that with the widest margin, of those the first."""
        best = (self.explained(instances), 2.0), None
        for attribute, test, left, right in self.splits(instances):
            if test != max(self.cases.codes[attribute][left]):
                continue  # parts them as a lower threshold does
            rank = self.explained(left) + self.explained(right), self.margin(attribute, left, right)
            if rank > best[0]:
                best = rank, (attribute, test, left, right)
        return best[1]

    def grown(self, instances, depth=0):
        here = self.numbers_at(instances)
        found = None
        if here[0] < here[-1] and len(here) >= 2 * self.min_leaf and depth < self.max_depth:
            found = self.best_test(instances)
        if found is None:
            return 0
        attribute, test, left, right = found
        return attribute, test, self.grown(left, depth + 1), self.grown(right, depth + 1)


def mixed_data(seed, most_rows=24):
    """Return a data set with a nominal and two numeric columns, one of few values, and a target with ties."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, most_rows + 1))
    numbers = np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 5, n))
    frame = pd.DataFrame(
        {
            "a": rng.integers(0, 4, n).astype(str),
            "b": numbers,
            "c": rng.permutation(n).astype(float),
            "class": pd.Categorical(["number"] * n),
        }
    )
    kinds = (
        rng.integers(-4, 5, n),
        rng.normal(size=n) * 10.0 ** rng.integers(0, 6, n),
        rng.integers(0, 2, n),
    )
    return Dataset.from_frame(frame, "class"), kinds[rng.integers(3)].astype(float)


@st.composite
def workshops(draw, most_rows=24, **options):
    dataset, target = mixed_data(draw(st.integers(0, 2**32 - 1)), most_rows)
    return Workshop(dataset, target, draw(st.integers(1, 3)), **options)


@st.composite
def planted(draw, **options):
    """A workshop and a tree over its data."""
    shop = draw(workshops(**options))
    return shop, draw(trees(shop.coding.n_tests, 1))


def prunings(tree):
    """All trees that pruning can make of one."""
    found = [0]
    if isinstance(tree, tuple):
        pairs = itertools.product(prunings(tree[2]), prunings(tree[3]))
        found += [(tree[0], tree[1], left, right) for left, right in pairs]
    return found


def allowed(shop, tree):
    members = naive.instances_at_leaves(shop.naive, tree)
    n_leaves = (naive.size(tree) + 1) // 2
    enough = n_leaves == 1 or min(map(len, members.values())) >= shop.min_leaf
    return enough and naive.depth(tree) <= shop.max_depth


@given(planted())
def test_every_node_is_weighed(found):
    shop, tree = found
    shop.put(tree)
    weigh(shop.task, shop.workspace.buffers, shop.workspace.one)
    shape = naive.to_nested(tree)
    order = [path for path, _ in naive.nodes(shape)]
    for node, path in enumerate(order):
        here = [i for i in shop.all if path in naive.way(shop.naive, shape, i)[0]]
        assert shop.workspace.buffers.nodes.n_here[node] == len(here)
        assert shop.workspace.buffers.nodes.score[node] == shop.leaf_score(here)
        if here:
            assert shop.workspace.buffers.nodes.mean[node] == shop.predicted(here)


@given(planted())
def test_leaves_and_means_from_the_leaves_are_those_of_all_nodes(found):
    shop, tree = found
    n, buffers, one = shop.put(tree), shop.workspace.buffers, shop.workspace.one
    nodes = buffers.nodes
    weigh(shop.task, buffers, one)
    expected = [each[:n].tolist() for each in (nodes.n_here, nodes.mean, nodes.score)]
    start_at_root(nodes, n, buffers.leaf_of)
    gaps(shop.task.cases, one, nodes, buffers.leaf_of)
    weigh_leaves(shop.task, buffers, one, n, prune.ClassSums(*np.zeros((2, 0, 0), dtype=np.int64)))
    is_leaf = one.attribute[:n] == LEAF
    assert (nodes.score[:n] == expected[2])[is_leaf].all()
    average(shop.task, one, n, buffers)
    assert [each[:n].tolist() for each in (nodes.n_here, nodes.mean)] == expected[:2]


@given(workshops(max_depth=3))
def test_a_greedy_tree_takes_the_best_test_at_every_node(shop):
    fill_rows(shop.cases, shop.workspace.buffers.order)
    whole = (0, len(shop.target))
    n_nodes = grow(shop.task, shop.workspace.buffers, whole, MEANS, (LEAF, 0), shop.workspace.one, 0, 0)
    assert nested(shop.workspace.one, n_nodes) == shop.grown(list(shop.all))


@given(planted(max_depth=1))
def test_the_best_pruning_of_every_size_is_kept(found):
    shop, tree = found
    archive = make_archive(MOST_LEAVES)
    offer_prunings(shop.workspace, shop.workspace.one, shop.put(tree), archive)
    best: dict[int, int] = {}
    for each in prunings(naive.to_nested(tree)):
        if allowed(shop, each):
            n_leaves = (naive.size(each) + 1) // 2
            best[n_leaves] = max(best.get(n_leaves, NO_TREE), shop.score(each))
    for place, size in enumerate(archive.n_leaves.tolist()):
        assert archive.score[place] == best.get(size, NO_TREE)
        if size in best:
            kept = naive.to_nested(tree_at(archive, place))
            assert shop.score(kept) == best[size]
            assert allowed(shop, kept)
    found = find_prunings(shop.workspace, shop.workspace.one, shop.put(tree), 3)
    pruned_to = prune_to(shop.workspace.one, found, 3, shop.workspace.spare)
    reached = shop.score(nested(shop.workspace.one, pruned_to))
    assert reached == next(best[size] for size in (3, 2, 1) if size in best)


def error_units(shop, instance, left, right):
    """What an instance saves by passing a test, given what both branches predict."""
    number = int(shop.target[instance])
    off, other = number - right(instance), number - left(instance)
    return int((off * off - other * other) * shop.task.error_unit)


@given(planted())
def test_a_sweep_gives_the_root_the_best_test_for_its_branches(found):
    shop, tree = found
    shape, _n_nodes = naive.to_nested(tree), shop.put(tree)
    weigh(shop.task, shop.workspace.buffers, shop.workspace.one)
    value_at = {
        path: shop.workspace.buffers.nodes.mean[node] for node, (path, _) in enumerate(naive.nodes(shape))
    }
    n_swept, _ = sweep(shop.task, shop.workspace.buffers, shop.workspace.one, shop.workspace.other)
    swept = nested(shop.workspace.other, n_swept)
    if not isinstance(shape, tuple) or len(shop.target) < 2 * shop.min_leaf:
        assert swept == 0
        return

    def branch(side):
        return lambda i: value_at[(side, *naive.way(shop.naive, shape[side], i)[0][-1])]

    saved = {i: error_units(shop, i, branch(2), branch(3)) for i in shop.all}
    most = max(
        [sum(saved[i] for i in left) for _, _, left, _ in shop.splits(list(shop.all))], default=-(10**30)
    )
    if most > max(0, sum(saved.values())):
        assert sum(saved[i] for i in shop.all if shop.naive.passes(i, swept[0], swept[1])) == most
    else:
        assert naive.size(swept) < naive.size(shape)


@given(planted())
def test_sweeps_that_skip_tests_which_nothing_has_changed_find_the_same_tree(found):
    shop, tree = found
    n, _ = sweep_all(shop.workspace, shop.put(tree))
    swept = nested(shop.workspace.one, n)
    assert swept == swept_completely(sweep, shop.workspace, shop.put(tree), loop._SWEEPS, weigh)


@given(planted())
def test_sweeping_and_growing_out_never_explain_less(found):
    shop, tree = found
    shop.put(tree)
    before = shop.score(naive.to_nested(tree))
    weigh(shop.task, shop.workspace.buffers, shop.workspace.one)
    n_swept, _ = sweep(shop.task, shop.workspace.buffers, shop.workspace.one, shop.workspace.other)
    swept = nested(shop.workspace.other, n_swept)
    slack = 2 * len(shop.target)  # integers are rounded down
    if allowed(shop, naive.to_nested(tree)):
        assert shop.score(swept) >= before - slack
    n_grown = grow_out(
        shop.task, shop.workspace.buffers, shop.workspace.other, n_swept, MEANS, shop.workspace.one
    )
    grown = nested(shop.workspace.one, n_grown)
    assert shop.score(grown) >= shop.score(swept) - slack
    if naive.size(swept) <= 3:
        assert grown == shop.grown(list(shop.all))  # the last tests are grown again


def all_trees(shop, instances, n_tests):
    """What the best tree of ``n_tests`` tests explains; nothing where there is none."""
    if n_tests == 0:
        return shop.explained(instances)
    found = []
    for _, _, left, right in shop.splits(instances):
        for below in range(n_tests):
            parts = all_trees(shop, left, below), all_trees(shop, right, n_tests - 1 - below)
            found += [sum(parts)] if None not in parts else []
    return max(found, default=None)


@given(st.integers(0, 2**32 - 1), st.integers(1, 2))
def test_trees_of_two_tests_are_the_best_of_all(seed, min_leaf):
    shop = Workshop(*mixed_data(seed, most_rows=9), min_leaf)
    archive = make_archive(MOST_LEAVES)
    offer_greedy(shop.workspace, archive, MEANS)
    prove(shop.rows, archive, True, 10**9)
    assert archive.proven.all()
    for n_tests in (1, 2):
        best = all_trees(shop, list(shop.all), n_tests)
        reached = max(archive.score[: n_tests + 1].tolist())
        if best is not None:
            assert reached >= best * shop.task.unit - 2**20
        if best is not None and archive.score[n_tests] > NO_TREE:
            expected = best * shop.task.unit
            assert archive.score[n_tests] == pytest.approx(expected, rel=1e-12, abs=2**20)


@given(workshops(max_depth=4), st.integers(0, 2**32 - 1))
def test_a_search_keeps_what_it_says_and_loses_nothing(shop, seed):
    archive = make_archive(MOST_LEAVES)
    offer_greedy(shop.workspace, archive, MEANS)
    greedy = archive.score.copy()
    polish(shop.workspace, archive, np.arange(MOST_LEAVES), 10**12)
    uniforms = np.random.default_rng(seed).random((5, N_UNIFORMS))
    used = int(shop.workspace.buffers.n_steps[0])
    assert evolve(shop.workspace, archive, MOST_LEAVES, True, uniforms, used) == 0
    assert shop.workspace.buffers.n_steps[0] == used
    evolve(shop.workspace, archive, MOST_LEAVES, True, uniforms, 10**12)
    assert shop.workspace.buffers.n_steps[0] > used
    assert (archive.score >= greedy).all()
    for place in np.flatnonzero(archive.score > NO_TREE).tolist():
        kept = naive.to_nested(tree_at(archive, place))
        assert shop.score(kept) == archive.score[place]
        assert allowed(shop, kept)


@given(workshops(), st.data())
def test_errors_on_instances_held_out(shop, data):
    archive = make_archive(MOST_LEAVES)
    offer_greedy(shop.workspace, archive, MEANS)
    held_out = data.draw(st.lists(st.sampled_from(list(shop.all)), min_size=1, max_size=5))
    shrinkages = np.array([0.0, 3.0])
    evaluation = HeldOut(
        task=task_of(shop.rows.with_weights(np.bincount(held_out, minlength=len(shop.target)))),
        leaf_of=np.zeros(len(set(held_out)), dtype=np.int32),
        scale=shop.rows.scale,
        use_gaps=data.draw(st.booleans()),
        shrinkages=shrinkages,
        errors=np.zeros((2, 2, MOST_LEAVES)),
        squares=np.zeros((2, 2, MOST_LEAVES)),
    )
    evaluate_held_out(shop.workspace, archive, evaluation, 1)
    best = archive.best
    for place in range(len(best)):
        assert archive.score[best[place]] == archive.score[: place + 1].max()
        kept = naive.to_nested(tree_at(archive, int(best[place])))
        for row, shrinkage in enumerate(shrinkages.tolist()):
            total, squares = 0.0, 0.0
            for instance in held_out:
                off = float(shop.target[instance]) - shop.shrunk(kept, instance, shrinkage)
                total, squares = total + off**2, squares + off**4
            assert evaluation.errors[1, row, place] == pytest.approx(total)
            assert evaluation.squares[1, row, place] == pytest.approx(squares)


def test_a_compiled_search_finds_what_an_interpreted_one_finds():
    found = []
    for kernel in (search.search, interpreted(search.search)):
        shop = Workshop(*mixed_data(3, most_rows=40), 2)
        fronts = make_archive(MOST_LEAVES), make_archive(MOST_LEAVES)
        for plan in both_plans(MOST_LEAVES):
            kernel(shop.workspace, *fronts, plan)
        found.append((shop.workspace.buffers.n_steps, *fronts[0], *fronts[1]))
    for compiled, python in zip(*found, strict=True):
        np.testing.assert_array_equal(compiled, python)
