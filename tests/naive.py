"""Slow, obvious twins of what the engine does, written from the paper and not from the engine.

A naive tree is nested tuples: ``(attribute, test, left, right)``, or a class number for a leaf. Data
are the raw columns of a `Dataset`, not its codes. Random numbers come in as the same uniforms that
the engine is given, so results must be equal, not similar.
"""

from __future__ import annotations

import itertools
import math
from collections import deque
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from gatree.data.coding import code
from gatree.data.dataset import Dataset

# --- folds ---------------------------------------------------------------------------------------


def grouped_by_class(rows, classes):
    """Rows class by class; each row that joins its class sends the first of those it passes to their end."""
    grouped, left = [], deque(rows)
    while left:
        passed = deque()
        label = classes[left[0]]
        for row in left:
            if classes[row] == label:
                grouped.append(row)
                passed.rotate(-1)
            else:
                passed.append(row)
        left = passed
    return grouped


# --- trees ---------------------------------------------------------------------------------------


def nodes(tree, path=()):
    """All nodes in preorder, as (path, subtree); a path is a tuple of 2 (left) and 3 (right)."""
    found = [(path, tree)]
    if isinstance(tree, tuple):
        found += nodes(tree[2], (*path, 2))
        found += nodes(tree[3], (*path, 3))
    return found


def size(tree):
    return len(nodes(tree))


def depth(tree):
    return max(len(path) for path, _ in nodes(tree))


def put(tree, path, subtree):
    """The tree with the subtree at a path replaced."""
    if not path:
        return subtree
    parts = list(tree)
    parts[path[0]] = put(tree[path[0]], path[1:], subtree)
    return tuple(parts)


def to_nested(tree):
    """A `gatree.trees.genome.Tree` as a naive tree."""

    def at(i):
        if tree.attribute[i] < 0:
            return int(tree.value[i])
        left = i + 1
        return (int(tree.attribute[i]), int(tree.value[i]), at(left), at(left + int(tree.span[left])))

    return at(0)


# --- classifying ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Data:
    """A data set with the candidate thresholds of its numeric attributes."""

    dataset: Dataset
    thresholds: tuple

    @classmethod
    def of(cls, dataset, numeric_tests="integer"):
        return cls(dataset, code(dataset, numeric_tests).thresholds)

    def passes(self, instance, attribute, test):
        value = self.dataset.columns[attribute][instance]
        if self.dataset.attributes[attribute].is_nominal:
            return value == test
        return not math.isnan(value) and value <= self.thresholds[attribute][test]

    def can_test(self):
        return any(self.n_tests(attribute) for attribute in range(self.dataset.n_attributes))

    def n_tests(self, attribute):
        described = self.dataset.attributes[attribute]
        return len(described.values) if described.is_nominal else len(self.thresholds[attribute])


def way(data, tree, instance):
    """The paths of the nodes that an instance passes, root first."""
    path, passed = (), [()]
    while isinstance(tree, tuple):
        side = 2 if data.passes(instance, tree[0], tree[1]) else 3
        tree, path = tree[side], (*path, side)
        passed.append(path)
    return passed, tree


def n_correct(data, tree, weight=None):
    """The instances that a tree classifies correctly; with weights by class, their weight."""
    classes = data.dataset.classes.tolist()
    weight = weight or [1] * data.dataset.n_classes
    return sum(weight[c] for i, c in enumerate(classes) if way(data, tree, i)[1] == c)


def n_correct_by_names(tree, dataset, weight=None):
    """The same of a `DecisionTree`, whose tests are its own and not those of the data."""
    return n_correct(Data(dataset, tree.coding.thresholds), to_nested(tree.tree), weight)


def instances_at_leaves(data, tree):
    """The instances of every leaf, by its path."""
    found = {path: [] for path, node in nodes(tree) if not isinstance(node, tuple)}
    for i in range(data.dataset.n_instances):
        found[way(data, tree, i)[0][-1]].append(i)
    return found


def with_majority_leaves(data, tree, weight):
    """The tree with leaves of the class that weighs most among their instances, the first of equal ones."""
    for path, instances in instances_at_leaves(data, tree).items():
        if instances:
            weights = [0] * data.dataset.n_classes
            for i in instances:
                weights[data.dataset.classes[i]] += weight[data.dataset.classes[i]]
            tree = put(tree, path, weights.index(max(weights)))
    return tree


def work(data, tree, stale):
    """(instances re-classified, node-instance-checks, checks from the root) when paths are stale."""
    instances = checks = full = 0
    for i in range(data.dataset.n_instances):
        passed, _ = way(data, tree, i)
        full += len(passed)
        below = [path for path in passed if any(path[: len(s)] == s for s in stale)]
        instances += bool(below)
        checks += len(below)
    return instances, checks, full


# --- breeding ------------------------------------------------------------------------------------


def pick(uniform, n):
    return math.floor(uniform * n)


def crossover_point(uniform, n, root_share):
    """The node in whose part of [0, n) a number falls: the root's is root_share wide, the others alike."""
    if root_share == 1 or n == 1:
        return pick(uniform, n)
    parts = [root_share, *[(n - root_share) / (n - 1)] * (n - 1)]
    ends = [end for end in itertools.accumulate(parts) if end <= uniform * n]
    return min(len(ends), n - 1)


def crossover(host, cut, donor, graft):
    """A child and its stale paths; a crossover of two roots swaps the trees and makes nothing stale."""
    path, _ = nodes(host)[cut]
    _, subtree = nodes(donor)[graft]
    if cut == 0 and graft == 0:
        return donor, []
    return put(host, path, subtree), [path]


def random_test(data, uniform_attribute, uniform_test):
    testable = [a for a in range(data.dataset.n_attributes) if data.n_tests(a) > 0]
    attribute = testable[pick(uniform_attribute, len(testable))]
    return attribute, pick(uniform_test, data.n_tests(attribute))


def shifted(data, node, uniform):
    """An inner node with its test moved to the next one, up or down; the ends have one neighbour."""
    attribute, test, left, right = node
    neighbours = [t for t in (test + 1, test - 1) if 0 <= t < data.n_tests(attribute)]
    if len(neighbours) == 2:
        neighbours = neighbours[:1] if uniform < 0.5 else neighbours[1:]
    return (attribute, *(neighbours or [test]), left, right)


def mutate(
    data, tree, draws, prune_share, shift_share=0.0, grow_share=0.0, max_nodes=math.inf, max_depth=math.inf
):
    """The tree after one mutation, and the path of the mutated node."""
    _, _, at, operator, attribute, test, new_class = draws
    path, node = nodes(tree)[pick(at, size(tree))]
    n_classes = data.dataset.n_classes
    if not isinstance(node, tuple):
        fits = size(tree) + 2 <= max_nodes and len(path) + 1 <= max_depth
        if operator < grow_share and fits and data.can_test():
            grown = (*random_test(data, attribute, test), pick(new_class, n_classes), node)
            return put(tree, path, grown), path
        others = [c for c in range(n_classes) if c != node] or [node]
        return put(tree, path, others[pick(new_class, len(others))]), path
    if operator < prune_share:
        return put(tree, path, pick(new_class, n_classes)), path
    if operator < prune_share + shift_share:
        return put(tree, path, shifted(data, node, test)), path
    return put(tree, path, (*random_test(data, attribute, test), *node[2:])), path


def outermost(stale):
    """Of stale paths, those that do not lie below another."""
    return sorted({s for s in stale if not any(s != t and s[: len(t)] == t for t in stale)})


@dataclass(frozen=True)
class Child:
    tree: object
    source: int  # index of the parent it inherits from
    stale: list  # paths
    rejected: bool
    is_known: bool = False  # it is its source as a whole and is not evaluated


def breed(
    data,
    parents,
    draws,
    mutation_rate,
    prune_share=0.5,
    max_nodes=math.inf,
    crossover_rate=1.0,
    shift_share=0.0,
    grow_share=0.0,
    copies="saved",
    root_swaps="saved",
    root_share=1.0,
    max_depth=math.inf,
):
    """Children of parents 0 and 1, 2 and 3, ...; draws has a row per child."""
    children = []
    for k in range(len(parents)):
        partner = k ^ 1
        host, donor = parents[k], parents[partner]
        first = min(k, partner)
        uniforms = {first: 0.0, first + 1: draws[first + 1][0]}
        crossed = draws[first][0] < crossover_rate
        if crossed:
            uniforms[first] = draws[first][0] / crossover_rate
        cut = crossover_point(uniforms[k], size(host), root_share)
        graft = crossover_point(uniforms[partner], size(donor), root_share)
        tree, stale = crossover(host, cut, donor, graft) if crossed else (host, [])
        source = partner if crossed and cut == graft == 0 else k
        way_through = len(nodes(host)[cut][0]) + depth(nodes(donor)[graft][1])
        too_large = size(tree) > max_nodes or way_through > max_depth
        rejected = crossed and source == k and too_large
        if rejected:
            tree, stale = host, []
        if draws[k][1] < mutation_rate:
            tree, path = mutate(
                data, tree, draws[k], prune_share, shift_share, grow_share, max_nodes, max_depth
            )
            stale = [*stale, path]
        counts_as = "saved" if stale else copies if source == k else root_swaps
        if counts_as == "evaluated":
            stale = [()]
        children.append(Child(tree, source, outermost(stale), rejected, counts_as == "not-evaluated"))
    return children


# --- evolving ------------------------------------------------------------------------------------


def payoff(correct, n_instances, measured_size, x):
    accuracy = correct / n_instances
    return accuracy * accuracy * (x / (measured_size * measured_size + x))


def measure(tree, kind):
    return size(tree) if kind == "nodes" else (size(tree) + 1) // 2


def tournament(payoffs, draws):
    entrants = [pick(uniform, len(payoffs)) for uniform in draws]
    best = entrants[0]
    for challenger in entrants[1:]:
        if payoffs[challenger] > payoffs[best]:
            best = challenger
    return best


def stop(wheel, uniform):
    for rank, edge in enumerate(wheel):
        if uniform * wheel[-1] < edge:
            return rank
    return len(wheel) - 1


def roulette(payoffs, draws):
    return stop(np.cumsum(payoffs if sum(payoffs) > 0 else np.ones(len(payoffs))), draws[0])


def linearly_scaled(payoffs, factor=1.2):
    """GAlib's linear scaling: the mean stays, the best is `factor` times the mean, none is negative."""
    total = 0.0
    for each in payoffs:
        total += each
    mean, best, worst = total / len(payoffs), max(payoffs), min(payoffs)
    if best == mean:
        return list(payoffs)
    if worst > (factor * mean - best) / (factor - 1):
        slope, shift = (factor - 1) * mean / (best - mean), mean * (best - factor * mean) / (best - mean)
    else:
        slope, shift = mean / (mean - worst), -worst * mean / (mean - worst)
    return [max(0.0, each * slope + shift) for each in payoffs]


def scaled_roulette(payoffs, draws):
    return roulette(linearly_scaled(payoffs), draws)


SELECTIONS = {
    "tournament": tournament,
    "roulette": roulette,
    "scaled-roulette": scaled_roulette,
}


def evolve(dataset, settings):
    """Yield per generation the living trees, best first, with correct counts, payoffs, and the work done."""
    data = Data.of(dataset, settings.numeric_tests)
    rng = np.random.default_rng(settings.seed)
    n = settings.population_size
    n_offspring = max(1, round(settings.generation_gap * n))
    living = [initial(data, row) for row in rng.random((n, 4))]
    if settings.min_leaf > 0:  # a single leaf is never too small
        living[0] = pick(np.random.default_rng(settings.seed).random((n, 4))[0, 0], dataset.n_classes)
    weight = [1] * dataset.n_classes
    if settings.leaf_class == "majority":
        living = [with_majority_leaves(data, tree, weight) for tree in living]
    totals = np.zeros(4, dtype=np.int64)
    payoffs = [paid(data, tree, settings, 0.0, weight) for tree in living]
    living, payoffs = ranked(living, payoffs)
    yield living, payoffs, totals.copy()
    for generation in range(1, settings.n_generations + 1):
        choose = SELECTIONS[settings.selection]
        entrants = settings.tournament_size if "tournament" in settings.selection else 1
        rows = rng.random((n_offspring + n_offspring % 2, entrants + 7))
        chosen = [choose(payoffs, row[:entrants]) for row in rows]
        children = breed(
            data,
            [living[rank] for rank in chosen],
            [row[entrants:] for row in rows],
            settings.mutation_rate,
            settings.prune_share,
            settings.max_nodes or math.inf,
            settings.crossover_rate,
            settings.shift_share,
            settings.grow_share,
            settings.copies,
            settings.root_swaps,
            settings.root_share,
            settings.max_depth or math.inf,
        )[:n_offspring]
        for child in children:
            instances, checks, full = work(data, child.tree, child.stale)
            if not child.is_known:
                totals += (instances, dataset.n_instances, checks, full)
        born = [child.tree for child in children]
        if settings.leaf_class == "majority":
            born = [with_majority_leaves(data, tree, weight) for tree in born]
        progress = Fraction(generation, settings.n_generations)
        wages = [paid(data, tree, settings, progress, weight) for tree in born]
        if settings.paid == "at-birth":
            wages = [
                wage if child.stale else payoffs[chosen[child.source]]
                for wage, child in zip(wages, children, strict=True)
            ]
        if settings.replacement == "worst":
            living = living[: max(1, n - n_offspring)]
        if settings.paid == "every-generation":
            payoffs = [paid(data, tree, settings, progress, weight) for tree in living]
        living, payoffs = ranked(living + born, payoffs[: len(living)] + wages)
        living, payoffs = living[:n], payoffs[:n]
        yield living, payoffs, totals.copy()


def initial(data, draws):
    if not any(data.n_tests(a) for a in range(data.dataset.n_attributes)):
        return pick(draws[0], data.dataset.n_classes)
    leaves = [pick(uniform, data.dataset.n_classes) for uniform in draws[2:]]
    return (*random_test(data, draws[0], draws[1]), *leaves)


def x_at(settings, progress):
    """The x of Eq. 1 when a part of the evolution is over."""
    first, last = settings.x_start or settings.x_factor.first, settings.x_factor.last
    if settings.x_steps:
        progress = Fraction(math.floor(progress * settings.x_steps), settings.x_steps)
    return first + (last - first) * float(progress)


def paid(data, tree, settings, progress, weight):
    total = sum(weight[c] for c in data.dataset.classes)
    smallest = min(len(instances) for instances in instances_at_leaves(data, tree).values())
    is_allowed = smallest >= settings.min_leaf or not isinstance(tree, tuple)  # a single leaf always is
    correct = n_correct(data, tree, weight) if is_allowed else 0
    return payoff(correct, total, measure(tree, settings.size_measure), x_at(settings, progress))


def ranked(trees, payoffs):
    order = sorted(range(len(trees)), key=lambda rank: -payoffs[rank])
    return [trees[rank] for rank in order], [payoffs[rank] for rank in order]


# --- the best tree ---------------------------------------------------------------------------------


def fewest_errors(data, n_tests, instances=None, depth=None, min_leaf=1, worth=None):
    """The errors of the best tree of at most ``n_tests`` tests, by trying all trees."""
    worth = [1] * data.dataset.n_classes if worth is None else worth

    def leaf(instances):
        weights = [0] * data.dataset.n_classes
        for i in instances:
            weights[data.dataset.classes[i]] += int(worth[data.dataset.classes[i]])
        return sum(weights) - max(weights, default=0)

    instances = range(data.dataset.n_instances) if instances is None else instances
    return least_cost(data, leaf, n_tests, instances, n_tests if depth is None else depth, min_leaf)


def least_squares(data, target, n_tests, depth=None, min_leaf=1):
    """The squared error of the best regression tree of at most ``n_tests`` tests, by trying all trees."""

    def leaf(instances):
        mean = sum(target[i] for i in instances) / len(instances)
        return sum((target[i] - mean) ** 2 for i in instances)

    instances, depth = range(data.dataset.n_instances), n_tests if depth is None else depth
    return least_cost(data, leaf, n_tests, instances, depth, min_leaf)


def least_cost(data, leaf, n_tests, instances, depth, min_leaf):
    """The cost of the best tree, given that of leaves."""
    best = leaf(instances)
    if n_tests == 0 or depth == 0 or best == 0:
        return best
    for attribute in range(data.dataset.n_attributes):
        for test in range(data.n_tests(attribute)):
            left = [i for i in instances if data.passes(i, attribute, test)]
            right = [i for i in instances if not data.passes(i, attribute, test)]
            if min(len(left), len(right)) >= min_leaf:
                for n in range(n_tests):
                    costs = (
                        least_cost(data, leaf, tests, part, depth - 1, min_leaf)
                        for tests, part in ((n, left), (n_tests - 1 - n, right))
                    )
                    best = min(best, sum(costs))
    return best
