"""Custom experiments: any setting in a grid, your own files, repeated cross-validation, baselines."""

import gzip
import os

import pytest
import yaml
from laboratory import TINY, tiny_plan
from records import fields_of

from gatree.base.errors import ConfigError, DataError, GatreeError
from gatree.data.catalog import load_dataset
from gatree.experiments.cell import run_cell
from gatree.experiments.experiment_file import read_experiment
from gatree.experiments.grid import select
from gatree.experiments.run import Plan
from gatree.experiments.setting_grid import SETTINGS
from gatree.settings.evolution_settings import EvolutionSettings

TWO_OF_EACH = {
    "population_size": [10, 20],
    "n_generations": [5, 10],
    "mutation_rate": [0.1, 0.5],
    "x_factor": ["1e4", "1e4..1e5"],
    "x_start": [None, 1e3],
    "x_steps": [0, 5],
    "payoff": ["eq-1", "balanced"],
    "paid": ["every-generation", "at-birth"],
    "size_measure": ["nodes", "leaves"],
    "selection": ["tournament", "roulette"],
    "tournament_size": [2, 3],
    "generation_gap": [0.25, 1],
    "replacement": ["worst", "best"],
    "crossover_rate": [0.5, 1.0],
    "copies": ["saved", "evaluated"],
    "root_swaps": ["saved", "evaluated"],
    "root_share": [0.5, 1.0],
    "prune_share": [0.25, 0.5],
    "shift_share": [0.0, 0.5],
    "grow_share": [0.0, 1.0],
    "leaf_class": ["random", "majority"],
    "min_leaf": [0, 2],
    "max_nodes": [None, 15],
    "max_depth": [None, 3],
    "numeric_tests": ["integer", "observed"],
    "n_jobs": [1, 2],
}


def study(**parts):
    return {"name": "s", "kind": "cross-validation", "evaluator": "bitset", **parts}


def test_the_list_of_settings_is_complete():
    assert set(TWO_OF_EACH) == set(EvolutionSettings.model_fields) - {"seed", "evaluator"}
    assert set(SETTINGS) == set(TWO_OF_EACH)


@pytest.mark.parametrize("name", TWO_OF_EACH)
def test_every_setting_may_stand_in_a_grid(name):
    plan = tiny_plan(datasets=["zoo"], studies=[study(grid={name: TWO_OF_EACH[name]}, n_folds=2)])
    values = [
        cell.point.settings.model_dump(mode="json")[name] for cell in plan.cells if cell.identity.fold == 0
    ]
    assert values == TWO_OF_EACH[name]
    assert [cell.identity.fields[name] for cell in plan.cells] == [
        value for value in values for _ in range(2)
    ]
    assert (
        len({cell.key for cell in plan.cells}) == len({cell.seed for cell in plan.cells}) == 2 * len(values)
    )
    chosen = select(list(plan.cells), [f"{name}={'none' if values[0] is None else str(values[0]).lower()}"])
    assert [cell.identity.fields[name] for cell in chosen] == [values[0]] * 2


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ({"seed": [1, 2]}, "grid.seed: cannot vary in a grid: `seeds` says how often"),
        ({"evaluator": "old"}, "grid.evaluator: cannot vary in a grid: a savings study runs its"),
        ({"leaf_clas": "random"}, "grid.leaf_clas: unknown setting; did you mean 'leaf_class'?"),
        ({"leaf_class": ["random", "mayority"]}, "grid.leaf_class[1]: should be 'random' or 'majority', got"),
        ({"size": ["nodes", "leafs"]}, "grid.size[1]: should be 'nodes' or 'leaves', got 'leafs'"),
        ({"size": [10, "nodes"]}, "grid.size[0]: should be 'nodes' or 'leaves', got 10"),
        ({"generation_gap": [0.5, 0.5]}, "grid.generation_gap: listed twice: 0.5"),
        ({"min_leaf": [True]}, "grid.min_leaf[0]: should be a valid integer, got True"),
        ({"subtree_cache": [False, True]}, "grid.subtree_cache: this setting was removed, since the cache"),
        ({"max_nodes": [None, 2]}, "grid.max_nodes[1]: should be greater than or equal to 3, got 2"),
        (
            {"prune_share": [0.1, 0.6], "shift_share": [0.2, 0.5]},
            "prune_share, shift_share: should be at most 1 together, got 0.6 + 0.5",
        ),
    ],
)
def test_grids_explain_themselves(tmp_path, grid, message):
    path = tmp_path / "my.yaml"
    path.write_text(yaml.safe_dump({**TINY, "studies": [study(grid=grid)]}))
    with pytest.raises(ConfigError) as caught:
        read_experiment(path)
    assert message in str(caught.value)


CSV = "id,colour,width,kind\n1,red,2.5,a\n2,blue,3.5,b\n3,red,2.0,a\n4,blue,?,b\n"
ARFF = """@relation r
@attribute x numeric
@attribute note string
@attribute y {a,b}
@data
1,'well',a
2,'ill',b
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "plain.csv").write_text(CSV)
    (tmp_path / "packed.csv.gz").write_bytes(gzip.compress(CSV.encode()))
    (tmp_path / "weka.arff.gz").write_bytes(gzip.compress(ARFF.encode()))
    return tmp_path


def read(folder, **changes):
    (folder / "my.yaml").write_text(yaml.safe_dump({**TINY, **changes}))
    return read_experiment(folder / "my.yaml")


def test_data_come_from_files_of_all_kinds(files):
    experiment = read(
        files,
        datasets=[
            "plain.csv",
            "vote",
            {"data": "packed.csv.gz", "class": "colour", "drop": ["id", "width"]},
            {"data": "plain.csv", "drop": "id", "name": "without id"},
            {"data": "weka.arff.gz", "drop_strings": True},
        ],
    )
    plain, _, packed, without_id, weka = [source.load() for source in experiment.datasets]
    names = [source.name for source in experiment.datasets]
    assert names == ["plain", "vote", "packed", "without id", "weka"]
    assert [attribute.name for attribute in plain.attributes] == ["id", "colour", "width"]
    assert [attribute.name for attribute in packed.attributes] == ["kind"]
    assert packed.class_values == ("red", "blue")
    assert [attribute.name for attribute in without_id.attributes] == ["colour", "width"]
    assert (without_id.name, weka.n_attributes) == ("without id", 1)
    cells = Plan.of(experiment, ["study=savings"]).cells
    assert {cell.identity.dataset for cell in cells} == set(names)
    assert len({cell.checksum for cell in cells}) == 5


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"data": "plain.csv", "clas": "kind"}, "datasets[0].clas: unknown setting; did you mean 'class'?"),
        ({"class": "kind"}, "datasets[0].data: is missing"),
        ({"data": "plain.csv", "name": "two\nlines"}, "datasets[0].name: should be a name of 1 to 80"),
        (7, "datasets[0]: should be a name, a path, or a mapping"),
    ],
)
def test_data_that_cannot_be_meant_are_refused(files, source, message):
    with pytest.raises(ConfigError) as caught:
        read(files, datasets=[source])
    assert message in str(caught.value)


def test_one_name_is_one_data_set_and_its_columns_exist(files):
    other = {"data": "plain.csv", "class": "colour"}
    with pytest.raises(ConfigError, match="two different ones are called 'plain'"):
        read(files, datasets=["plain.csv"], studies=[study(datasets=[other])])
    assert read(files, datasets=["plain.csv"], studies=[study(datasets=["plain.csv"])]).sources()
    for part in ({"class": "knd"}, {"drop": ["idd"]}):
        with pytest.raises(DataError, match=r"'(knd|idd)'; did you mean '(kind|id)'"):
            Plan.of(read(files, datasets=[{"data": "plain.csv", **part}]))


def errors_of(folder, **changes):
    (folder / "my.yaml").write_text(yaml.safe_dump({**TINY, **changes}))
    with pytest.raises(GatreeError) as caught:
        Plan.of(read_experiment(folder / "my.yaml"))
    return (
        str(caught.value).replace(f"{folder / 'my.yaml'}: ", "").replace(f"{folder}{os.sep}", "").splitlines()
    )


WRONG_CLASS = "plain.csv: no column 'knd'; did you mean 'kind'? (there are: id, colour, width, kind)"
TOO_MANY_FOLDS = "study 'few', data set 'packed': cross-validation: cannot make 5 folds of 4 instances"


def test_all_errors_of_the_file_are_reported_and_then_those_of_its_data_and_then_of_its_cells(files):
    few = study(name="few", n_folds=5, grid={"x_factor": [1e3, "abc"]})
    other = study(name="other", datasets="zoo", n_folds=102, baseline="j48")
    wrong = ["none.csv", {"data": "plain.csv", "class": "knd"}, {"data": "packed.csv.gz", "class": "x"}]
    found = errors_of(files, datasets=wrong, studies=[few, other], seeeds=3)
    starts = [
        "datasets[0]: no such file: none.csv",
        "studies[0].grid.x_factor[1]: an x-factor is a number such as 1e4",
        "studies[1].baseline: unknown setting",
        "seeeds: unknown setting; did you mean 'seeds'?",
    ]
    assert [line.startswith(start) for line, start in zip(found, starts, strict=True)] == [True] * 4, found
    del few["grid"], other["baseline"]
    of_data = errors_of(files, datasets=wrong[1:], studies=[few, other])
    assert of_data[0] == WRONG_CLASS
    assert of_data[1].startswith("packed.csv.gz: no column 'x'")
    of_cells = errors_of(files, datasets=["packed.csv.gz"], studies=[few, other])
    few_folds, many_folds = of_cells
    assert few_folds.startswith(TOO_MANY_FOLDS)
    assert many_folds.startswith("study 'other', data set 'zoo': cross-validation: cannot make 102 folds")


def test_a_cross_validation_may_be_repeated_and_the_first_is_what_it_was():
    once = study(n_folds=3, baselines=["j48"])
    thrice = tiny_plan(datasets=["zoo"], studies=[{**once, "n_repeats": 3}]).cells
    first = tiny_plan(datasets=["zoo"], studies=[once]).cells
    assert len(thrice) == 3 * len(first)
    assert {cell.key for cell in first} < {cell.key for cell in thrice}
    assert [(c.identity.repeat, c.split.fold_seed) for c in thrice if c.identity.kind == "baseline"] == [
        *((0, 1), (1, 2), (2, 3))
    ]
    evolutions = [cell for cell in thrice if cell.identity.kind != "baseline"]
    assert len({cell.seed for cell in evolutions}) == len(evolutions) == 9
    assert len(select(list(thrice), ["repeat=2"])) == 4


@pytest.mark.parametrize("name", ["j48", "cart", "majority", "small-tree"])
def test_a_baseline_s_folds_add_up(name):
    data = load_dataset("soybean")
    (cell,) = tiny_plan(datasets=["soybean"], studies=[study(baselines=name, n_folds=2)], seeds=[0]).cells[:1]
    record = fields_of(run_cell(cell, data))
    outcome = record["outcome"]
    assert len(outcome["folds"]) == len(record["timing"]["folds"]) == 2
    assert sum(fold["n_test"] for fold in outcome["folds"]) == outcome["n_instances"] == 39
    assert sum(fold["test_correct"] for fold in outcome["folds"]) == outcome["cv_correct"]
    assert all(fold["n_train"] + fold["n_test"] == 39 for fold in outcome["folds"])
    if name == "majority":
        assert (outcome["size"], outcome["leaves"]) == (1, 1)
        assert outcome["train_correct"] == max(data.class_counts)
