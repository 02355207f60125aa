"""Random experiment files: products of counts, anchors, merge keys and tags.

The cells of a plan are as many as the product of the counts. A product above the limit and a tag are
refused. An anchor means what it stands for. A file is a dict of a few numbers, so that it can be made smaller
and kept.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

from fuzz.random_data import Case
from gatree.base.errors import GatreeError
from gatree.base.limits import MOST_EXPERIMENT_CELLS, count
from gatree.experiments.experiment import Experiment
from gatree.experiments.experiment_file import read_experiment
from gatree.experiments.run import Plan

TAGS = ("!!timestamp", "!!bool", "!!int", "!!float", "!!str", "!!python/object:os.system", "!own", "!")
_VALUES = {
    "mutation_rate": lambda number: number / 10_000,
    "generation_gap": lambda number: (number + 1) / 10_000,
    "x_factor": lambda number: number + 1,
    "population_size": lambda number: number + 2,
    "n_generations": lambda number: number + 1,
    "tournament_size": lambda number: number + 1,
}
_MOST_MADE = 3_000  # cells of a plan that are made and looked at
_N_INSTANCES = 101  # of zoo, the smaller of both


def draw(rng: random.Random) -> Case:
    """Return a random experiment: most have a few cells, some far too many."""
    largest = rng.choice([2, 4, 4, 100])
    return {
        "seeds": _some(rng, 100_000 if largest == 100 else 5),
        "n_datasets": rng.randint(1, 2),
        "anchors": rng.random() < 0.5,
        "tag": rng.choice(TAGS) if rng.random() < 0.2 else None,
        "studies": [
            {
                "is_cross_validation": rng.random() < 0.6,
                "seeds": rng.choice([None, None, _some(rng, largest)]),
                "timed_seeds": rng.choice([None, 0, 1, 3]),
                "n_folds": 1 + _some(rng, largest),
                "n_repeats": _some(rng, 100 * largest if largest == 100 else 3),
                "baselines": rng.sample(["j48", "j48-reduced-error", "cart"], rng.randint(0, 2)),
                "grid": {
                    name: _some(rng, 20 * largest if largest == 100 else largest)
                    for name in rng.sample(sorted(_VALUES), rng.randint(0, 3))
                },
            }
            for _ in range(rng.randint(1, 3))
        ],
    }


def _some(rng: random.Random, most: int) -> int:
    """Return a number from 1 on, small ones more often."""
    return int(most ** rng.random())


def run(case: Case) -> None:
    """Plan an experiment; raise an AssertionError if it has other cells than its counts say."""
    content, n_cells = _content(case), [_n_cells(case, study) for study in case["studies"]]
    if case["tag"] is not None:
        tagged = json.dumps(content).replace('"zoo"', f'{case["tag"]} "zoo"')
        assert "tag" in _refusal(lambda: _read(tagged))
        return
    if sum(n_cells) > MOST_EXPERIMENT_CELLS:
        assert f"{count(sum(n_cells))} cells in all" in _refusal(lambda: _read(json.dumps(content)))
        return
    experiment = _read(_with_anchors(content) if case["anchors"] else json.dumps(content))
    assert experiment == _read(json.dumps(content))
    if any(s["n_folds"] > _N_INSTANCES for s in case["studies"] if s["is_cross_validation"]):
        assert "folds" in _refusal(lambda: Plan.of(experiment))
        return
    plan = Plan.of(experiment)
    total = sum(n_cells) + sum(_n_baselines(case, study) for study in case["studies"])
    assert plan.n_chosen == total
    if total <= _MOST_MADE:
        assert len({cell.key for cell in plan.cells}) == len(plan.cells) == total


def _refusal(use: Callable[[], object]) -> str:
    """Return why something is refused, which it should be."""
    try:
        use()
    except GatreeError as error:
        return str(error)
    raise AssertionError("it is not refused")


def _content(case: Case) -> dict[str, Any]:
    return {
        "name": "random",
        "seed": 1,
        "datasets": ["zoo", "lymph"][: case["n_datasets"]],
        "seeds": case["seeds"],
        "studies": [_study(f"s{number}", study) for number, study in enumerate(case["studies"])],
    }


def _study(name: str, study: Case) -> dict[str, Any]:
    grid = {name: [_VALUES[name](number) for number in range(n)] for name, n in study["grid"].items()}
    content = {"name": name, "kind": "savings", "grid": grid}
    if study["is_cross_validation"]:
        content["kind"] = "cross-validation"
        content |= {name: study[name] for name in ("n_folds", "n_repeats", "baselines")}
    return content | {name: study[name] for name in ("seeds", "timed_seeds") if study[name] is not None}


def _n_cells(case: Case, study: Case) -> int:
    folds = study["n_folds"] * study["n_repeats"] if study["is_cross_validation"] else 1
    return case["n_datasets"] * (study["seeds"] or case["seeds"]) * prod(study["grid"].values()) * folds


def _n_baselines(case: Case, study: Case) -> int:
    n_repeats = study["n_repeats"] * study["is_cross_validation"]
    return case["n_datasets"] * len(study["baselines"]) * n_repeats


def _with_anchors(content: dict[str, Any]) -> str:
    """Write a file whose studies share the first one's grid by an alias where it is the same, or merge it."""
    studies = content["studies"]
    lines = [f"{name}: {json.dumps(value)}" for name, value in content.items() if name != "studies"]
    lines += ["studies:", f"- &first {json.dumps(studies[0])}"]
    for study in studies[1:]:
        if study.keys() >= studies[0].keys():  # all that is merged is said again
            lines.append(f"- {{<<: *first, {json.dumps(study)[1:]}")
        else:
            lines.append(f"- {json.dumps(study)}")
    return "\n".join(lines)


def _read(text: str) -> Experiment:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "random.yaml"
        path.write_text(text)
        return read_experiment(path)


def smaller(case: Case) -> list[Case]:
    """Return experiments that are simpler than this one in one thing."""
    found = [{**case, "seeds": 1}, {**case, "n_datasets": 1}, {**case, "anchors": False}]
    studies = case["studies"]
    for index, study in enumerate(studies):
        others = studies[:index], studies[index + 1 :]
        if len(studies) > 1:
            found.append({**case, "studies": [*others[0], *others[1]]})
        simpler = [{name: value} for name, value in _PLAIN.items()]
        simpler += [{"grid": {**study["grid"], name: n // 2}} for name, n in study["grid"].items() if n > 1]
        for change in simpler:
            found.append({**case, "studies": [*others[0], {**study, **change}, *others[1]]})
    return [simpler for simpler in found if simpler != case]


_PLAIN = {"seeds": None, "timed_seeds": None, "n_folds": 2, "n_repeats": 1, "baselines": [], "grid": {}}
WARM_UP: list[Case] = []
