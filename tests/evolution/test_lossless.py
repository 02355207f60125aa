"""Inheritance is lossless: every evaluator equals the naive twin exactly, for every tree."""

from __future__ import annotations

from dataclasses import replace

import naive
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import datasets

from bench.concepts import random_tree_concept
from gatree.data.attribute import Attribute
from gatree.data.dataset import Dataset
from gatree.evolution.evaluators import Ledger
from gatree.evolution.evaluators.sets import BLOCK_WORDS, WORD
from gatree.evolution.evolve import Evolution, evolve
from gatree.evolution.problem import Problem
from gatree.kernels.decorators import COMPILED
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.registry import EVALUATORS, SELECTIONS

INHERITING = [name for name in EVALUATORS if name != "old"]


@st.composite
def evolution_settings(draw, class_values=()):
    """Draw the paper's settings half of the time, otherwise random ones."""
    extended = {}
    if draw(st.booleans()):
        weights = st.sampled_from([0, 1, 2, 7])
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
            "class_weight": {value: draw(weights) for value in class_values if draw(st.booleans())},
        }
    return EvolutionSettings(
        **extended,
        population_size=draw(st.integers(2, 12)),
        n_generations=draw(st.integers(0, 12)),
        mutation_rate=draw(st.sampled_from([0.0, 0.5, 1.0])),
        x_factor=draw(st.sampled_from(["1", "1e4", "1e2..1e5", "1e6"])),
        size=draw(st.sampled_from(["nodes", "leaves"])),
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
    chosen = draw.draw(evolution_settings(data.class_values))
    weights = [(chosen.class_weight or {}).get(value, 1) for value in data.class_values]
    assume(any(weights[c] for c in data.classes))
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


def peculiar(kind: str) -> Dataset:
    """Return a data set that is an edge case."""
    rng = np.random.default_rng(5)
    n, n_classes = {"one instance": (1, 2), "one class": (60, 1), "1,000 classes": (3000, 1000)}.get(
        kind, (60, 3)
    )
    constant = kind == "constant columns"
    nominal = np.zeros(n, np.int32) if constant else rng.integers(-1, 3, n).astype(np.int32)
    numeric = np.full(n, 2.5) if constant else rng.integers(0, 900, n) / 4
    numeric[rng.random(n) < 0.1] = np.nan
    if kind == "all missing":
        nominal[:], numeric[:] = -1, np.nan
    return Dataset(
        name=kind,
        attributes=(Attribute("colour", "nominal", ("r", "g", "b")), Attribute("length", "numeric")),
        columns=(nominal, numeric),
        class_attribute=Attribute("class", "nominal", tuple(f"c{i}" for i in range(n_classes))),
        classes=rng.integers(0, n_classes, n).astype(np.int32),
        class_position=2,
    )


KINDS = ["one instance", "one class", "1,000 classes", "constant columns", "all missing"]


@pytest.mark.parametrize("evaluator", INHERITING)
@pytest.mark.parametrize("kind", KINDS)
def test_evaluators_agree_on_edge_cases(kind, evaluator):
    assert_alike(
        Problem.of(peculiar(kind)),
        evaluator,
        EvolutionSettings(population_size=40, n_generations=60, mutation_rate=0.5),
    )


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
    ("n_instances", "leaf_class", "n_jobs"),
    [
        (WORD * BLOCK_WORDS + 17, "random", 1),
        (WORD * BLOCK_WORDS + 17, "majority", 2),
        *(
            pytest.param(n, leaf_class, n_jobs, marks=pytest.mark.long)
            for n in (WORD * BLOCK_WORDS, 2 * WORD * BLOCK_WORDS + 4465)
            for leaf_class in ("random", "majority")
            for n_jobs in (1, 2)
        ),
    ],
)
def test_large_sets_are_counted_block_by_block(n_instances, leaf_class, n_jobs):
    problem = Problem.of(random_tree_concept(n_instances, 6, n_classes=3))
    chosen = EvolutionSettings(
        population_size=40,
        n_generations=60,
        mutation_rate=0.5,
        x_factor="1e9",
        leaf_class=leaf_class,
        grow_share=0.5,
        class_weight={problem.dataset.class_values[1]: 2},
        seed=1,
    )
    routed = evolve(problem, chosen)
    counted = evolve(problem, chosen.model_copy(update={"evaluator": "bitset", "n_jobs": n_jobs}))
    assert np.array_equal(counted.history, routed.history)
    assert counted.best == routed.best
    assert counted.ledger == routed.ledger
    assert counted.history["total_nodes"].max() > 4 * 40
