"""Inheritance is lossless: every evaluator equals the naive twin exactly, for every tree."""

from dataclasses import replace

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import datasets

from bench.concepts import random_tree_concept
from gatree.base.errors import ConfigError
from gatree.data.answer import Classes
from gatree.data.attribute import Attribute
from gatree.data.catalog import load_dataset
from gatree.evolution.evaluators import branches, masks
from gatree.evolution.evaluators.bitset import BLOCK_WORDS, WORD
from gatree.evolution.evaluators.contract import Ledger
from gatree.evolution.evaluators.masks import Masks
from gatree.evolution.evolve import Evolution, evolve
from gatree.evolution.problem import Problem
from gatree.kernels.decorators import COMPILED
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.registry import EVALUATORS, SELECTIONS

INHERITING = [name for name in EVALUATORS if name != "old"]


@st.composite
def evolution_settings(draw):
    """Draw the paper's settings half of the time, otherwise random ones."""
    extended = {}
    if draw(st.booleans()):
        extended = {
            "crossover_rate": draw(st.sampled_from([0.0, 0.4, 1.0])),
            "shift_share": draw(st.sampled_from([0.0, 0.3])),
            "grow_share": draw(st.sampled_from([0.0, 0.5, 1.0])),
            "leaf_class": draw(st.sampled_from(["random", "majority"])),
            "min_leaf": draw(st.sampled_from([0, 1, 3, 30])),
            "paid": draw(st.sampled_from(["every-generation", "at-birth"])),
            "x_start": draw(st.sampled_from([None, 30.0])),
            "x_steps": draw(st.sampled_from([0, 1, 3, 20])),
            "copies": draw(st.sampled_from(["saved", "not-evaluated", "evaluated"])),
            "root_swaps": draw(st.sampled_from(["saved", "not-evaluated", "evaluated"])),
            "root_share": draw(st.sampled_from([0.0, 0.5, 1.0])),
        }
    return EvolutionSettings(
        **extended,
        population_size=draw(st.integers(2, 12)),
        n_generations=draw(st.integers(0, 12)),
        mutation_rate=draw(st.sampled_from([0.0, 0.5, 1.0])),
        x_factor=draw(st.sampled_from(["1", "1e4", "1e2..1e5", "1e6"])),
        size_measure=draw(st.sampled_from(["nodes", "leaves"])),
        selection=draw(st.sampled_from(list(SELECTIONS))),
        tournament_size=draw(st.integers(1, 3)),
        generation_gap=draw(st.sampled_from([0.1, 0.25, 0.6, 1.0])),
        replacement=draw(st.sampled_from(["worst", "best"])),
        prune_share=draw(st.sampled_from([0.0, 0.5] if extended else [0.0, 0.5, 1.0])),
        max_nodes=draw(st.sampled_from([None, None, 3, 7])),
        max_depth=draw(st.sampled_from([None, None, 1, 2])),
        numeric_tests=draw(st.sampled_from(["integer", "observed"])),
        seed=draw(st.integers(0, 2**32)),
    )


@pytest.mark.no_jit
@pytest.mark.parametrize("evaluator", EVALUATORS)
@settings(max_examples=20 if COMPILED else 4)
@given(data=datasets(min_instances=1, max_instances=25), draw=st.data())
def test_every_generation_equals_the_naive_twin(evaluator, data, draw):
    chosen = draw.draw(evolution_settings())
    evolution = Evolution(
        Problem.of(data, chosen.numeric_tests), chosen.model_copy(update={"evaluator": evaluator})
    )
    for generation, (trees, payoffs, work) in enumerate(naive.evolve(data, chosen)):
        if generation:
            evolution.step()
        population = evolution.population
        assert [naive.to_nested(population.tree(slot)) for slot in population.alive] == trees
        assert evolution.payoff.tolist() == payoffs
        if evaluator == "old":
            work[[0, 2]] = work[[1, 3]]  # all instances, all checks
        assert evolution.evaluator.ledger.tolist() == work.tolist()


@pytest.mark.parametrize("evaluator", INHERITING)
def test_evaluators_agree_on_a_thousand_classes(evaluator):
    vote = load_dataset("vote")
    values = Attribute("class", "nominal", tuple(f"c{i}" for i in range(1000)))
    many = replace(vote, answer=Classes(values, np.arange(435) * 7 % 1000))
    chosen = EvolutionSettings(population_size=40, n_generations=60, mutation_rate=0.5)
    assert_alike(Problem.of(many), evaluator, chosen)


def assert_alike(problem: Problem, evaluator: str, chosen: EvolutionSettings) -> None:
    """Run `old` and another evaluator; compare every bred tree, every generation, and the ledgers."""
    old = Evolution(problem, chosen.model_copy(update={"evaluator": "old"}))
    new = Evolution(problem, chosen.model_copy(update={"evaluator": evaluator}))
    for _ in range(chosen.n_generations):
        old.step()
        new.step()
        born = old.births.slot
        assert np.array_equal(born, new.births.slot)
        assert np.array_equal(old.population.trees.n_correct[born], new.population.trees.n_correct[born])
        assert np.array_equal(old.payoff, new.payoff)
        assert np.array_equal(old.population.slots, new.population.slots)
    assert old.best == new.best
    assert np.array_equal(old.history["digest"], new.history["digest"])
    books, full = (Ledger(*evolution.evaluator.ledger.tolist()) for evolution in (new, old))
    assert (
        replace(
            books,
            instances_reclassified=books.instances_total,
            node_instance_checks=books.node_instance_checks_full,
        )
        == full
    )
    assert books.instances_reclassified <= books.instances_total


@pytest.mark.parametrize(
    ("n_instances", "leaf_class"),
    [
        (WORD * BLOCK_WORDS + 17, "random"),
        (WORD * BLOCK_WORDS + 17, "majority"),
        pytest.param(WORD * BLOCK_WORDS, "random", marks=pytest.mark.long),
        pytest.param(2 * WORD * BLOCK_WORDS + 4465, "majority", marks=pytest.mark.long),
    ],
)
def test_large_sets_are_counted_block_by_block(n_instances, leaf_class):
    problem = Problem.of(random_tree_concept(n_instances, 6, n_classes=3))
    chosen = EvolutionSettings(
        population_size=40,
        n_generations=60,
        mutation_rate=0.5,
        x_factor="1e9",
        leaf_class=leaf_class,
        grow_share=0.5,
        seed=1,
    )
    routed = evolve(problem, chosen)
    counted = evolve(problem, chosen.model_copy(update={"evaluator": "bitset"}))
    assert np.array_equal(counted.history, routed.history)
    assert counted.best == routed.best
    assert counted.ledger == routed.ledger
    assert counted.history["total_nodes"].max() > 4 * 40


LIVELY = EvolutionSettings(
    population_size=40, n_generations=60, mutation_rate=0.5, x_factor="1e6", grow_share=0.5, seed=5
)


@pytest.mark.parametrize(
    ("name", "leaf_class", "n_masks"),
    [("zoo", "majority", 30), ("credit-a", "random", 20), ("credit-a", "majority", 20)],
)
def test_the_memory_does_not_matter(name, leaf_class, n_masks, monkeypatch):
    """Few masks, which are made again and again, and a table of branches that holds one child's."""
    problem = Problem.of(load_dataset(name))
    n_words = -(-problem.n_instances // WORD)
    monkeypatch.setattr(masks, "MASK_BUDGET_BYTES", n_masks * 8 * n_words)
    monkeypatch.setattr(branches, "MOST_BRANCHES", 0)
    chosen = LIVELY.model_copy(update={"leaf_class": leaf_class, "evaluator": "bitset"})
    assert_alike(problem, "bitset", chosen)
    kept = Evolution(problem, chosen).evaluator.masks
    assert len(kept.bits) == n_masks < len(kept.row_of)


def test_too_little_memory_for_the_masks_of_one_tree_is_an_error(monkeypatch):
    monkeypatch.setattr(masks, "MASK_BUDGET_BYTES", 0)
    with pytest.raises(ConfigError, match=r"bitset has memory for the masks of 1 tests .* smaller max_depth"):
        evolve(load_dataset("zoo"), LIVELY.model_copy(update={"evaluator": "bitset"}))


def test_masks_equal_the_outcomes_of_tests():
    problem = Problem.of(load_dataset("credit-a"))
    kept = Masks(problem.alphabet, problem.instances)
    tests = np.arange(len(kept.row_of), dtype=np.int32)[::-1]
    kept.row_of[tests] = np.arange(len(tests))
    kept.make(tests)
    data = problem.instances
    for attribute, n_tests in enumerate(problem.alphabet.n_tests):
        for value in range(n_tests):
            codes = data.codes[attribute]
            passing = codes <= value if data.is_numeric[attribute] else codes == value
            assert _bits(kept, kept.first_test[attribute] + value) == passing.tolist()
    for label in range(problem.alphabet.n_classes):
        assert _bits(kept, kept.first_test[-1] + label) == (data.classes == label).tolist()


def _bits(kept, test):
    """Return the bits of a test's mask as booleans; those after the last instance are 0."""
    n = len(kept.instances.classes)
    words = kept.bits[kept.row_of[test]].astype("<u8")
    bits = np.unpackbits(words.view(np.uint8), bitorder="little").astype(bool).tolist()
    assert not any(bits[n:])
    return bits[:n]
