"""Masks of tests, made when they are needed: evicted, batch by batch, and in several threads."""

from __future__ import annotations

import numpy as np
import pytest
from test_lossless import assert_alike

from bench.concepts import random_tree_concept
from gatree.data.catalog import load_dataset
from gatree.evolution.evaluators import masks
from gatree.evolution.evaluators.sets import BLOCK_WORDS, WORD, equal_to, up_to
from gatree.evolution.evolve import Evolution
from gatree.evolution.problem import Problem
from gatree.kernels.decorators import lean
from gatree.settings.evolution_settings import EvolutionSettings

LIVELY = EvolutionSettings(
    population_size=40, n_generations=60, mutation_rate=0.5, x_factor="1e6", grow_share=0.5, seed=5
)


@pytest.mark.parametrize(
    ("name", "leaf_class", "budget"),
    [("zoo", "majority", 300), ("credit-a", "random", 500), ("credit-a", "majority", 0)],
)
def test_the_batch_size_does_not_matter(name, leaf_class, budget, monkeypatch):
    """Batches of one or a few children, and rows that are added for a child with many tests."""
    monkeypatch.setattr(masks, "MASK_BUDGET_BYTES", budget)
    monkeypatch.setattr(masks, "MASKS_PER_CODES", 0)
    chosen = LIVELY.model_copy(update={"leaf_class": leaf_class, "evaluator": "bitset"})
    problem = Problem.of(load_dataset(name))
    assert_alike(problem, "bitset", chosen)
    evaluator = Evolution(problem, chosen).evaluator
    assert len(evaluator.masks.test_of) < len(evaluator.masks.row_of)


def test_masks_that_all_fit_are_made_once():
    evolution = Evolution(Problem.of(load_dataset("vote")), LIVELY.model_copy(update={"evaluator": "bitset"}))
    evolution.advance(60)
    kept = evolution.evaluator.masks
    assert kept.state[masks.N_KEPT] == len(kept.row_of) == len(set(kept.row_of.tolist()))
    for row, test in enumerate(kept.test_of.tolist()):
        assert kept.row_of[test] == row


def test_there_are_no_more_threads_than_blocks():
    chosen = LIVELY.model_copy(update={"evaluator": "bitset", "n_jobs": 4})
    small = Evolution(Problem.of(load_dataset("vote")), chosen).evaluator
    assert small.threads.n_jobs == 1
    two_blocks = Problem.of(random_tree_concept(WORD * BLOCK_WORDS + 1, 6))
    assert Evolution(two_blocks, chosen).evaluator.threads.n_jobs == 2


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
