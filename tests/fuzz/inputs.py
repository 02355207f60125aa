"""The files that people hand to gatree: where to start from, how to change them, and what to do with them.

Whatever a file holds, it is used, or refused with a `GatreeError`, within seconds.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from example_trees import animal_tree, animals

from fuzz import fronts
from fuzz.mutations import mutated, odd_json, odd_json_lines, odd_yaml
from fuzz.packed import excel_seeds, odd_columns, odd_footer, odd_parts, parquet_seeds
from gatree.base.errors import GatreeError
from gatree.data.arff import read_arff, write_arff
from gatree.data.costs import read_costs
from gatree.data.dataset import Dataset
from gatree.data.load import load_data
from gatree.evolution.problem import Problem
from gatree.experiments.estimate import status_of
from gatree.experiments.experiment_file import read_experiment
from gatree.experiments.frame import Results
from gatree.experiments.run import Plan
from gatree.j48 import fit
from gatree.paper.grids import Style
from gatree.paper.publish import ours
from gatree.paper.published import TABLES
from gatree.report.best_trees import best_keys, page_trees
from gatree.smalltree.settings import SearchSettings
from gatree.trees.model import DecisionTree

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
_BRIEFLY = SearchSettings(n_folds=2, most_repeats=1, work=2e6, population=20, most_offspring=20)
Mutate = Callable[[bytes, list[bytes], random.Random], bytes]


@dataclass(frozen=True)
class Kind:
    """One kind of file."""

    name: str
    file: str  # what it is called
    seeds: Callable[[], list[bytes]]
    use: Callable[[Path], None]
    mutations: tuple[Mutate, ...] = (mutated,)

    @lru_cache(maxsize=1)  # noqa: B019 - there are five of them, for the life of the process
    def corpus(self) -> list[bytes]:
        return self.seeds()

    def draw(self, rng: random.Random) -> bytes:
        """Return one changed file."""
        corpus = self.corpus()
        content = rng.choice(corpus)
        mutate = rng.choice(self.mutations)
        return mutate(content, corpus, rng)

    def run(self, content: bytes, folder: Path) -> None:
        """Write a file into an empty folder and use it."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        path = folder / self.file
        path.write_bytes(content)
        self.use(path)


ARFF = b"""% all that ARFF has
@relation 'every thing'
@attribute 'a b' {x, 'y z', ?}
@attribute n numeric
@attribute i INTEGER
@attribute when date 'yyyy-MM-dd HH:mm'
@attribute old date "dd MMM yy"
@attribute s string
@attribute class {yes,no}
@data
x, 1.5, 3, '2001-02-03 04:05', '01 Feb 99', 'it\\'s', yes
'y z', ?, -3, ?, ?, ?, no, {1}
{0 x, 1 2e3, 6 no}
{ }
"""
CSV = b"""colour,size,when,class
red,1.5,2001-02-03,yes
"gr ""een",,x,no
blue,1e3,,yes
red,-7,2001-02-04,no
"""


def _arff_seeds() -> list[bytes]:
    nasty = [path.read_bytes() for path in sorted((TESTS / "data" / "nasty").glob("*.arff"))]
    zoo = (ROOT / "datasets" / "zoo.arff").read_bytes().splitlines()
    start = zoo.index(b"@data") if b"@data" in zoo else len(zoo) - 101
    return [ARFF, *nasty, b"\n".join(zoo[: start + 20])]


def _use_data(path: Path) -> None:
    dataset = load_data(str(path), drop_strings=True)
    dataset.describe()
    again = path.with_name("again.arff")
    write_arff(dataset, again)
    assert read_arff(again) == dataset, "written and read again, it is another data set"
    _learn(dataset)


def _learn(dataset: Dataset) -> None:
    if dataset.n_instances * len(dataset.attributes) <= 5_000:
        Problem.of(dataset, "observed")
        fit(dataset)
        fronts.check(dataset, _BRIEFLY)


def _use_tree(path: Path) -> None:
    tree = DecisionTree.from_json(path.read_text(encoding="utf-8", errors="replace"), str(path))
    assert DecisionTree.from_json(tree.to_json()) == tree
    for form in ("text", "dot", "rules", "sql", "python", "pandas", "markdown"):
        with suppress(GatreeError):
            getattr(tree, f"to_{form}")()
    tree.predict(animals())


def _tree_seeds() -> list[bytes]:
    shapes = [0, (0, 1, 0, 1), (1, 2, (0, 0, 1, 2), (2, 1, 0, 1))]
    return [animal_tree(shape).to_json().encode() for shape in shapes]


def _use_yaml(path: Path) -> None:
    experiment = read_experiment(path)
    if {source.data for source in experiment.sources()} <= {"zoo", "lymph"}:
        Plan.of(experiment)


def _yaml_seeds() -> list[bytes]:
    shipped = [path.read_bytes() for path in sorted((ROOT / "configs").glob("*.yaml"))]
    tiny = {
        "name": "tiny",
        "seed": 5,
        "datasets": ["zoo", "lymph"],
        "evolution": {"max_nodes": 31, "leaf_class": "majority"},
        "studies": [
            {
                "name": "s",
                "kind": "savings",
                "repeats": 1,
                "grid": {"x_factor": ["1e4", "1e4..1e5"], "size": [9]},
            },
            {"name": "c", "kind": "cross-validation", "n_folds": 2, "grid": {"mutation_rate": [0.5, 0.01]}},
        ],
    }
    return [json.dumps(tiny, indent=1).encode(), *shipped]


def _use_journal(path: Path) -> None:
    status_of(path)
    results = Results.read(path.parent).demand_finished()
    for number in TABLES:
        ours(number, results, Style())
    page_trees(best_keys(results.frame), results.journal)


def _journal_seeds() -> list[bytes]:
    lines = (TESTS / "report" / "sample" / "cells.jsonl").read_bytes().splitlines()
    zoo = [line for line in lines if b'"dataset":"zoo"' in line]
    kinds = {kind: [line for line in zoo if b'"kind":"%s"' % kind in line] for kind in
             (b"savings", b"cross-validation", b"baseline")}  # fmt: skip
    mixed = [line for found in kinds.values() for line in found[:5]]
    return [b"\n".join(mixed) + b"\n", *(b"\n".join(found[:2]) + b"\n" for found in kinds.values() if found)]


def _use_costs(path: Path) -> None:
    costs = read_costs(path, animals())
    assert costs.shape == (3, 3)
    assert (costs >= 0).all()


COSTS = b",mammal,bird,fish\nmammal,0,1,2.5\nbird,1e3,0,1\nfish,1,1,0\n"


KINDS = {
    kind.name: kind
    for kind in (
        Kind("arff", "input.arff", _arff_seeds, _use_data),
        Kind("csv", "input.csv", lambda: [CSV, CSV.replace(b",", b";")], _use_data),
        Kind("yaml", "input.yaml", _yaml_seeds, _use_yaml, (mutated, odd_yaml, odd_yaml)),
        Kind(
            "journal", "cells.jsonl", _journal_seeds, _use_journal, (mutated, odd_json_lines, odd_json_lines)
        ),
        Kind("excel", "input.xlsx", excel_seeds, _use_data, (odd_parts, odd_parts, odd_parts, mutated)),
        Kind("parquet", "input.parquet", parquet_seeds, _use_data, (odd_columns, odd_footer, mutated)),
        Kind("costs", "input.csv", lambda: [COSTS, COSTS.replace(b"\n", b"\r\n")], _use_costs),
        Kind("tree", "input.json", _tree_seeds, _use_tree, (mutated, odd_json, odd_json)),
    )
}
