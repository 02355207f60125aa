"""From config to cells: how many, their seeds and keys, and which are asked for."""

import hashlib
import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from laboratory import TINY, tiny, tiny_plan

from gatree.base.errors import ConfigError, GatreeError
from gatree.base.files import shipped_folder
from gatree.data.catalog import load_dataset
from gatree.experiments import grid
from gatree.experiments.experiment import with_seeds
from gatree.experiments.experiment_file import read_experiment
from gatree.experiments.grid import Cell, batches_of, select
from gatree.experiments.run import Plan
from gatree.settings.evolution_settings import EvolutionSettings

DIGESTS = {"paper": "2fcb5a1287fab552", "quick": "acf5df1836775b37", "smoke": "c7d39ebd382f4593"}


def shipped(name):
    return read_experiment(shipped_folder("configs") / f"{name}.yaml")


def of_kind(cells, kind):
    return [cell for cell in cells if cell.identity.kind == kind]


@pytest.mark.parametrize("name", DIGESTS)
def test_journals_of_the_paper_s_experiments_stay_of_use(name):
    """Renew the digests only if settings of the paper's experiments, or the engine, were meant to change."""
    cells = Plan.of(shipped(name)).cells
    keys = " ".join(cell.key for cell in cells if cell.identity.replicate == 0)
    assert hashlib.sha256(keys.encode()).hexdigest()[:16] == DIGESTS[name]
    assert [(s.name, s.kind) for s in shipped(name).studies] == [
        (s.name, s.kind) for s in shipped("paper").studies
    ]
    if name == "paper":
        the_papers_grid_is_complete(cells)
        the_documented_costs_count_the_cells(list(cells))


def the_papers_grid_is_complete(cells):
    assert Counter((cell.identity.study, cell.identity.kind) for cell in cells) == {
        ("savings", "savings"): 12 * 2 * 2 * 8 * 10,
        ("accuracy", "cross-validation"): 12 * 2 * 2 * 8 * 5 * 10,
        ("accuracy", "baseline"): 12 * 2 * 2,
        ("fast-x", "cross-validation"): 3 * 2 * 6 * 5 * 10,
        ("exploratory", "cross-validation"): 5 * 10,
    }
    assert len({cell.key for cell in cells}) == len(cells)
    seeds = [cell.seed for cell in cells if cell.identity.kind != "baseline"]
    assert len(set(seeds)) == len(seeds), "each experiment has its own seed, as in the paper"


def the_documented_costs_count_the_cells(cells):
    """docs/performance.md lists what to run for each claim, and how many cells that are."""
    text = (Path(__file__).parents[2] / "docs" / "performance.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"`--only (\S+)` \| ([\d,]+) \|", text))
    assert len(rows) == 4
    assert {only: f"{len(select(cells, [only])):,}" for only in rows} == rows


def test_replicates_differ_in_their_seed_and_the_first_is_what_a_cell_was_before():
    once, thrice = tiny_plan(datasets=["zoo"]), tiny_plan(datasets=["zoo"], seeds=3)
    evolutions = [cell for cell in thrice.cells if cell.identity.kind != "baseline"]
    assert len(evolutions) == 3 * (len(once.cells) - 2)
    assert len(thrice.cells) == len(evolutions) + 2, "a baseline has no seed"
    first = [cell for cell in thrice.cells if cell.identity.replicate == 0]
    assert [(cell.key, cell.identity) for cell in first] == [(cell.key, cell.identity) for cell in once.cells]
    assert len({cell.key for cell in thrice.cells}) == len(thrice.cells)
    assert len({cell.seed for cell in evolutions}) == len(evolutions)


def test_replicates_may_be_listed_and_only_the_first_are_timed():
    savings, accuracy = TINY["studies"]
    studies = [{**savings, "seeds": [7, 2], "timed_seeds": 1}, {**accuracy, "evaluator": "new-all-nodes"}]
    plan = tiny_plan(datasets=["zoo"], studies=studies, seeds=4, timed_seeds=2)
    timed = {
        (c.identity.replicate, c.evaluators, c.repeats) for c in plan.cells if c.identity.kind == "savings"
    }
    assert timed == {(7, ("old", "new"), 2), (2, ("bitset",), 1)}
    folds = {
        (cell.identity.replicate, *cell.evaluators)
        for cell in plan.cells
        if cell.identity.kind == "cross-validation"
    }
    assert folds == {(0, "new-all-nodes"), (1, "new-all-nodes"), (2, "bitset"), (3, "bitset")}
    more = tiny_plan(datasets=["zoo"], seeds=[5, 1, 0])
    fewer = {cell.key for cell in tiny_plan(datasets=["zoo"], seeds=[1, 0], timed_seeds=0).cells}
    folds = {
        cell.key
        for cell in more.cells
        if cell.identity.kind == "cross-validation" and cell.identity.replicate != 5
    }
    assert folds <= fewer, "a replicate stays the same, whatever else is run"


def test_a_key_is_the_hash_of_data_identity_and_protocol_as_json():
    """The texts that keys are hashed from are put together of parts; here the whole text is built at once."""

    def digest(value):
        return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()

    plan = tiny_plan(seeds=2)
    for cell in plan.cells:
        identity = {
            name: value for name, value in cell.identity.fields.items() if name != "replicate" or value
        }
        protocol = dict(cell.values)
        if cell.identity.kind != "baseline":
            protocol = grid.hashed_settings(cell.values)
            assert cell.seed == int(digest([plan.experiment.seed, identity])[:15], 16)
            protocol["seed"] = cell.seed
        assert cell.key == digest([grid.ENGINE_VERSION, cell.checksum, identity, protocol])[:20]


ALWAYS_HASHED = frozenset(
    {
        *("population_size", "n_generations", "mutation_rate", "x_factor", "size_measure", "selection"),
        *("tournament_size", "generation_gap", "replacement", "crossover_rate", "prune_share", "shift_share"),
        *("grow_share", "leaf_class", "min_leaf", "max_nodes", "numeric_tests"),
        *("n_jobs", "seed"),
    }
)


def test_every_setting_has_its_place_in_the_key():
    """A new setting needs an entry in `NEUTRAL`: the value with which all is as it was without it."""
    parts = (set(ALWAYS_HASHED), set(grid.NEVER_HASHED), set(grid.NEUTRAL))
    assert set.union(*parts) == set(EvolutionSettings.model_fields)
    assert sum(map(len, parts)) == len(EvolutionSettings.model_fields)


def test_new_and_removed_settings_change_only_the_keys_of_cells_that_use_them(monkeypatch):
    values = tiny_plan().cells[0].point.values
    hashed = grid.hashed_settings(values)
    assert "subtree_cache" not in values
    assert hashed["subtree_cache"] is False
    monkeypatch.setattr(grid, "NEUTRAL", {**grid.NEUTRAL, "brand_new": "off"})
    assert grid.hashed_settings({**values, "brand_new": "off"}) == hashed
    assert grid.hashed_settings({**values, "brand_new": "on"}) == {**hashed, "brand_new": "on"}


def test_a_change_of_config_or_data_changes_only_the_keys_it_concerns():
    def keys_by_study(**changes):
        cells = tiny_plan(**changes).cells
        return [
            {cell.key for cell in cells if cell.identity.study == name} for name in ("savings", "accuracy")
        ]

    savings, accuracy = TINY["studies"]
    before = keys_by_study()
    after = keys_by_study(studies=[{**savings, "repeats": 3}, accuracy])
    assert after[1] == before[1]
    assert not after[0] & before[0]
    larger = {**savings, "grid": {**savings["grid"], "size": [10, 60, 70]}}
    assert keys_by_study(studies=[larger, accuracy])[0] > before[0]
    assert not keys_by_study(evolution={"generation_gap": 0.3})[0] & before[0]
    data = {name: load_dataset(name) for name in ("zoo", "soybean")}
    cells = [cell for batch in batches_of(tiny(), data) for cell in batch.cells()]
    data["zoo"] = data["zoo"].take(np.arange(100))
    changed = [cell for batch in batches_of(tiny(), data) for cell in batch.cells()]
    for old, new in zip(cells, changed, strict=True):
        assert (old.key == new.key) == (old.identity.dataset == "soybean")
        assert old.identity.kind != "savings" or old.seed == new.seed


def test_population_and_generations_may_be_given_apart():
    study = {"name": "s", "kind": "savings", "grid": {"population_size": [10, 20], "n_generations": [0, 5]}}
    plan = tiny_plan(datasets=["zoo"], studies=[study])
    sizes = [(cell.point.settings.population_size, cell.point.settings.n_generations) for cell in plan.cells]
    assert sizes == [(10, 0), (10, 5), (20, 0), (20, 5)]
    fixed = {"mutation_rate": 0.25, "population_size": 7, "n_generations": 3}
    study = {"name": "s", "kind": "savings"}
    (cell,) = tiny_plan(datasets=["zoo"], evolution=fixed, studies=[study]).cells
    assert cell.point.settings.model_dump(include=set(fixed)) == fixed


@pytest.mark.parametrize(
    ("only", "n_cells"),
    [
        ([], 2 * (8 + 2 + 20)),
        (["dataset=zoo"], 30),
        (["dataset=zoo", "dataset=soybean"], 60),
        (["study=savings", "size=10"], 8),
        (["kind=baseline"], 4),
        (["baseline=j48"], 2),
        (["x_factor=10000..1e5"], 8),
        (["x-factor=1e4", "kind=savings"], 8),
        (["mutation_rate=0.50", "kind=cross-validation"], 20),
        (["fold=3", "size=20", "size=80"], 8),
    ],
)
def test_only(only, n_cells):
    assert len(select(list(tiny_plan().cells), only)) == n_cells


@pytest.mark.parametrize(
    ("only", "message"),
    [
        ("datset=zoo", "no key 'datset'; did you mean 'dataset'?"),
        ("colour=red", "no key 'colour'; known: study, kind"),
        ("dataset=zo", "no cell has this dataset; did you mean 'zoo'?"),
        ("size=99", "no cell has this size; there is: 10, 60, 20, 80"),
        ("zoo", "should be KEY=VALUE"),
    ],
)
def test_only_explains_itself(only, message):
    with pytest.raises(ConfigError) as caught:
        select(list(tiny_plan().cells), [only])
    assert message in str(caught.value)


def test_what_the_data_do_not_allow_is_refused_before_anything_runs_unless_it_is_not_chosen():
    studies = [TINY["studies"][0], {**TINY["studies"][1], "n_folds": 102}]
    with pytest.raises(GatreeError, match=r"'accuracy'.*'zoo': .* cannot make 102 folds of 101 instances"):
        tiny_plan(studies=studies)
    assert Plan.of(tiny(studies=studies), ["study=savings"]).chosen


def test_the_first_seeds_of_every_study_can_be_chosen():
    """With the keys that they have among all, so that the reference has them."""
    experiment = shipped("smoke").model_copy(update={"seeds": (4, 0, 2)})
    chosen, every = (Plan.of(e).cells for e in (with_seeds(experiment, 2), experiment))
    assert {cell.identity.replicate for cell in chosen if cell.identity.kind != "baseline"} == {4, 0}
    assert {cell.key for cell in chosen} < {cell.key for cell in every}


def folds_of(**parts):
    study = {**TINY["studies"][1], "grid": {"size": 20}, **parts}
    return tiny_plan(datasets=["zoo"], studies=[study]).cells


FOLD_KINDS = [
    {},
    {"drop_remainder": True},
    {"folds": "every-nth"},
    {"folds": "every-nth", "drop_remainder": True},
    {"folds": "stratified-unshuffled"},
    {"folds": "out-of-bag"},
]


def test_the_kind_of_folds_tells_cells_apart_unless_it_is_wekas():
    plans = [folds_of(**kind) for kind in FOLD_KINDS]
    for kind, cells in zip(FOLD_KINDS, plans, strict=True):
        for cell in cells:
            assert {name: cell.identity.fields.get(name) for name in kind} == kind
            assert {name: cell.values.get(name) for name in kind} == kind
    assert [cell.key for cell in plans[0]] == [cell.key for cell in folds_of(folds="weka")]
    keys = [cell.key for cells in plans for cell in cells]
    assert len(set(keys)) == len(keys)
    mixed = folds_of(folds="every-nth", drop_remainder=True, baseline_folds="weka")
    assert [c.key for c in mixed if c.identity.kind == "baseline"] == [
        c.key for c in plans[0] if c.identity.kind == "baseline"
    ]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"folds": "every-nth", "n_repeats": 2}, "'every-nth' are the same in every repeat; use seeds"),
        ({"folds": "out-of-bag", "drop_remainder": True}, "bootstrap samples have no remainder"),
    ],
)
def test_folds_that_make_no_sense_are_refused(parts, message):
    with pytest.raises(ValueError, match=message):
        folds_of(**parts)


def test_a_plan_makes_no_cell_before_it_is_needed(monkeypatch):
    """A dry run of a million cells takes as long as one of ten."""
    about = {"name": "s", "kind": "cross-validation", "n_folds": 10, "baselines": "j48"}
    study = {**about, "grid": {"size": [10]}}
    plan = tiny_plan(datasets=["zoo"], seeds=[*range(50_000)], studies=[study])
    made = []
    monkeypatch.setattr(Cell, "_hashed", lambda cell: made.append(cell))
    assert plan.n_chosen == 500_001
    assert plan.seconds > 1_000
    assert not made
    few = tiny_plan(datasets=["zoo"], seeds=3, studies=[study])
    assert few.n_chosen == len(few.chosen) == 31
    monkeypatch.undo()
    assert few.seconds == pytest.approx(sum(few.modelled.values()))
