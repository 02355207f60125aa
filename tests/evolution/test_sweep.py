"""Sweeps over large data, tile by tile for all children of a batch, give the counts of every evaluator."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from test_lossless import KINDS, assert_alike, peculiar

from gatree.data.catalog import load_dataset
from gatree.data.generate import random_tree_concept
from gatree.evolution.breed import NONE
from gatree.evolution.evaluators.atomics import increment_signal, load_signal, store_signal, zero_signals
from gatree.evolution.evaluators.bits import bitset, branches, masks
from gatree.evolution.evaluators.bits.bitset import SweepingEvaluator
from gatree.evolution.evaluators.bits.branches import N_BRANCHES
from gatree.evolution.evaluators.bits.sets import BLOCK_WORDS, WORD, equal_to, up_to
from gatree.evolution.evaluators.bits.sweep import Sweeper
from gatree.evolution.evaluators.thread_pool import ThreadPool
from gatree.evolution.evolve import Evolution, evolve
from gatree.evolution.problem import Problem
from gatree.kernels.decorators import lean
from gatree.settings.evolution_settings import EvolutionSettings

LIVELY = EvolutionSettings(
    population_size=40, n_generations=60, mutation_rate=0.5, x_factor="1e6", grow_share=0.5, seed=5
)


@pytest.fixture
def _swept(monkeypatch):
    """Treat small data as large."""
    monkeypatch.setattr(bitset, "CHEAP_BITS", 0)


@pytest.mark.usefixtures("_swept")
@pytest.mark.parametrize("leaf_class", ["random", "majority"])
@pytest.mark.parametrize("kind", KINDS)
def test_sweeps_agree_on_edge_cases(kind, leaf_class):
    assert_alike(Problem.of(peculiar(kind)), "bitset", LIVELY.model_copy(update={"leaf_class": leaf_class}))


@pytest.mark.usefixtures("_swept")
@pytest.mark.parametrize("leaf_class", ["random", "majority"])
@pytest.mark.parametrize("name", ["zoo", "vote", "credit-a"])
def test_the_batch_size_does_not_matter(name, leaf_class, monkeypatch):
    """Batches of one or a few children, limited by branches, tallies or masks."""
    problem = Problem.of(load_dataset(name))
    chosen = LIVELY.model_copy(update={"leaf_class": leaf_class})
    monkeypatch.setattr(branches, "_MOST_BRANCHES", 300)
    assert_alike(problem, "bitset", chosen)
    monkeypatch.setattr(branches, "_MOST_TALLIES", 1000)
    assert_alike(problem, "bitset", chosen)
    monkeypatch.setattr(masks, "MASK_BUDGET_BYTES", 1000)
    monkeypatch.setattr(masks, "MASKS_PER_CODES", 0)
    assert_alike(problem, "bitset", chosen)


@pytest.mark.usefixtures("_swept")
def test_common_branches_are_counted_once():
    problem = Problem.of(load_dataset("credit-a"))
    evolution = Evolution(problem, LIVELY.model_copy(update={"evaluator": "bitset", "generation_gap": 1.0}))
    evolution.advance(40)
    trees = [evolution.population.tree(slot) for slot in evolution.births.slot]
    sets = [_sets_below(*child) for child in zip(trees, evolution.births.stale, strict=True)]
    n_branches = evolution.evaluator.sweeper.branches.state[N_BRANCHES]
    assert n_branches == len(set().union(*sets, {()}))
    assert 1.5 * n_branches < sum(map(len, sets))


def _sets_below(tree, stale):
    """Return the sets to count for a child: paths of tests and outcomes, without those of right leaves."""
    paths = {0: ()}
    for i in range(tree.n_nodes):
        if tree.attribute[i] >= 0:
            test = int(tree.attribute[i]), int(tree.value[i])
            paths[tree.left(i)] = (*paths[i], (*test, True))
            paths[tree.right(i)] = (*paths[i], (*test, False))
    lefts = {tree.left(i) for i in range(tree.n_nodes) if tree.attribute[i] >= 0}
    wanted = set()
    for node in (node for node in stale if node != NONE):
        below = range(node, node + tree.span[node])
        for i in below:
            if i == node or tree.attribute[i] >= 0 or i in lefts:
                wanted |= {paths[i][:length] for length in range(len(paths[i]) + 1)}
    return wanted


@pytest.mark.parametrize("n_jobs", [2, 3])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_several_threads_give_the_same_counts(n_jobs, n_classes):
    problem = Problem.of(random_tree_concept(4 * WORD * BLOCK_WORDS + 17, 6, n_classes=n_classes))
    chosen = LIVELY.model_copy(update={"evaluator": "bitset"})
    alone, together = evolve(problem, chosen), evolve(problem, chosen.model_copy(update={"n_jobs": n_jobs}))
    assert np.array_equal(alone.history, together.history)
    assert alone.best == together.best
    assert alone.ledger == together.ledger


def test_there_are_no_more_threads_than_tiles(monkeypatch):
    chosen = LIVELY.model_copy(update={"evaluator": "bitset", "n_jobs": 4})
    small = Evolution(Problem.of(load_dataset("vote")), chosen).evaluator
    assert small.pool.n_jobs == 1
    monkeypatch.setattr(bitset, "CHEAP_BITS", 0)
    two_tiles = Problem.of(random_tree_concept(WORD * BLOCK_WORDS + 1, 6))
    large = Evolution(two_tiles, chosen).evaluator
    assert isinstance(large, SweepingEvaluator)
    assert large.pool.n_jobs == 2


def test_helpers_end_with_the_caller():
    pool = ThreadPool(3)
    sweeper = Sweeper(Problem.of(load_dataset("zoo")), pool)

    def fail():
        raise ZeroDivisionError

    for _ in range(20):
        with pytest.raises(ZeroDivisionError):
            sweeper.run_with_helpers(fail)
    together = threading.Barrier(3, timeout=20)
    pool.run_on_all(0, lambda _: together.wait())  # no thread remains in compiled code


@pytest.mark.no_jit
def test_masks_equal_the_outcomes_of_tests():
    rng = np.random.default_rng(0)
    for dtype in (np.uint8, np.uint16, np.int32):
        codes = rng.integers(0, 200, 3 * WORD).astype(dtype)
        for begin in (0, 1, WORD, 2 * WORD):
            of_them = codes[begin : begin + WORD]
            for code in (0, 57, 199):
                assert _words(codes, begin, code) == (_bits(of_them <= code), _bits(of_them == code))


@lean
def _words(codes, begin, code):
    return up_to(codes, begin, code), equal_to(codes, begin, code)


def _bits(passing):
    return sum(1 << place for place, passes in enumerate(passing.tolist()) if passes)


@pytest.mark.no_jit
def test_increments_of_a_signal_are_atomic():
    signals, n = zero_signals(2), 500
    publish_seven(signals)
    seen = [[], [], []]
    threads = [threading.Thread(target=lambda mine=mine: mine.extend(up(signals, n))) for mine in seen]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(number for mine in seen for number in mine) == list(range(7, 7 + 3 * n))
    assert see_both(signals) == (0, 7 + 3 * n)


@lean
def publish_seven(signals):
    store_signal(signals, 1, 7)


@lean
def up_once(signals):
    return increment_signal(signals, 1)


def up(signals, n):
    return [int(up_once(signals)) for _ in range(n)]


@lean
def see_both(signals):
    return load_signal(signals, 0), load_signal(signals, 1)


@pytest.mark.no_jit
@pytest.mark.usefixtures("_swept")
def test_a_short_sweep():
    problem = Problem.of(load_dataset("zoo"))
    chosen = EvolutionSettings(population_size=6, n_generations=3, mutation_rate=0.5, seed=2)
    swept = evolve(problem, chosen.model_copy(update={"evaluator": "bitset"}))
    assert np.array_equal(swept.history, evolve(problem, chosen).history)
