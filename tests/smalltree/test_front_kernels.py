"""Greedy growth, pruning, sweeps and the search against slow, obvious twins."""

from fractions import Fraction

import naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import datasets, trees
from workshop import (
    Workshop,
    both_plans,
    correct_of,
    greedy_front,
    interpreted,
    nested,
    nested_at,
    of_all_nodes,
    swept_completely,
)

from gatree.data.catalog import load_dataset
from gatree.data.dataset import Dataset
from gatree.smalltree import draft, loop, prune, search
from gatree.smalltree import grow as growing
from gatree.smalltree import held_out as held_outs
from gatree.smalltree import sweep as sweeping
from gatree.smalltree.draft import make_workspace
from gatree.smalltree.grow import ENTROPY, GAIN_RATIO, GINI
from gatree.smalltree.held_out import HeldOut
from gatree.smalltree.loop import N_UNIFORMS
from gatree.smalltree.prune import NO_TREE, make_archive, sizes_up_to, tree_at
from gatree.smalltree.settings import SearchSettings
from gatree.smalltree.task import CORRECT_UNIT, DEEPEST, TreeLimits, part_of, task_of, weights_to_grow
from gatree.trees.genome import LEAF, Tree

gather = interpreted(draft.gather)
note_best_sizes, pruned, take_equals = map(
    interpreted, (prune.note_best_sizes, prune.pruned, prune.take_equals)
)
center, gaps, middles = map(interpreted, (held_outs.center, held_outs.gaps, held_outs.middles))
load_centred, start_at_root = map(interpreted, (held_outs.load_centred, held_outs.start_at_root))
prunings, weigh, weigh_leaves, grow = map(
    interpreted, (prune.prunings, prune.weigh, prune.weigh_leaves, growing.grow)
)
offer_prunings, polish, evolve, evaluate_held_out = map(
    interpreted, (loop.offer_prunings, loop.polish, loop.evolve, held_outs.evaluate_held_out)
)
grow_out, sort_codes, sweep_all = map(interpreted, (sweeping.grow_out, sweeping.sort_codes, loop.sweep_all))
sweep = of_all_nodes(interpreted(sweeping.sweep))

SMALL = datasets(min_instances=1, max_instances=14, max_attributes=3, min_classes=2, max_classes=3)


WORTHS = st.sampled_from([(1, 1, 1), (1, 5, 2)])


def test_no_tree_of_a_front_is_cut_for_its_depth():
    assert SearchSettings().max_leaves - 1 == DEEPEST


@st.composite
def planted(draw, **options):
    """A workshop and a tree over its data."""
    data = draw(SMALL)
    if "gain" in options:
        options["gain"] = np.array(options["gain"])[: data.n_classes, : data.n_classes]
    shop = Workshop(data, **options)
    tree = draw(trees(shop.coding.n_tests, shop.dataset.n_classes))
    return shop, tree


def some_of(n):
    """Whether each of ``n`` instances is learnt from."""
    return st.lists(st.booleans(), min_size=n, max_size=n)


def weight(shop, instances):
    return float(sum(shop.worth[shop.dataset.classes[i]] for i in instances))


def purity(shop, instances, criterion):
    by_class = {}
    for i in instances:
        by_class.setdefault(int(shop.dataset.classes[i]), []).append(i)
    weights, whole = np.array([weight(shop, same) for same in by_class.values()]), weight(shop, instances)
    if criterion == GINI:
        return (weights**2).sum() / whole
    return (weights * np.log2(weights)).sum() - whole * np.log2(whole)


def gain(shop, instances, left, right):
    parts = purity(shop, left, GAIN_RATIO) + purity(shop, right, GAIN_RATIO)
    return parts - purity(shop, instances, GAIN_RATIO)


def gain_ratio(shop, instances, left, right):
    whole = weight(shop, instances)
    shares = np.array([weight(shop, left), weight(shop, right)]) / whole
    return gain(shop, instances, left, right) / (-whole * (shares * np.log2(shares)).sum())


def best_ratio(shop, instances):
    """The best gain ratio of the attributes whose best test gains no less than theirs do in the mean."""
    best = {}
    for attribute, _, left, right in shop.splits(instances):
        found = gain(shop, instances, left, right)
        if found > best.get(attribute, (1e-9,))[0] + 1e-9:
            best[attribute] = found, gain_ratio(shop, instances, left, right)
    mean = np.mean([found for found, _ in best.values()])
    return max(ratio for found, ratio in best.values() if found >= mean - 1e-9)


@given(SMALL, st.sampled_from([GINI, ENTROPY, GAIN_RATIO]), st.integers(0, 3), WORTHS)
def test_greedy_trees_take_the_purest_split_until_leaves_cannot_be_parted(data, criterion, min_leaf, worth):
    shop = Workshop(data, min_leaf=min_leaf, worth=worth[: data.n_classes])
    workspace = shop.workspace
    workspace.buffers.order[:] = shop.cases.order
    n = grow(shop.task, workspace.buffers, (0, data.n_instances), criterion, (LEAF, 0), workspace.one, 0, 0)

    def check(tree, instances):
        found = list(shop.splits(instances))
        is_pure = len({int(data.classes[i]) for i in instances}) == 1
        if not isinstance(tree, tuple):
            gains = [purity(shop, le, criterion) + purity(shop, ri, criterion) for *_, le, ri in found]
            no_gain = max(gains, default=-np.inf) <= purity(shop, instances, criterion) + 1e-6
            assert is_pure or not found or (criterion == GAIN_RATIO and no_gain)
            return
        [(left, right)] = [(le, ri) for a, t, le, ri in found if (a, t) == tree[:2]]
        if criterion != GAIN_RATIO:
            pure = [purity(shop, le, criterion) + purity(shop, ri, criterion) for *_, le, ri in found]
            assert purity(shop, left, criterion) + purity(shop, right, criterion) == pytest.approx(max(pure))
            rivals = [split for split, p in zip(found, pure, strict=True) if p > max(pure) - 1e-7]
            assert shop.margin(tree[0], left, right) == max(shop.margin(a, le, ri) for a, _, le, ri in rivals)
        else:
            assert gain_ratio(shop, instances, left, right) == pytest.approx(best_ratio(shop, instances))
        check(tree[2], left)
        check(tree[3], right)

    check(nested(workspace.one, n), list(range(data.n_instances)))


@st.composite
def limited(draw):
    """A workshop with limits and class weights; of two classes, perhaps with costs and directions."""
    data = draw(SMALL)
    of_two, signs = data.n_classes == 2, st.sampled_from([-1, 0, 1])
    directions = [0 if a.is_nominal or not of_two else draw(signs) for a in data.attributes]
    limits = TreeLimits(
        max_depth=draw(st.sampled_from([DEEPEST, 1, 2, 3])),
        min_split=draw(st.integers(2, 5)),
        directions=np.array(directions if any(directions) else [], dtype=np.int8),
        first=draw(st.sampled_from([LEAF, 0])),
    )
    costs = of_two and draw(st.booleans())
    gain = [[5, draw(st.integers(0, 4))], [draw(st.integers(0, 2)), 3]] if costs else None
    worth = [draw(st.integers(1, 4))] + [1] * (data.n_classes - 1)
    return Workshop(data, worth, draw(st.integers(1, 3)), gain=gain, limits=limits)


def allowed_prunings(shop, tree, instances, depth=0):
    """The best scores of prunings within the limits, by leaves and their lowest and highest class."""
    label, found = shop.label(instances), {}
    if depth == 0 or len(instances) >= shop.min_leaf:
        found[1, label, label] = shop.leaf_score(instances)
    is_first = depth > 0 or shop.limits.first in (LEAF, tree[0] if isinstance(tree, tuple) else LEAF)
    if isinstance(tree, tuple) and is_first and shop.allows(instances, depth):
        left, right = (
            allowed_prunings(shop, below, side, depth + 1)
            for below, side in zip(tree[2:], shop.sides(instances, tree[:2]), strict=True)
        )
        direction = shop.limits.directions[tree[0]] if len(shop.limits.directions) else 0
        for (i, low, high), a in left.items():
            for (j, lowest, highest), b in right.items():
                if (direction > 0 and high > lowest) or (direction < 0 and low < highest):
                    continue
                key = i + j, min(low, lowest), max(high, highest)
                found[key] = max(found.get(key, NO_TREE), a + b)
    return found


def best_up_to(scores):
    """What the best trees get right, by the maximum number of leaves."""
    return [correct_of(max(scores[: k + 1])) for k in range(len(scores))]


@given(limited(), st.data())
def test_pruning_keeps_to_limits(shop, data):
    tree = data.draw(trees(shop.coding.n_tests, shop.dataset.n_classes))
    n = shop.put(tree)
    found = prunings(shop.workspace, shop.workspace.one, n, 16)
    expected = [NO_TREE] * tree.n_leaves
    everything = list(range(shop.dataset.n_instances))
    for (leaves, _, _), score in allowed_prunings(shop, naive.to_nested(tree), everything).items():
        expected[leaves - 1] = max(expected[leaves - 1], score)
    scores = found.score[: found.first[1]].tolist()
    assert best_up_to(scores) == best_up_to(expected)
    if len(shop.limits.directions) == 0:  # else leaves that only differ in purity are left out
        assert scores == expected
    k = max(size for size in range(1, 1 + len(scores)) if scores[size - 1] != NO_TREE)
    m = pruned(shop.workspace.one, found, k, shop.workspace.spare)
    within = allowed_prunings(shop, nested(shop.workspace.spare, m), everything)
    assert scores[k - 1] == max(score for (size, _, _), score in within.items() if size == k)


@given(planted() | planted(gain=[[4, 1, 0], [0, 2, 2], [1, 0, 3]]))
def test_a_sweep_gets_no_fewer_right_and_ends_where_no_test_helps(planting):
    shop, tree = planting
    workspace = shop.workspace
    n, right, changed = shop.put(tree), shop.correct(naive.to_nested(tree)), True
    while changed:
        n, changed = sweep(shop.task, workspace.buffers, workspace.one, workspace.other)
        swept = nested(workspace.other, n)
        assert shop.correct(swept) >= right
        right = shop.correct(swept)
        for part, values in zip(workspace.one, workspace.other, strict=True):
            part[:n] = values[:n]
    for path, node in naive.nodes(swept):
        if isinstance(node, tuple):
            for attribute, test, _, _ in shop.splits(range(shop.dataset.n_instances)):
                other = naive.put(swept, path, (attribute, test, node[2], node[3]))
                assert shop.correct(other) <= right
    for path, instances in naive.instances_at_leaves(shop.naive, swept).items():
        at = [p for p, _ in naive.nodes(swept)].index(path)
        assert all(workspace.buffers.leaf_of[i] == at for i in instances)


@given(planted() | planted(min_leaf=2) | planted(gain=[[4, 1, 0], [0, 2, 2], [1, 0, 3]]))
def test_sweeps_that_skip_tests_which_nothing_has_changed_find_the_same_tree(planting):
    shop, tree = planting
    n, _ = sweep_all(shop.workspace, shop.put(tree))
    found = nested(shop.workspace.one, n)
    assert found == swept_completely(sweep, shop.workspace, shop.put(tree), loop._SWEEPS)


@given(st.lists(st.integers(0, 9), max_size=30))
def test_pairs_are_sorted_by_their_keys(numbers):
    keys, places = np.array(numbers, dtype=np.int32), np.arange(len(numbers))
    counts = places + 7
    sort_codes(keys, places, counts, len(keys))
    assert keys.tolist() == sorted(numbers)
    assert [numbers[place] for place in places] == keys.tolist()
    assert sorted(places) == list(range(len(keys)))
    assert (counts == places + 7).all()


def test_of_tests_that_win_as_much_a_sweep_takes_the_one_with_the_widest_margin():
    frame = pd.DataFrame({"x": range(8), "bit": list("00001111"), "target": list("aaaabbbb")})
    shop = Workshop(Dataset.from_frame(frame, "target"))
    stump = Tree(*np.array([[0, LEAF, LEAF], [0, 0, 1], [3, 1, 1]], dtype=np.int32))
    shop.put(stump)
    sweep(shop.task, shop.workspace.buffers, shop.workspace.one, shop.workspace.other)
    assert nested(shop.workspace.other, 3)[0] == 1


@given(planted())
def test_growing_out_leaves_nothing_that_can_be_parted(planting):
    shop, tree = planting
    workspace = shop.workspace
    shop.put(tree)
    n, _ = sweep(shop.task, workspace.buffers, workspace.one, workspace.other)
    before = shop.correct(nested(workspace.other, n))
    m = grow_out(shop.task, workspace.buffers, workspace.other, n, GINI, workspace.one)
    grown = nested(workspace.one, m)
    assert shop.correct(grown) >= before
    for instances in naive.instances_at_leaves(shop.naive, grown).values():
        is_pure = len({int(shop.dataset.classes[i]) for i in instances}) <= 1
        assert is_pure or not list(shop.splits(instances))


@given(limited(), st.integers(0, 2**32))
def test_the_search_keeps_to_limits_and_true_counts_and_never_loses(shop, seed):
    archive = greedy_front(shop.workspace, shop.most_leaves)
    before = archive.score.copy()
    polish(shop.workspace, archive, np.arange(1, min(6, len(before))), 2**62)
    uniforms, used = (
        np.random.default_rng(seed).random((8, N_UNIFORMS)),
        int(shop.workspace.buffers.n_steps[0]),
    )
    assert evolve(shop.workspace, archive, len(archive.score), False, uniforms, used) == 0
    assert shop.workspace.buffers.n_steps[0] == used
    evolve(shop.workspace, archive, len(archive.score), False, uniforms, 2**62)
    assert shop.workspace.buffers.n_steps[0] > used
    assert (archive.score >= before).all()
    for place in np.flatnonzero(archive.score != NO_TREE):
        tree, size = nested_at(archive, place), archive.n_leaves[place]
        assert (naive.size(tree) + 1) // 2 == size
        within = allowed_prunings(shop, tree, list(range(shop.dataset.n_instances)))
        score = max(score for (leaves, _, _), score in within.items() if leaves == size)
        assert archive.score[place] == score == shop.score(tree)
        assert correct_of(score) == shop.correct(tree)
    note_best_sizes(archive, CORRECT_UNIT)
    for place, best in enumerate(archive.best):
        assert correct_of(archive.score[best]) == correct_of(archive.score[: place + 1].max())


def exact_score(shop, tree):
    """What a tree gets right and its Gini purity, nothing rounded."""
    leaves = naive.instances_at_leaves(shop.naive, tree).values()
    labels = [[int(shop.dataset.classes[i]) for i in leaf] for leaf in leaves if leaf]
    squares = [sum(leaf.count(c) ** 2 for c in set(leaf)) for leaf in labels]
    return shop.correct(tree), sum(
        Fraction(square, len(leaf)) for square, leaf in zip(squares, labels, strict=True)
    )


@given(SMALL, st.integers(0, 2**32))
def test_of_equally_good_trees_the_greedy_one_is_taken(data, seed):
    shop = Workshop(data)
    greedy = greedy_front(shop.workspace, shop.most_leaves, (GINI,))
    evolved = make_archive(shop.most_leaves)
    take_equals(greedy, evolved)
    assert all(np.array_equal(a, b) for a, b in zip(greedy, evolved, strict=True))
    uniforms = np.random.default_rng(seed).random((8, N_UNIFORMS))
    evolve(shop.workspace, evolved, len(evolved.score), False, uniforms, 2**62)
    found = {place: nested_at(evolved, place) for place in np.flatnonzero(evolved.score != NO_TREE)}
    take_equals(greedy, evolved)
    for place, tree in found.items():
        was_greedy = greedy.score[place] != NO_TREE
        as_good = was_greedy and exact_score(shop, nested_at(greedy, place)) >= exact_score(shop, tree)
        taken = nested_at(evolved, place)
        assert taken == (nested_at(greedy, place) if as_good else tree)
        assert shop.score(taken) == evolved.score[place]


@given(planted() | planted(numeric_tests="integer"))
def test_thresholds_in_the_middle_of_their_gap_part_the_instances_as_before(planting):
    shop, tree = planting
    n = shop.put(tree)
    scale, buffers = shop.rows.scale, shop.workspace.buffers
    middle = buffers.nodes.middle
    find_gaps(shop.cases, shop.workspace.one, n, buffers)
    middles(shop.cases, scale, shop.workspace.one, n, buffers.nodes)
    before = naive.to_nested(tree)
    for at, (path, node) in enumerate(naive.nodes(before)):
        if isinstance(node, tuple) and np.isfinite(middle[at]):
            column = shop.dataset.columns[node[0]]
            here = [i for i in range(len(column)) if path in naive.way(shop.naive, before, i)[0]]
            passing = [column[i] for i in here if shop.naive.passes(i, node[0], node[1])]
            failing = [column[i] for i in here if column[i] > shop.naive.thresholds[node[0]][node[1]]]
            below, above = max(passing), min(failing, default=np.inf)  # missing values fail without one
            assert below <= middle[at]
            if failing:
                assert abs(middle[at] - (below + above) / 2) <= (above - below) / 4 + 1e-9
    center(shop.cases, scale, shop.workspace.one, n, buffers.nodes)
    after = nested(shop.workspace.one, n)
    for i in range(shop.dataset.n_instances):
        assert naive.way(shop.naive, before, i) == naive.way(shop.naive, after, i)


@given(planted() | planted(numeric_tests="integer"), st.data())
def test_unseen_values_go_the_way_that_the_middle_of_the_gap_tells(planting, drawn):
    """The gaps are those of some of the instances; of a grid of integers some have no instance at all."""
    shop, tree = planting
    n, n_instances = shop.put(tree), shop.dataset.n_instances
    learnt = np.array(drawn.draw(some_of(n_instances)), dtype=np.bool_)
    scale, buffers = shop.rows.scale, shop.workspace.buffers
    middle = buffers.nodes.middle
    find_gaps(part_of(shop.cases, learnt), shop.workspace.one, n, buffers)
    middles(part_of(shop.cases, learnt), scale, shop.workspace.one, n, buffers.nodes)
    center(shop.cases, scale, shop.workspace.one, n, buffers.nodes)
    for at in np.flatnonzero(np.isfinite(middle[:n])):
        attribute, value = shop.workspace.one.attribute[at], shop.workspace.one.value[at]
        passes = [shop.naive.passes(i, attribute, value) for i in range(n_instances)]
        assert passes == (shop.dataset.columns[attribute] <= middle[at]).tolist()


def find_gaps(cases, tree, n_nodes, buffers):
    start_at_root(buffers.nodes, n_nodes, buffers.leaf_of)
    gaps(cases, tree, buffers.nodes, buffers.leaf_of)


@given(planted(), st.booleans())
def test_leaves_weigh_what_they_weigh_as_nodes(planting, has_costs):
    shop, tree = planting
    task, buffers, one = shop.workspace.task, shop.workspace.buffers, shop.workspace.one
    if has_costs:
        n_classes = task.cases.n_classes
        task = task._replace(gain=np.arange(n_classes**2).reshape(n_classes, -1) * 7 % 5)
    n = shop.put(tree)
    weigh(task, buffers, one)
    is_leaf = one.attribute[:n] == LEAF
    known = [each[:n] for each in (buffers.nodes.n_here, buffers.nodes.label, buffers.nodes.score)]
    expected = [each[is_leaf].tolist() for each in known]
    find_gaps(shop.cases, one, n, buffers)
    sums = prune.ClassSums(*(np.full((n, task.cases.n_classes), 3) for _ in range(2)))
    for each in known:
        each[:] = -1
    weigh_leaves(task, buffers, one, n, sums)
    assert [each[is_leaf].tolist() for each in known] == expected


@given(SMALL, st.sampled_from(["observed", "integer", "auto"]), st.booleans(), st.data())
def test_fronts_are_tried_out_on_what_is_held_out(data, numeric_tests, use_gaps, drawn):
    shop = Workshop(data, [2] + [1] * (data.n_classes - 1), numeric_tests=numeric_tests)
    learnt = np.array([True, *drawn.draw(some_of(data.n_instances - 1))])
    workspace = make_workspace(task_of(shop.rows.with_weights(learnt.astype(np.int64))), shop.most_leaves)
    archive = greedy_front(workspace, shop.most_leaves)
    check_held_out(shop, workspace, archive, learnt, use_gaps)


def check_held_out(shop, workspace, archive, learnt, use_gaps):
    evaluation = held_out_of(shop, task_of(shop.rows.with_weights((~learnt).astype(np.int64))), use_gaps)
    evaluate_held_out(workspace, archive, evaluation, 0)
    expected = shop.dataset.classes[~learnt]
    for place, best in enumerate(archive.best):
        found = [class_of_values(shop, archive, best, i) for i in np.flatnonzero(~learnt)]
        assert evaluation.errors[0, 0, place] == shop.worth[expected[expected != found]].sum()
        assert evaluation.squares[0, 0, place] == (shop.worth[expected[expected != found]] ** 2).sum()
    assert use_gaps or np.isinf(archive.middle).all()


@pytest.mark.parametrize("seed", range(3))
def test_trees_that_share_tests_inherit_from_each_other(seed):
    rng = np.random.default_rng(seed)
    shop = Workshop(load_dataset("credit-a").take(rng.permutation(690)[:150]))
    learnt = rng.random(150) < 0.6
    workspace = make_workspace(task_of(shop.rows.with_weights(learnt.astype(np.int64))), shop.most_leaves)
    archive = greedy_front(workspace, shop.most_leaves)
    evolve(workspace, archive, len(archive.score), False, rng.random((4, N_UNIFORMS)), 2**62)
    for place in (2, 4):  # the same attribute, another value
        root = archive.first[place] + (place == 4)
        n_tests = shop.cases.n_tests[archive.trees.attribute[root]]
        archive.trees.value[root] = (archive.trees.value[root] + 1) % n_tests
    check_held_out(shop, workspace, archive, learnt, use_gaps=True)
    assert len(np.unique(archive.best)) > 5
    for place in np.unique(archive.best)[1:]:  # the middles are those of a walk of all instances
        inherited = archive.middle.copy()
        load_centred(workspace, archive, held_out_of(shop, workspace.task, True), place, -1)
        assert np.array_equal(archive.middle, inherited)


def held_out_of(shop, held_out, use_gaps):
    shape = (2, 1, shop.most_leaves)
    leaf_of = np.zeros(len(held_out.counts), dtype=np.int32)
    return HeldOut(
        held_out, shop.rows.scale, use_gaps, np.zeros(1), np.zeros(shape), np.zeros(shape), leaf_of
    )


def class_of_values(shop, archive, place, instance):
    """The class that the tree of a place, with thresholds as a user gets them, gives to an instance."""
    tree, middle, node = tree_at(archive, place), archive.middle[archive.first[place] :], 0
    while tree.attribute[node] != LEAF:
        attribute, value = tree.attribute[node], tree.value[node]
        passes = shop.naive.passes(instance, attribute, value)
        if np.isfinite(middle[node]):
            passes = shop.dataset.columns[attribute][instance] <= middle[node]
        node += 1 if passes else 1 + tree.span[node + 1]
    return tree.value[node]


def test_sizes_are_all_small_ones_then_growing_steps():
    sizes = sizes_up_to(1000)
    assert sizes[:32].tolist() == list(range(1, 33))
    assert sizes[-1] == 1000
    assert (np.diff(sizes) <= np.maximum(1, 0.05 * sizes[:-1] + 1)).all()
    assert len(sizes) < 120
    assert sizes_up_to(1).tolist() == [1]


@pytest.mark.parametrize(
    ("worth", "n_of_each", "expected"),
    [
        ([1, 1], [5, 3], [1, 1]),
        ([7, 7], [5, 3], [1, 1]),
        ([6, 10], [5, 3], [3, 5]),
        ([0, 2], [5, 3], [1, 1]),
        ([1000, 3001], [6, 2], [11, 32]),  # 16 for an instance in the mean, rounded
        ([1, 10**9], [7, 1], [1, 128]),
        ([1, 16], [1, 2**22], [1, 1]),  # there would be more weights than terms
    ],
)
def test_what_instances_count_where_trees_are_grown(worth, n_of_each, expected):
    classes = np.repeat([0, 1], n_of_each)
    found = weights_to_grow(np.array(worth)[classes])
    assert found[[0, -1]].tolist() == expected


@pytest.mark.parametrize("limits", [None, TreeLimits(max_depth=3, min_split=4)])
def test_a_compiled_search_finds_what_an_interpreted_one_finds(limits):
    data = load_dataset("zoo").take(np.arange(0, 101, 3))
    found = []
    for kernel in (search.search, interpreted(search.search)):
        shop = Workshop(data, limits=limits)
        fronts = make_archive(shop.most_leaves), make_archive(shop.most_leaves)
        for plan in both_plans(shop.most_leaves):
            kernel(shop.workspace, *fronts, plan)
        found.append((shop.workspace.buffers.n_steps, *fronts[0], *fronts[1]))
    for compiled, python in zip(*found, strict=True):
        np.testing.assert_array_equal(compiled, python)
