"""One cell, in this process: what it records, and that it refuses to record a difference."""

import os
from dataclasses import replace

import numba
import numpy as np
import pytest
from laboratory import gatree, tiny_plan, write_config
from msgspec import structs
from records import fields_of, read

from bench.concepts import random_tree_concept
from gatree.data.catalog import load_dataset
from gatree.data.folds import fold_rows
from gatree.evolution.evaluators.partition import FullEvaluator
from gatree.evolution.evolve import evolve
from gatree.evolution.problem import Problem
from gatree.experiments import cell as cell_module
from gatree.experiments import estimate
from gatree.experiments.cell import run_cell
from gatree.experiments.estimate import calibration, measured, measured_seconds, modelled_seconds
from gatree.experiments.journal import read_records
from gatree.experiments.record import Done, Failed
from gatree.experiments.record_line import line_of, parse_record
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.registry import EVALUATORS
from gatree.trees.genome import Tree


def a_cell(dataset="zoo", **identity):
    return next(
        cell
        for cell in tiny_plan().cells
        if cell.identity.dataset == dataset and identity.items() <= cell.identity.fields.items()
    )


def test_a_savings_cell():
    cell, data = a_cell(kind="savings"), load_dataset("zoo")
    cell = replace(cell, repeats=3, evaluators=("old", "new", "new-all-nodes"))
    record = fields_of(run_cell(cell, data))
    assert (record["key"], record["cell"], record["status"]) == (cell.key, cell.identity.fields, "done")
    outcome, run = record["outcome"], evolve(data, cell.settings_with("new"))
    assert outcome["n_instances"] == 101
    assert not {"total_weight", "class_weight"} & set(outcome), "there are no weights"
    assert outcome["n_correct"] == run.n_correct
    assert outcome["payoff"] == run.payoff
    assert outcome["ledger"]["instances_reclassified"] == run.ledger.instances_reclassified
    assert 0 < outcome["ledger"]["instances_reclassified"] < outcome["ledger"]["instances_total"]
    assert outcome["digest"] == f"{run.history['digest'][-1]:016x}"
    assert outcome["best"]["attribute"] == run.best.attribute.tolist()
    assert outcome["kept_bytes"]["old"] == 0 < outcome["kept_bytes"]["new"]
    assert set(record["timing"]) == {"old", "new", "new-all-nodes"}
    for seconds in record["timing"].values():
        lengths = {name: len(values) for name, values in seconds.items()}
        assert lengths == dict.fromkeys(("wall", "cpu", "evaluate_wall"), 3) | {"cpu_at": 10}
    versions = {"python", "numpy", "numba", "gatree", "commit"}
    assert set(record["machine"]) == {"cpu", "cores", "os", *versions, "utc"}
    assert record["seed"] == cell.seed
    assert record["data"] == {"name": "zoo", "checksum": data.checksum}
    assert record["settings"].keys() == {*EvolutionSettings.model_fields, "evaluators", "repeats"} - {
        "seed",
        "evaluator",
    }
    assert fields_of(read(record)) == record


class MiscountsLater(FullEvaluator):
    """Finds one correct instance too many in the third generation of a whole population."""

    calls = 0

    def evaluate(self, trees, births):
        super().evaluate(trees, births)
        self.calls += 1
        if self.calls == 4:  # the first is the initial population
            trees.n_correct[births.slot] += 1


def test_evaluators_that_differ_fail_the_cell(monkeypatch):
    miscounting = replace(EVALUATORS["old"], path=f"{__name__}:MiscountsLater")
    monkeypatch.setitem(EVALUATORS, "old", miscounting)
    record = run_cell(a_cell(kind="savings"), load_dataset("zoo"))
    assert isinstance(record, Failed)
    assert "old and new differ from generation 3 on" in record.error


@pytest.mark.parametrize("evaluator", ["new-all-nodes", "bitset"])
def test_folds_have_one_outcome_whichever_inheriting_evaluator_counts(evaluator):
    cell, data = a_cell(kind="cross-validation", fold=2), load_dataset("zoo")
    other = replace(cell, evaluators=(evaluator,))
    assert other.key == cell.key
    record = run_cell(other, data)
    assert set(record.timing) == {evaluator}
    assert record.outcome == run_cell(cell, data).outcome


@pytest.mark.parametrize(
    ("kind", "n_train", "n_test"),
    [
        ({"folds": "weka"}, 81, 20),
        ({"folds": "every-nth"}, 80, 21),
        ({"folds": "every-nth", "drop_remainder": True}, 80, 20),
        ({"folds": "out-of-bag"}, 101, None),
    ],
)
def test_a_fold_is_trained_and_tested_on_its_rows(kind, n_train, n_test):
    cell, data = a_cell(kind="cross-validation", fold=2 if n_train == 81 else 0), load_dataset("zoo")
    cell = replace(cell, split=replace(cell.split, **kind), history=n_train == 81)
    outcome = fields_of(run_cell(cell, data))["outcome"]
    train, test = fold_rows(data.classes, 5, 1, kind["folds"], kind.get("drop_remainder", False))[
        cell.identity.fold
    ]
    assert outcome["n_train"] == len(train) == n_train
    assert outcome["n_test"] == len(test) == (n_test or len(test))
    run = evolve(data.take(train), cell.settings_with("new"))
    assert outcome["train_correct"] == run.n_correct
    expected = [_walk(run.best, data, row, data.take(train)) == data.classes[row] for row in test]
    assert outcome["test_correct"] == sum(expected)
    assert ("history" in outcome) == cell.history
    if cell.history:
        history = outcome["history"]
        assert {name: len(values) for name, values in history.items()} == dict.fromkeys(
            ("accuracy", "test_accuracy", "size", "payoff", "mean_payoff", "distinct", "savings"),
            cell.point.settings.n_generations,
        )
        assert history["size"][-1] == outcome["n_nodes"]
        assert history["accuracy"][-1] == round(outcome["train_correct"] / n_train, 6)
        assert history["test_accuracy"][-1] == round(outcome["test_correct"] / n_test, 6)


def test_a_baseline_is_judged_on_the_rows_of_its_folds_alone():
    data = load_dataset("zoo")
    cell = a_cell(kind="baseline")
    cell = replace(cell, identity=structs.replace(cell.identity, baseline="majority"))
    cell = replace(cell, split=replace(cell.split, folds="every-nth", drop_remainder=True))
    outcome = fields_of(run_cell(cell, data))["outcome"]
    assert outcome["n_instances"] == sum(fold["n_test"] for fold in outcome["folds"]) == 100
    folds = fold_rows(data.classes, 5, kind="every-nth", drop_remainder=True)
    answers = [np.bincount(data.classes[train]).argmax() for train, _ in folds]
    right = [np.count_nonzero(data.classes[test] == a) for a, (_, test) in zip(answers, folds, strict=True)]
    assert outcome["cv_correct"] == sum(right)


def _walk(tree: Tree, data, row, train):
    """The class that a tree gives to a row, by the book."""
    node = 0
    while not tree.is_leaf(node):
        attribute = int(tree.attribute[node])
        value = data.columns[attribute][row]
        if data.attributes[attribute].is_nominal:
            passed = value == tree.value[node]
        else:
            passed = value <= np.ceil(np.nanmin(train.columns[attribute])) + tree.value[node]
        node = tree.left(node) if passed else tree.right(node)
    return tree.value[node]


@pytest.mark.parametrize(("baseline", "expected"), [("j48", (92, 17)), ("j48-reduced-error", (89, 13))])
def test_baselines_are_wekas(baseline, expected):
    record = run_cell(a_cell(baseline=baseline), load_dataset("zoo"))
    assert (record.outcome.cv_correct, record.outcome.size) == expected
    assert len(record.timing.folds) == 5


def test_a_time_that_includes_compiling_is_marked(monkeypatch):
    """A kernel that is compiled inside the timed region, as on a cold cache."""
    cell, data = a_cell(kind="cross-validation", fold=0), load_dataset("zoo")
    assert run_cell(cell, data).compiled == 0

    def compile_something(problem, settings, on_generation):
        numba.njit(lambda x: x + 1)(1)
        return evolve(problem, settings, on_generation)

    monkeypatch.setattr("gatree.experiments.cell.evolve", compile_something)
    record = run_cell(cell, data)
    assert record.compiled == record.timing["new"].compiled == 1
    assert parse_record(line_of(record)) == record


def test_every_loop_is_warmed_up_by_itself(monkeypatch):
    """Small and large data have other indices of instances."""
    warmed = []
    monkeypatch.setattr(cell_module, "_warm", set())
    monkeypatch.setattr(cell_module, "warm_up", lambda problem, its: warmed.append((problem, its.evaluator)))
    small, large = (Problem.of(random_tree_concept(n, 4, n_numeric=0)) for n in (100, 10**6))
    for evaluator in ("new", "bitset"):
        for seed, problem in enumerate((small, large, small)):
            settings = EvolutionSettings(evaluator=evaluator, seed=seed)
            cell_module._warm_up_once(problem, settings)
    expected = [(small, "new"), (large, "new"), (small, "bitset"), (large, "bitset")]
    assert [(id(problem), name) for problem, name in warmed] == [(id(p), name) for p, name in expected]


def test_the_estimate_learns_from_what_was_measured(monkeypatch):
    monkeypatch.setattr(estimate, "slowness", lambda: 2.0)
    modelled = {"a": 10.0, "b": 1.0}
    assert calibration(modelled, {}) == calibration(modelled, {"a": None, "other": 5.0}) == 2
    assert calibration(modelled, {"a": 30.0}) == (30 + 2) / (10 + 1)
    assert calibration(modelled, {"b": 0.1}) == (0.1 + 2) / (1 + 1), "a short cell says little"
    record = run_cell(a_cell(kind="savings"), load_dataset("zoo"))
    assert measured([record]) == {record.key: measured_seconds(record)}


def test_large_data_should_take_longer():
    cell = a_cell(kind="savings")
    assert modelled_seconds(replace(cell, n_instances=10_000)) > modelled_seconds(cell)


SAVINGS = {"kind": "savings", "evaluators": ["old", "new", "new-all-nodes", "bitset"]}
HISTORY = {"kind": "cross-validation", "history": True}
BASELINES = {
    "kind": "cross-validation",
    "evaluator": "bitset",
    "baselines": ["j48", "j48-reduced-error", "cart", "small-tree", "majority"],
}


@pytest.mark.long
@pytest.mark.parametrize("study", [SAVINGS, HISTORY, BASELINES], ids=["savings", "history", "baselines"])
def test_no_cells_seconds_contain_a_compilation(tmp_path, study):
    study = {"name": "cold", "grid": {"size": [10]}, **study}
    config = write_config(tmp_path, datasets=["zoo"], studies=[study])
    cache = {"GATREE_CACHE_DIR": str(tmp_path / "cache")}
    command = ("run", "--config", config, "--results", tmp_path, "--jobs", "1")
    code, _, errors = gatree(*command, env=os.environ | cache)
    assert code == 0, errors
    records = list(read_records(tmp_path / "tiny" / "cells.jsonl"))
    assert all(isinstance(record, Done) for record in records)
    assert [record.compiled for record in records] == [0] * len(records)
