"""Fronts of real data: against CART and the optimum, and the choice of the size."""

from dataclasses import replace
from functools import partial

import naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier
from small_searches import FAST, FAST_NUMBERS, goal_of
from strategies import datasets

from bench.concepts import random_tree_concept
from gatree.base.errors import DataError
from gatree.data.answer import Classes
from gatree.data.catalog import dataset_names, load_dataset
from gatree.data.dataset import Dataset
from gatree.data.goal import Goal, SampleWeights
from gatree.optimum import AllowedTrees, optimum
from gatree.smalltree.choose import Effort, most_error, not_hidden, smoothed
from gatree.smalltree.fit import fit_front
from gatree.smalltree.front import plot_fronts
from gatree.smalltree.prepare import Samples, in_order_of_names
from gatree.smalltree.prune import sizes_up_to
from gatree.smalltree.settings import RegressionSettings, SearchSettings

SOON = ("credit-a", "zoo")  # the others are long tests
SOME = [name if name in SOON else pytest.param(name, marks=pytest.mark.long) for name in dataset_names()]


def n_right(tree, data):
    return int(np.count_nonzero(tree.predict(data) == data.classes))


@pytest.fixture(scope="module")
def glass():
    data = load_dataset("glass")
    return data, fit_front(data, FAST)


@pytest.mark.parametrize("size", ["auto", 9])
def test_many_instances_of_one_class_are_not_searched_through(monkeypatch, size):
    vote = load_dataset("vote")
    data = vote.take(np.flatnonzero(vote.classes == 1))
    goal = goal_of(data, [3, 3])
    searched = fit_front(data, replace(FAST, size=size), goal)
    monkeypatch.setattr("gatree.smalltree.fit._MANY", 0)
    monkeypatch.setattr("gatree.smalltree.fit.search_all", None)
    found = fit_front(data, replace(FAST, size=size), goal)
    assert found.tree == searched.tree
    assert found.tree.counts.tolist() == searched.tree.counts.tolist()
    for name, front in searched.fronts.items():
        for field in ("leaves", "accuracy", "validated"):
            one, other = getattr(found.fronts[name], field), getattr(front, field)
            assert np.array_equal(one, other) if other is not None else one is None


@pytest.mark.parametrize(("min_leaf", "heaviest"), [(1, 1), (10, 1), (1, 15)])
@pytest.mark.parametrize("name", SOME)
def test_no_size_is_worse_on_the_training_data_than_cart(name, min_leaf, heaviest):
    data = load_dataset(name)
    X, _ = load_dataset(name, as_frame=True)
    codes = np.nan_to_num(pd.get_dummies(X).to_numpy(float), nan=1e30)  # what is missing fails every test
    worth = heaviest ** (np.arange(data.n_classes) % 2)
    goal = goal_of(data, worth)
    front = fit_front(data, replace(FAST, size=64, min_leaves=(min_leaf,)), goal).fronts["evolved"]
    for leaves in (4, 8, 16, 32):
        limits = {"max_leaf_nodes": leaves, "min_samples_leaf": min_leaf}
        cart = DecisionTreeClassifier(**limits, random_state=0)
        cart.fit(codes, data.classes, weights := worth[data.classes])
        ours = front.accuracy[front.leaves <= leaves][-1]
        assert ours >= cart.score(codes, data.classes, weights) - 1e-12


def test_the_trees_of_a_front_get_right_what_it_says(glass):
    data, found = glass
    for front in found.fronts.values():
        assert (np.diff(front.leaves) > 0).all()
        assert (np.diff(front.accuracy) > 0).all()
        for leaves, accuracy in zip(front.leaves[:12], front.accuracy, strict=False):
            tree = front.tree(int(leaves))
            assert tree.n_leaves == leaves
            assert n_right(tree, data) / data.n_instances == pytest.approx(accuracy)
    evolved, greedy = found.fronts["evolved"], found.fronts["greedy"]
    for leaves in (4, 8, 16, 32):
        assert evolved.accuracy[evolved.leaves <= leaves][-1] >= greedy.accuracy[greedy.leaves <= leaves][-1]
    assert fit_front(data, replace(FAST, size=6)).fronts["evolved"].validated is None
    with pytest.raises(DataError, match="smallest tree of the front"):
        evolved.tree(0)


@pytest.mark.parametrize(
    "learn", [partial(fit_front, settings=FAST), partial(optimum, allowed=AllowedTrees(1))]
)
def test_a_class_alone_is_an_error(learn):
    only = replace(load_dataset("zoo"), attributes=(), columns=(), answer_position=0)
    with pytest.raises(DataError, match="zoo: there is only the class; at least one attribute"):
        learn(only)


def test_the_order_of_instances_classes_and_text_does_not_matter():
    data = load_dataset("lymph")
    found = fit_front(data, FAST).tree
    shuffled = data.take(np.random.default_rng(1).permutation(data.n_instances))
    assert fit_front(shuffled, FAST).tree == found
    labels = data.class_attribute
    other = replace(labels, values=labels.values[::-1])
    turned = replace(data, answer=Classes(other, data.n_classes - 1 - data.classes))
    worth = np.arange(1, 1 + data.n_classes)
    assert fit_front(turned, FAST).tree.to_text() == found.to_text()
    weighted = fit_front(data, FAST, goal_of(data, worth))
    assert fit_front(turned, FAST, goal_of(turned, worth[::-1])).tree.to_text() == weighted.tree.to_text()
    text = data.to_frame().astype(str)
    trees = [fit_front(Dataset.from_frame(text.iloc[::step], "class"), FAST).tree for step in (1, -1)]
    assert trees[0].to_text() == trees[1].to_text()


def test_classes_that_are_numbers_are_ordered_as_such():
    data = load_dataset("balance-scale")
    orders = [
        in_order_of_names(
            replace(data, answer=Classes(replace(data.class_attribute, values=values), data.classes))
        ).classes
        for values in (("10", "9", "-1"), ("10", "9", "x"), ("nan", "9", "10"))
    ]
    assert [order.tolist() for order in orders] == [[2, 1, 0], [0, 1, 2], [2, 1, 0]]


def test_noise_gets_a_leaf_and_a_rule_gets_its_tree():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((400, 4)), columns=list("abcd"))
    noise = frame.assign(target=np.where(rng.random(400) < 0.7, "x", "y"))
    assert fit_front(Dataset.from_frame(noise, "target"), FAST).tree.n_leaves <= 2
    rule = np.where((frame.a > 0.5) & (frame.b > 0.3), "x", "y")
    assert fit_front(Dataset.from_frame(frame.assign(target=rule), "target"), FAST).tree.n_leaves == 3


def test_marks_that_never_occur_do_not_mislead_the_cross_validation():
    marks = pd.DataFrame({"mark": [0, 2, 3, 4, 5, 6] * 10})
    data = Dataset.from_frame(marks.assign(target=np.where(marks.mark > 3, "x", "y")), "target")
    found = fit_front(data, replace(FAST, numeric_tests="auto"))
    assert found.tree.n_leaves == 2
    assert all(front.validated.tolist() == [0.5, 1.0] for front in found.fronts.values())


def test_of_equally_good_tests_that_of_the_attribute_with_fewer_is_taken():
    tone = ["low", "middle", "high", "high"]
    frame = pd.DataFrame({"tone": tone, "bit": ["0", "0", "1", "1"], "target": ["a", "a", "b", "b"]})
    data = Dataset.from_frame(pd.concat([frame] * 10, ignore_index=True), "target")
    for seed in range(4):
        tree = fit_front(data, replace(FAST, seed=seed)).tree
        assert (tree.n_leaves, tree.attributes[tree.tree.attribute[0]].name) == (2, "bit")


def test_weights_are_as_good_as_copies_and_equal_rows_are_one():
    data = load_dataset("vote")
    counts = 1 + np.arange(data.n_instances) % 3
    copied = data.take(np.repeat(np.arange(data.n_instances), counts))
    plain = Goal.of(data)
    weighted = fit_front(data, FAST, replace(plain, sample_weights=SampleWeights(counts)))
    assert fit_front(copied, FAST).tree == weighted.tree
    fractions = replace(plain, sample_weights=SampleWeights(8 * counts, per_sample=16))
    halves = fit_front(data, FAST, fractions)
    assert halves.tree.counts[0].tolist() == (8 * weighted.tree.counts[0]).tolist()
    least = replace(FAST, min_leaves=(9,), size=8)
    large = replace(plain, sample_weights=SampleWeights(16 * counts, per_sample=16))
    tree = fit_front(data, least, large).tree
    assert (tree.counts[tree.tree.attribute < 0].sum(axis=1) >= 9 * 16).all()


def test_large_data_are_thinned_out_with_a_line(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.random((3000, 3))
    frame = pd.DataFrame(X, columns=list("abc")).assign(target=np.where(X[:, 0] + X[:, 1] > 1, "x", "y"))
    data = Dataset.from_frame(frame, "target")
    whole = fit_front(data, replace(FAST, size=8))
    assert whole.notes == ()
    for name, most in (("_MANY_ROWS", 1000), ("_MOST_THRESHOLDS", 255), ("_MOST_ROWS", 1024)):
        monkeypatch.setattr(f"gatree.smalltree.prepare.{name}", most)
    found = fit_front(data, replace(FAST, size=8))
    assert "3,000 rows: at most 255 thresholds per attribute" in found.notes[0]
    assert "3,000 different rows: a sample of 1,024 is searched" in found.notes[1]
    front = found.fronts["evolved"]
    assert front.accuracy[-1] > whole.fronts["evolved"].accuracy[-1] - 0.03
    for leaves, accuracy in zip(front.leaves.tolist(), front.accuracy.tolist(), strict=True):
        assert n_right(front.tree(leaves), data) / data.n_instances == pytest.approx(accuracy)
    numbers = fit_front(data.with_numbers(X[:, 0] + X[:, 1]), replace(FAST_NUMBERS, size=8))
    assert len(numbers.notes) == 2
    assert numbers.fronts["evolved"].r2[-1] > 0.8


def test_a_small_tree_that_becomes_as_good_as_a_larger_one_replaces_it():
    frame = load_breast_cancer(as_frame=True).frame.iloc[::2]  # twelve leaves are enough
    data = Dataset.from_frame(frame.assign(target=frame["target"].astype(str)), "target")
    for front in fit_front(data, replace(FAST, population=0, effort=1.0)).fronts.values():
        assert (np.diff(front.worth) > 0).all()
        for leaves, worth in zip(front.leaves.tolist(), front.worth.tolist(), strict=True):
            assert n_right(front.tree(leaves), data) / data.n_instances == pytest.approx(worth)


def test_many_smooth_columns_are_thinned_out_to_the_limit_of_tests(monkeypatch):
    X = np.random.default_rng(0).random((300, 4))
    data = Dataset.from_frame(pd.DataFrame(X).assign(target=np.where(X[:, 0] > 0.5, "x", "y")), "target")
    for module in ("data.coding", "smalltree.prepare"):
        monkeypatch.setattr(f"gatree.{module}.MOST_TESTS", 600)
    found = fit_front(data, replace(FAST, size=2))
    assert "300 rows: at most 150 thresholds per attribute" in found.notes[0]
    assert found.tree.n_leaves == 2


def test_data_that_cannot_be_parted_get_a_leaf():
    same = pd.DataFrame({"a": [1.0] * 6, "target": list("xxxyyx")})
    assert fit_front(Dataset.from_frame(same, "target"), FAST).tree.n_nodes == 1
    alone = pd.DataFrame({"a": [1.0], "target": ["x"]})
    assert fit_front(Dataset.from_frame(alone, "target"), FAST).tree.n_nodes == 1


def test_the_smallest_size_near_the_best_of_both_fronts_is_chosen():
    errors = np.array([0.5, 0.27, 0.21, 0.2])  # of classes, so that the squares are the same
    assert smallest_near_best(errors, 0) == 3
    assert smallest_near_best(errors, 0.3) == 2  # an error is .04
    assert smallest_near_best(errors, 1.8) == 1
    assert smallest_near_best(errors, 0.3, most_lost=0.007) == 3
    assert smallest_near_best(errors, 1.8, most_lost=0.012) == 2
    assert smallest_near_best(np.array([0.5, -1e-15]), 0.3) == 1


def smallest_near_best(errors, standard_errors, most_lost=np.inf):
    return np.flatnonzero(errors <= most_error(errors, errors, 100, standard_errors, most_lost))[0]


def test_a_lone_peak_among_similar_sizes_counts_less_than_a_plateau():
    sizes = sizes_up_to(64)
    flat = np.full((1, len(sizes)), 0.7)
    np.testing.assert_allclose(smoothed(flat, sizes, 300), flat)
    peak, plateau = flat.copy(), flat.copy()
    peak[0, 40] = 0.9
    plateau[0, 24:30] = 0.8
    curves = smoothed(np.vstack([peak, plateau]), sizes, 300)
    assert curves[0].max() < curves[1].max() < 0.8
    steep = np.array([[0.3, 0.6, 0.9, 0.9]])
    assert smoothed(steep, np.arange(1, 5), 300).argmax() >= 2


def test_the_fewer_instances_the_wider_a_curve_is_smoothed():
    sizes = sizes_up_to(32)
    peak = np.zeros((1, len(sizes)))
    peak[0, 15] = 1
    heights = [smoothed(peak, sizes, n)[0, 15] for n in (10, 60, 250, 10_000)]
    assert heights[0] < heights[1] < heights[2] == heights[3]
    fourth = 0.15 * 2  # at a fourth of the instances it is twice as wide
    near = np.exp(-0.5 * (np.log(sizes / 16) / fourth) ** 2)
    assert smoothed(peak, sizes, 62.5)[0, 15] == pytest.approx(1 / near.sum())


def test_smoothing_hides_no_smaller_size_that_is_as_good():
    """The curve of a rule with three leaves on 20,000 rows: the step before it reaches over."""
    sizes, errors = sizes_up_to(8), np.array([0.254, 0.2538, 0.1507, 0.1508, 0.151, 0.151, 0.1511, 0.1511])
    curve = smoothed(errors, sizes, 20_000)
    most = most_error(curve, curve, 20_000, 0.5)
    assert sizes[np.flatnonzero(curve <= most)[0]] == 4
    assert sizes[np.flatnonzero(not_hidden(errors, curve) <= most)[0]] == 3
    raw, curve = np.array([0.1, 0.3, 0.2, 0.2]), np.array([0.4, 0.3, 0.2, 0.1])
    assert not_hidden(raw, curve).tolist() == [0.3, 0.3, 0.1, 0.1]


@pytest.mark.parametrize(("errors", "lost"), [(0.0, 1.0), (0.5, 0.007), (1.0, 1.0), (3.0, 1.0)])
def test_the_chosen_size_is_the_smallest_of_its_curve_within_the_limit(errors, lost):
    settings = replace(FAST, standard_errors=errors, most_lost=lost)
    for name in ("balance-scale", "vote", "kr-vs-kp"):
        found = fit_front(load_dataset(name), settings)
        curve, most = found.size_choice
        assert found.n_leaves == min(n for n, error in curve.items() if error <= most)
        assert errors > 0 or curve[found.n_leaves] == pytest.approx(min(curve.values()))


def test_small_data_are_cross_validated_more_often_in_the_same_work():
    settings = SearchSettings()
    shapes = {n: Effort.of(settings, n) for n in (3, 100, 300, 2000)}
    assert [(e.n_folds, e.n_repeats) for e in shapes.values()] == [(3, 2), (10, 2), (10, 1), (5, 1)]
    for n, effort in shapes.items():
        work = settings.work / (1 if n > 1_000 else 2)
        assert effort.work * (1 + effort.n_folds * effort.n_repeats) == pytest.approx(work)
    assert Effort.of(settings, 1).n_folds == 0
    single = Effort.of(replace(settings, size=6), 300)  # what the searches of the folds would have
    assert (single.n_folds, single.work) == (0, settings.work / 2)


def test_large_data_only_get_offspring_of_small_trees():
    small, large = (Effort.of(SearchSettings(), n) for n in (1_000, 1_001))
    assert (small.n_offspring, small.most_parents) == (400, 128)
    assert (large.n_offspring, large.most_parents) == (100, 16)
    assert Effort.of(SearchSettings(size=40), 1_001).n_offspring == 0  # they come after the evolution
    assert Effort.of(SearchSettings(first="a"), 1_001) == replace(
        Effort.of(SearchSettings(population=0), 1_001), on_folds=(600, 200), on_all=(1000, 300)
    )


def test_small_data_get_a_small_evolution_and_folds_a_smaller_one():
    settings = SearchSettings()
    assert [Effort.of(settings, n).on_all for n in (50, 2000)] == [(100, 100), (1000, 300)]
    assert [Effort.of(settings, n).on_folds for n in (50, 2000)] == [(50, 50), (600, 200)]
    assert Effort.of(replace(settings, effort=0.1), 2000).on_all == (100, 300)
    assert Effort.of(RegressionSettings(), 2000).on_all.population == 0


def test_unequal_weights_and_copies_tell_as_much_as_fewer_samples():
    rows = np.arange(4)
    assert Samples(rows, np.ones(4, dtype=np.int64)).n_effective == 4
    assert Samples(rows, np.array([1, 1, 1, 3])).n_effective == 36 / 12
    assert Samples(rows[:2], np.array([3, 1])).n_effective == 16 / 10


def test_a_picture_has_a_line_per_front(glass, tmp_path):
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2)
    try:
        pyplot.sca(left)
        assert plot_fronts(glass[1].fronts) is left
        assert figure.axes == [left, right]
        names = [line.get_label() for line in left.lines][:2]
        assert names == ["greedy, training data", "greedy, cross-validated"]
        front = glass[1].fronts["evolved"]
        (marked,) = (line for line in left.lines if "proven" in str(line.get_label()))
        np.testing.assert_array_equal(marked.get_xdata(), front.leaves[front.proven])
        figure.canvas.draw()
        ticks = {text.get_text() for text in left.get_xticklabels(which="both")}
        assert ticks >= {"1", "2", "5", "10"}
        assert not any("^" in tick for tick in ticks)
    finally:
        pyplot.close(figure)
    plot_fronts(glass[1].fronts, file=tmp_path / "fronts.svg")
    assert (tmp_path / "fronts.svg").stat().st_size > 1000
    with pytest.raises(DataError, match="no fronts to draw"):
        plot_fronts(object())


LAZY = SearchSettings(size=16, polished=(), most_offspring=0, work=1e9)
"""A search that improves on nothing, so that most small trees are the solver's."""


@given(datasets(min_instances=2, max_instances=10, max_attributes=2, max_values=3))
def test_no_tree_of_a_proven_size_makes_fewer_errors(data):
    front = fit_front(data, LAZY).fronts["evolved"]
    twin = naive.Data.of(data, "observed")
    assert front.proven[0]
    for leaves, proven in zip(front.leaves.tolist(), front.proven.tolist(), strict=True):
        if proven and leaves <= 4:
            errors = np.count_nonzero(front.tree(leaves).predict(data) != data.classes)
            assert errors == naive.fewest_errors(twin, leaves - 1)


@pytest.mark.parametrize("data", [load_dataset("glass"), random_tree_concept(60, 4, seed=1)], ids=str)
def test_trees_of_the_solver_take_the_places_of_worse_ones(data):
    front = fit_front(data, LAZY).fronts["evolved"]
    assert front.proven[front.leaves <= 4].all()
    for leaves, accuracy in zip(front.leaves.tolist(), front.accuracy.tolist(), strict=True):
        tree = front.tree(leaves)
        assert tree.n_leaves == leaves
        assert np.mean(tree.predict(data) == data.classes) == accuracy
        if leaves <= 4:
            assert accuracy == optimum(data, AllowedTrees(leaves - 1)).accuracy


def test_class_weights_and_large_leaves_count_in_proofs():
    data = load_dataset("vote")
    goal = goal_of(data, [1, 3])
    demanding = SearchSettings(size=4, min_leaves=(30,))
    front = fit_front(data, demanding, goal).fronts["evolved"]
    best = optimum(data, AllowedTrees(3, min_leaf=30), goal=goal)
    assert front.proven.all()
    assert front.accuracy[-1] == best.accuracy


def test_proofs_do_not_change_the_size_that_was_chosen():
    data = load_dataset("vote")
    lazy = replace(LAZY, size="auto", n_folds=3)
    found, unproven = fit_front(data, lazy), fit_front(data, replace(lazy, min_split=3))
    assert found.tree.n_leaves == unproven.tree.n_leaves  # nothing is proven with that limit
    assert found.fronts["evolved"].proven[:3].all()
    assert not unproven.fronts["evolved"].proven.any()
    assert not found.fronts["greedy"].proven.any()


def test_a_size_picked_from_the_front_is_as_good_as_a_search_for_it():
    """Without the offspring of small sizes, the tree of 16 leaves is 1.9 points below."""
    data, settings = load_dataset("glass"), SearchSettings(numeric_tests="auto")
    front = fit_front(data, settings).fronts["evolved"]
    given_size = fit_front(data, replace(settings, size=16)).fronts["evolved"]
    at_sixteen = front.worth[np.searchsorted(front.leaves, 16, side="right") - 1]
    assert at_sixteen > given_size.worth[-1] - 0.005
