"""The trees of an evolution that a search starts with, against naive twins, and what they are good for."""

from dataclasses import replace

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_searches import FAST
from strategies import datasets

from gatree.data.answer import Classes
from gatree.data.attribute import Attribute
from gatree.data.catalog import load_dataset
from gatree.data.dataset import Dataset
from gatree.data.goal import Goal
from gatree.evolution.evolve import Evolution, evolve
from gatree.evolution.problem import Problem
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.smalltree.evolved import BestPerSize, EvolutionEffort, drawn, evolved_trees
from gatree.smalltree.fit import fit_front
from gatree.smalltree.prepare import prepare
from gatree.smalltree.settings import SearchSettings
from gatree.trees.genome import Tree, predict

BRIEF = EvolutionEffort(population=30, generations=10)


def rows_of(data, **given):
    return prepare(data, SearchSettings(**given), Goal.of(data)).rows


def trees_in(draft):
    begin = 0
    while begin < len(draft.attribute):
        nodes = slice(begin, begin + draft.span[begin])
        yield naive.to_nested(Tree(*(part[nodes] for part in draft)))
        begin = nodes.stop


def n_correct(rows, nested):
    """The weight of the rows in the majority classes of a tree's leaves, by comparing codes."""
    at_leaf = {}
    for row, label in enumerate(rows.cases.classes.tolist()):
        path, node = (), nested
        while isinstance(node, tuple):
            attribute, value, *branches = node
            code = rows.cases.codes[attribute, row]
            passes = code <= value if rows.cases.is_numeric[attribute] else code == value
            path, node = (*path, bool(passes)), branches[not passes]
        leaf = at_leaf.setdefault(path, np.zeros(rows.cases.n_classes, dtype=int))
        leaf[label] += rows.weight[row] * rows.worth[label]
    return sum(int(leaf.max()) for leaf in at_leaf.values())


def n_leaves(nested):
    return sum(map(n_leaves, nested[2:])) if isinstance(nested, tuple) else 1


@given(datasets(min_instances=4, min_classes=2), st.integers(0, 99))
def test_trees_are_in_the_codes_of_the_search_each_better_than_all_smaller_ones(data, seed):
    rows = rows_of(data)
    found = list(trees_in(evolved_trees(rows, BRIEF, seed)))
    sizes, correct = [n_leaves(tree) for tree in found], [n_correct(rows, tree) for tree in found]
    assert sizes == sorted(set(sizes))
    assert correct == sorted(set(correct))


def exclusive_or(n, n_columns, noise=0.1, seed=0):
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(n_columns, n))
    classes = ((columns[0] > 0) != (columns[1] > 0)) ^ (rng.random(n) < noise)
    attributes = tuple(Attribute(f"x{i}", "numeric") for i in range(n_columns))
    answer = Classes(Attribute("answer", "nominal", ("no", "yes")), classes.astype(np.int32))
    return Dataset("xor", attributes, tuple(columns), answer, n_columns)


def test_an_interaction_that_greedy_trees_miss_is_found_in_few_leaves():
    data, clean = exclusive_or(800, 8), exclusive_or(2000, 8, noise=0, seed=1)
    settings = replace(FAST, population=300, generations=60)
    found = fit_front(data, settings).tree
    assert found.n_leaves <= 8
    assert np.mean(found.predict(clean) == clean.classes) > 0.95
    assert fit_front(data, replace(settings, n_jobs=2)).tree == found


@pytest.mark.parametrize("given", [{"size": 1}, {"first": "x2"}])
def test_there_are_none_of_a_single_leaf_or_below_a_given_first_test(given):
    rows = rows_of(exclusive_or(40, 3), **given)
    effort = BRIEF if "first" in given else BRIEF._replace(population=1)
    assert len(evolved_trees(rows, effort, 0).attribute) == 0


def test_an_evolution_ends_at_the_deadline_with_the_trees_so_far():
    rows, calls = rows_of(exclusive_or(200, 3)), []

    def is_over():
        calls.append(None)
        return len(calls) == 3

    cut = evolved_trees(rows, EvolutionEffort(50, 10**6), 0, is_over)
    whole = evolved_trees(rows, EvolutionEffort(50, 2), 0)
    assert len(calls) == 3
    assert len(list(trees_in(cut))) >= len(list(trees_in(whole))) > 0


@pytest.mark.parametrize(("stake", "expected"), [([1, 1, 1], [0, 1, 2]), ([6, 0, 9], [0, 0, 2, 2, 2])])
def test_rows_count_by_their_stakes_in_lowest_terms(stake, expected):
    assert drawn(np.array(stake), 10, seed=1).tolist() == expected


def test_of_many_rows_a_stratified_sample_is_drawn():
    found = np.bincount(drawn(np.array([1000, 3000, 1]), 400, seed=2), minlength=3)
    assert found.sum() == 400
    assert abs(found - [100, 300, 0]).max() <= 1


@pytest.mark.parametrize("evaluator", ["new", "bitset"])
def test_champions_are_the_best_of_all_trees(evaluator):
    settings = EvolutionSettings(
        population_size=100, n_generations=100, mutation_rate=0.5, x_factor="1e12", evaluator=evaluator
    )
    problem = Problem.of(load_dataset("balance-scale"))
    champions, most_correct = BestPerSize(), {}

    def watch(evolution: Evolution) -> None:
        champions.watch(evolution.population)
        for slot in evolution.population.alive:
            size = int(evolution.population.trees.n_nodes[slot])
            correct = int(evolution.population.trees.n_correct[slot])
            most_correct[size] = max(correct, most_correct.get(size, 0))

    outcome = evolve(problem, settings, watch)
    found = champions.champions()
    assert [(c.tree.n_nodes, c.n_correct) for c in found] == sorted(most_correct.items())
    assert outcome.best in [champion.tree for champion in found]
    assert found[-1].tree.n_nodes > 32
    for champion in found:
        predicted = predict(champion.tree, problem.instances.codes, problem.instances.is_numeric)
        assert np.count_nonzero(predicted == problem.instances.classes) == champion.n_correct
