"""The tidy frame, and the axes of an experiment that it shows."""

import json
import os
from pathlib import Path

import pandas as pd
import pytest
from records import LEDGER, a_record, results_of, seconds

from gatree.experiments.design import Axis, design_of
from gatree.experiments.frame import COLUMNS, SETTING_COLUMNS, Results, frame, plain_rows
from gatree.experiments.journal import read_journal


def rows_of(records):
    """The rows of a frame, with Python's own values."""
    found = results_of(records).frame
    return [dict(zip(found, values, strict=True)) for values in plain_rows(found)]


def a_point(key, settings=None, **cell):
    record = a_record(key, **cell)
    identity = {name: value for name, value in record["cell"].items() if name not in ("study", "dataset")}
    return {**record, "settings": {**identity, "leaf_class": "random", **(settings or {})}}


def a_baseline(folds):
    outcome = {"n_instances": 10, "cv_correct": 8, "size": 5, "leaves": 3, "train_correct": 9}
    timing = {"build": 0.5, "cross_validate": 1.0}
    if folds:
        outcome["folds"] = [
            {"n_train": 5, "n_test": 5, "train_correct": 4, "test_correct": n, "size": n, "leaves": 2}
            for n in (3, 5)
        ]
        timing["folds"] = [0.25, 0.125]
    cell = {"study": "s", "kind": "baseline", "dataset": "zoo", "replicate": 0, "baseline": "j48"}
    record = {**a_record(), "cell": cell, "settings": {"n_folds": 2, "fold_seed": 1}, "seed": None}
    return {**record, "outcome": outcome, "timing": timing}


def test_a_savings_cell_has_a_row_per_evaluator():
    new, old = rows_of([a_record(timing={"old": seconds(2.0, 1.5), "new": seconds(1.0, 3.0)})])
    assert list(new) == list(COLUMNS)
    known = {"study": "s", "method": "evolution", "replicate": 0, "repeat": 0, "fold": None, "accuracy": None}
    known |= {"generation_gap": 0.5, "n_nodes": 3, "train_accuracy": 0.9, "savings": 50.0, "seed": 1}
    assert (known | {"evaluator": "new", "seconds": 1.0, "kept_bytes": 1024}).items() <= new.items()
    assert (known | {"evaluator": "old", "seconds": 1.5, "kept_bytes": 0}).items() <= old.items()
    assert (new["repeats_outcome"], old["repeats_outcome"]) == (False, True), "to count the evolution once"


def test_seeds_that_ran_with_other_evaluators_are_marked():
    fast = {"bitset": seconds(0.1)}
    seeds = [a_record("b", replicate=1, timing=fast), a_record("a"), a_record("c", replicate=2)]
    assert {row["key"]: row["timed"] for row in rows_of(seeds)} == {"a": True, "b": False, "c": True}
    assert len({row["point"] for row in rows_of(seeds)}) == 1


def test_a_fold_is_a_row_with_the_accuracy_on_its_test_instances():
    record = a_record(kind="cross-validation", fold=2, timing={"bitset": seconds(0.5)})
    found = {"n_train": 80, "n_test": 20, "train_correct": 90, "test_correct": 15, "total_weight": 120}
    record["outcome"] = {**record["outcome"], **found}
    (row,) = rows_of([record])
    known = {"fold": 2, "n_train": 80, "n_test": 20, "accuracy": 0.75, "train_accuracy": 0.75}
    assert (known | {"evaluator": "bitset", "seconds": 0.5}).items() <= row.items()


def test_a_baseline_has_a_row_per_fold_if_they_were_recorded_apart():
    first, second = rows_of([a_baseline(folds=True)])
    assert (first["fold"], first["accuracy"], first["n_nodes"], first["seconds"]) == (0, 0.6, 3, 0.25)
    assert (second["fold"], second["accuracy"], second["n_nodes"], second["seconds"]) == (1, 1.0, 5, 0.125)
    (whole,) = rows_of([a_baseline(folds=False)])
    assert (whole["fold"], whole["accuracy"], whole["n_nodes"], whole["method"]) == (None, 0.8, 5, "j48")


def test_settings_that_change_together_are_one_axis():
    points = [
        a_point(f"{size}{rate}", population_size=size, n_generations=size, mutation_rate=rate)
        for size in (100, 20)
        for rate in (0.5, 0.01)
    ]
    design = design_of(results_of([*points, a_baseline(folds=False)]).frame)
    assert design.axes == (
        Axis("mutation_rate", (0.01, 0.5)),
        Axis("population_size", (20, 100), along=("n_generations",)),
    )
    assert (design.datasets, design.baselines, design.studies) == (("zoo",), ("j48",), ("s",))


WEIGHTS = [None, "balanced", {"b": 1, "a": 2}]


@pytest.mark.parametrize(
    ("points", "axes"),
    [
        ([], ()),
        ([a_point("a"), a_point("b", replicate=1)], ()),
        ([a_point(study, study=study) for study in ("one", "other")], (Axis("study", ("one", "other")),)),
        (
            [a_point(leaf, {"leaf_class": leaf}, study=leaf) for leaf in ("random", "majority")],
            (Axis("leaf_class", ("majority", "random")),),
        ),
        (
            [a_point(str(weight), {"class_weight": weight}) for weight in WEIGHTS],
            (Axis("class_weight", (None, "balanced", '{"a": 2, "b": 1}')),),
        ),
    ],
    ids=["nothing", "seeds", "studies", "fixed settings of studies", "weights"],
)
def test_what_varies_is_an_axis(points, axes):
    assert design_of(results_of(points).frame).axes == axes


def test_rows_of_a_folder_are_those_of_its_whole_records(tmp_path):
    """Also where settings have braces of their own, lines have blanks, or are of the first schema."""
    weights = a_point("w", {"class_weight": {"b": 1, "a": 2}}, replicate=1)
    failed = {**a_point("f", replicate=2), "status": "failed", "error": "MemoryError: too large"}
    folds = {"n_train": 80, "n_test": 20, "train_correct": 60, "test_correct": 15, "total_weight": 99}
    fold = a_point("c", kind="cross-validation", fold=0, outcome=folds, timing={"bitset": seconds(0.5)})
    old = {
        name: value for name, value in a_point("o", replicate=3).items() if name not in ("settings", "seed")
    }
    records = [a_point("a"), a_point("b"), weights, failed, fold, a_baseline(folds=True)]
    lines = [json.dumps({"schema": 2, **record}, separators=(",", ":")) for record in records]
    lines += [json.dumps({"schema": 2, **a_point("d", replicate=4)}), json.dumps({"schema": 1, **old})]
    (tmp_path / "cells.jsonl").write_text("\n".join(lines) + "\n")
    whole = read_journal(tmp_path / "cells.jsonl")
    found = frame(tmp_path)
    pd.testing.assert_frame_equal(found, Results.of(whole).frame)
    assert list(found["key"]) == ["b", "b", "w", "w", "c", "a", "a", "d", "d", "o", "o"]


def test_savings_are_a_share_of_the_evaluated_and_of_all_offspring():
    """Of 900 offspring 450 are evaluated, on 100 instances."""
    ledger = {**LEDGER, "instances_reclassified": 9_000, "instances_total": 45_000}
    new, _ = rows_of([a_record(outcome={"ledger": ledger})])
    assert new["n_evaluated"] == 450
    assert (new["savings"], new["savings_of_all"]) == pytest.approx((80, 90))


def test_all_columns_are_documented():
    """Renewed by UPDATE_GOLDENS=1; the settings are columns, too, and docs/config.md describes them."""
    path = Path(__file__).parents[2] / "docs" / "journal.md"
    before, mark, after = path.read_text(encoding="utf-8").partition("| column | |\n|---|---|\n")
    assert mark
    table, gap, rest = after.partition("\n\n")
    described = {name: holds for name, holds in COLUMNS.items() if name not in SETTING_COLUMNS}
    lines = "".join(f"| `{name}` | {holds} |\n" for name, holds in described.items())
    if os.environ.get("UPDATE_GOLDENS"):
        path.write_text(before + mark + lines + gap[1:] + rest, encoding="utf-8")
        return
    assert table + "\n" == lines
