"""Random tiny data: the proven best tree against trying all trees."""

from __future__ import annotations

import random

import naive

from fuzz.random_data import SIZES, Case, random_data, smaller_data
from gatree.optimum import optimum


def draw(rng: random.Random) -> Case:
    """Return a random problem that is small enough to try all trees."""
    n_tests = rng.randint(0, 4)
    return {
        "data_seed": rng.randrange(2**32),
        "n_instances": rng.randint(1, 20 if n_tests < 3 else 9),
        "n_attributes": rng.randint(1, 3),
        "n_values": rng.randint(1, 4),
        "n_classes": rng.randint(1, 4),
        "n_tests": n_tests,
        "depth": rng.choice([None, None, 1, 2]),
        "min_leaf": rng.choice([1, 1, 2, 4]),
        "numeric_tests": rng.choice(["observed", "integer"] if n_tests < 3 else ["observed"]),
    }


def run(case: Case) -> None:
    """Solve a problem; raise an AssertionError if another tree is better, or the tree not what it says."""
    data, n_tests, kind = random_data(case), case["n_tests"], case["numeric_tests"]
    limits = {"depth": case["depth"], "min_leaf": case["min_leaf"]}
    most = data.n_instances - naive.fewest_errors(naive.Data.of(data, kind), n_tests, **limits)
    found = optimum(data, n_tests, numeric_tests=kind, **limits)
    assert found.is_proven
    assert found.n_correct == found.bound == most == naive.n_correct_by_names(found.tree, data)
    assert found.tree.n_leaves <= n_tests + 1
    hurried = optimum(data, n_tests, numeric_tests=kind, max_seconds=1e-9, **limits)
    assert hurried.n_correct == naive.n_correct_by_names(hurried.tree, data) <= most <= hurried.bound


def smaller(case: Case) -> list[Case]:
    """Return problems that are simpler than this one in one thing."""
    plain = [{**case, name: value} for name, value in {"depth": None, "min_leaf": 1}.items()]
    fewer = [{**case, "n_tests": n} for n in range(case["n_tests"])]
    return smaller_data(case) + fewer + [simpler for simpler in plain if simpler != case]


WARM_UP = [{**draw(random.Random(1)), **dict.fromkeys(SIZES, 3), "n_tests": n} for n in range(5)]
