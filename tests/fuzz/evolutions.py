"""Random evolutions: every evaluator against the naive twin, and large ones against `old`.

An evolution is a dict of a few numbers, so that it can be made smaller and kept as a file.
"""

from __future__ import annotations

import random

import naive

from fuzz.random_data import Case, random_data, smaller_data
from gatree.base.errors import GatreeError
from gatree.data.dataset import Dataset
from gatree.evolution.evolve import Evolution
from gatree.evolution.problem import Problem
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.registry import EVALUATORS


def draw(rng: random.Random) -> Case:
    """Return a random evolution: mostly small ones for the twin, some large and deep."""
    large = rng.random() < 0.2
    shift = rng.choice([0.0, 0.0, 0.3])
    return {
        "data_seed": rng.randrange(2**32),
        "n_instances": rng.choice([1, 63, 64, 65, 200, 1500]) if large else rng.randint(1, 25),
        "n_attributes": rng.randint(1, 4),
        "n_values": rng.randint(1, 5),
        "n_classes": rng.randint(1, 4),
        "n_jobs": rng.choice([1, 2, 3]) if large else 1,
        "twin": not large,
        "settings": {
            "seed": rng.randrange(2**32),
            "population_size": rng.randint(2, 60 if large else 12),
            "n_generations": rng.choice([40, 150]) if large else rng.randint(0, 12),
            "mutation_rate": rng.choice([0.0, 0.5, 1.0]),
            "x_factor": rng.choice(["1", "1e4", "1e2..1e5", "1e9"]),
            "size": rng.choice(["nodes", "leaves"]),
            "selection": rng.choice(["tournament", "roulette"]),
            "tournament_size": rng.randint(1, 3),
            "generation_gap": rng.choice([0.1, 0.25, 0.6, 1.0]),
            "replacement": rng.choice(["worst", "best"]),
            "crossover_rate": rng.choice([0.0, 0.4, 1.0, 1.0]),
            "prune_share": rng.choice([0.0, 0.5]) if shift else rng.choice([0.0, 0.5, 1.0]),
            "shift_share": shift,
            "grow_share": rng.choice([0.0, 0.0, 0.5, 1.0]),
            "leaf_class": rng.choice(["random", "majority"]),
            "min_leaf": rng.choice([0, 0, 1, 3]),
            "class_weight": rng.choice([None, None, {"c0": 7}, {"c0": 0}]),
            "max_nodes": rng.choice([None, None, 3, 7, 301]),
            "numeric_tests": rng.choice(["integer", "observed"]),
        },
    }


def _warm_ups() -> list[Case]:
    """Return evolutions that need every kernel, alone and with threads."""
    small = draw(random.Random(1))
    settings = {**small["settings"], "population_size": 12, "n_generations": 5, "class_weight": None}
    plain = {**small, "n_attributes": 3, "settings": settings}
    large = {**plain, "n_instances": 300, "twin": False, "n_jobs": 2}
    return [{**plain, "n_instances": 20, "twin": True, "n_jobs": 1}, large]


def run(case: Case) -> None:
    """Run an evolution with every evaluator; raise an AssertionError where one differs."""
    data = random_data(case)
    settings = EvolutionSettings.model_validate(case["settings"])
    try:
        problem = Problem.of(data, settings.numeric_tests)
        problem.scored(settings)
    except GatreeError:
        return  # no class has a weight
    if case["twin"]:
        _against_the_twin(data, problem, settings)
    else:
        _against_old(problem, settings, case["n_jobs"])


def _against_the_twin(data: Dataset, problem: Problem, settings: EvolutionSettings) -> None:
    evolutions = {
        name: Evolution(problem, settings.model_copy(update={"evaluator": name})) for name in EVALUATORS
    }
    for generation, (trees, payoffs, work) in enumerate(naive.evolve(data, settings)):
        for name, evolution in evolutions.items():
            if generation:
                evolution.step()
            population, where = evolution.population, f"{name}, generation {generation}"
            assert [naive.to_nested(population.tree(slot)) for slot in population.alive] == trees, where
            assert evolution.payoff.tolist() == payoffs, where
            books = work[[1, 1, 3, 3]] if name == "old" else work
            assert evolution.evaluator.ledger.tolist() == books.tolist(), where


def _against_old(problem: Problem, settings: EvolutionSettings, n_jobs: int) -> None:
    variants = [{"evaluator": name, "n_jobs": jobs} for name in EVALUATORS for jobs in {1, n_jobs}]
    expected = None
    for variant in variants:
        evolution = Evolution(problem, settings.model_copy(update=variant))
        evolution.advance(settings.n_generations)
        found = (evolution.history["digest"].tolist(), evolution.best, evolution.payoff.tolist())
        expected = expected or found
        assert found == expected, f"{variant} differs from old"


def smaller(case: Case) -> list[Case]:
    """Return evolutions that are simpler than this one in one thing."""
    settings, found = case["settings"], smaller_data(case)
    for name, least in {"population_size": 2, "n_generations": 0, "tournament_size": 1}.items():
        for fewer in {least, settings[name] // 2, settings[name] - 1}:
            if least <= fewer < settings[name]:
                found.append({**case, "settings": {**settings, name: fewer}})
    plain = EvolutionSettings().model_dump(mode="json")
    for name, value in settings.items():
        if (
            name not in ("seed", "population_size", "n_generations", "tournament_size")
            and value != plain[name]
        ):
            found.append({**case, "settings": {**settings, name: plain[name]}})
    return found


WARM_UP = _warm_ups()
