"""Settings: what is accepted, how refusals read, and presets, defined once for commands, files and Python."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import get_args

import pytest

from gatree import GATreeClassifier, load_dataset
from gatree.base.errors import ConfigError
from gatree.evolution.payoff import x_of_generations
from gatree.experiments.experiment import CrossValidationStudy, Experiment, SavingsStudy
from gatree.experiments.grid import batches_of
from gatree.experiments.sources import DataSource
from gatree.settings.evolution_settings import EvolutionSettings, XFactor
from gatree.settings.gone import GONE
from gatree.settings.presets import PRESETS, Preset
from gatree.settings.registry import SELECTIONS
from gatree.settings.validation import validated


@pytest.mark.parametrize(
    ("text", "first", "last", "shown"),
    [
        ("1e4", 1e4, 1e4, "1e4"),
        ("1e4..1e5", 1e4, 1e5, "1e4..1e5"),
        (10000, 1e4, 1e4, "1e4"),
        ("12500", 12500.0, 12500.0, "12500"),
        ("0.5", 0.5, 0.5, "0.5"),
        ("1e4..10000", 1e4, 1e4, "1e4"),
        ("1e30", 1e30, 1e30, "1e30"),
        ("1e-7", 1e-7, 1e-7, "1e-7"),
    ],
)
def test_x_factors(text, first, last, shown):
    x = XFactor.parse(text)
    assert (x.first, x.last, str(x)) == (first, last, shown)
    assert XFactor.parse(str(x)) == x


def test_a_schedule_is_linear_and_meets_its_ends():
    x = XFactor.parse("1e4..1e5")
    assert [x.at(g, 4) for g in range(5)] == [1e4, 32500.0, 55000.0, 77500.0, 1e5]
    assert x.at(0, 0) == 1e4


@pytest.mark.parametrize("text", ["", "many", "1e4..", "..1e5", "0", "-1", "nan", "inf", "1..2..3"])
def test_bad_x_factors(text):
    with pytest.raises(ValueError, match="an x-factor is"):
        XFactor.parse(text)


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("population_size", 1, "population_size: should be greater than or equal to 2, got 1"),
        ("n_generations", -1, "n_generations: should be greater than or equal to 0, got -1"),
        ("mutation_rate", 1.5, "mutation_rate: should be less than or equal to 1, got 1.5"),
        (
            "x_factor",
            "big",
            "x_factor: an x-factor is a number such as 1e4 or a range such as 1e4..1e5, not 'big'",
        ),
        (
            "selection",
            "luck",
            "selection: should be 'tournament', 'roulette'",
        ),
        ("generation_gap", 0, "generation_gap: should be greater than 0, got 0"),
        ("max_nodes", 2, "max_nodes: should be greater than or equal to 3, got 2"),
        ("subtree_cache", True, "subtree_cache: this setting was removed, since the cache no longer saved"),
        ("population_size", 10**12, "population_size: should be less than or equal to 1000000"),
        ("n_jobs", 10**6, "n_jobs: should be less than or equal to 1024, got 1000000"),
        ("tournament_size", 10**9, "tournament_size: should be less than or equal to 1000000"),
        ("min_leaf", 10**30, "min_leaf: should be less than or equal to 100000000, got 1" + "0" * 30),
        ("max_nodes", 10**12, "max_nodes: should be less than or equal to 1000000, got 1000000000000"),
        ("seed", 2**64, "seed: should be less than or equal to 18446744073709551615"),
        ("seed", -1, "seed: should be greater than or equal to 0, got -1"),
        ("population_sise", 5, "population_sise: unknown setting; did you mean 'population_size'?"),
    ],
)
def test_refusals_name_the_setting(setting, value, message):
    with pytest.raises(ConfigError) as caught:
        validated(EvolutionSettings, {setting: value})
    assert str(caught.value).startswith(message)


def test_all_complaints_come_at_once():
    with pytest.raises(ConfigError) as caught:
        validated(EvolutionSettings, {"population_size": 0, "seed": "x"}, where="my.yaml")
    assert [line.split(": ")[1] for line in str(caught.value).splitlines()] == ["population_size", "seed"]
    assert str(caught.value).startswith("my.yaml: ")


DOCS = Path(__file__).parents[2] / "docs"


def test_every_preset_has_a_name_and_the_paper_s_is_what_is_known_of_the_original():
    assert list(PRESETS) == list(get_args(Preset))
    paper = EvolutionSettings.preset("paper", {"x_factor": "1e4..1e5", "n_generations": 100})
    x = x_of_generations(paper)
    assert (x[0], x[-1], len(set(x.tolist()))) == (1e3, 1e5, 21)
    assert paper.paid == "at-birth"
    galib = {
        "selection": "scaled-roulette",
        "generation_gap": 0.5,
        "replacement": "best",
        "crossover_rate": 0.9,
    }
    assert paper.model_dump(include=set(galib)) == galib
    assert paper.numeric_tests == "integer"


def test_what_is_given_overrules_the_preset():
    settings = EvolutionSettings.preset("paper", {"population_size": 20})
    assert settings.population_size == 20
    assert settings.selection == "scaled-roulette"
    with pytest.raises(ConfigError, match="prune_share, shift_share: should be at most 1 together"):
        EvolutionSettings.preset("paper", {"prune_share": 0.8, "shift_share": 0.3})


def test_an_experiment_and_a_classifier_start_from_the_same_settings():
    """But for the thresholds."""
    few = {"population_size": 20, "n_generations": 2}
    data = load_dataset("zoo")
    fitted = GATreeClassifier(random_state=1, **few).fit([[1.0], [2.0]], ["a", "b"])
    study = {"name": "s", "kind": "cross-validation", "n_folds": 2}
    about = {"name": "e", "seed": 1, "datasets": ["zoo"], "evolution": few, "studies": [study]}
    for given in (about, {**about, "preset": "paper"}, {**about, "studies": [{**study, "preset": "paper"}]}):
        cell = next(next(iter(batches_of(Experiment.model_validate(given), {"zoo": data}))).cells())
        settings = cell.point.settings.model_copy(update={"seed": 1})
        assert settings == EvolutionSettings.preset("paper", {**few, "seed": 1})
        assert settings.model_copy(update={"numeric_tests": "auto"}) == fitted.settings_


@pytest.mark.parametrize("preset", ["default", "fast"])
def test_a_preset_that_has_gone_says_what_to_do(preset):
    about = {"name": "e", "seed": 1, "datasets": ["zoo"], "preset": preset, "studies": []}
    with pytest.raises(ConfigError, match=f"preset: the preset '{preset}' is gone: write its settings out"):
        validated(Experiment, about)


@pytest.mark.parametrize("name", ["class_weight", "enter"])
def test_a_setting_that_has_gone_says_what_to_use(name):
    about = {"name": "e", "seed": 1, "datasets": ["zoo"], "evolution": {name: 1}, "studies": []}
    with pytest.raises(ConfigError, match=re.escape(f"evolution.{name}: {GONE[name]}")):
        validated(Experiment, about)


def test_what_counts_as_a_tree_s_size_may_have_its_name_of_before():
    study = {"name": "s", "kind": "savings", "grid": {"size": ["nodes", "leaves"]}}
    about = {"name": "e", "seed": 1, "datasets": ["zoo"], "evolution": {"size": "leaves"}, "studies": [study]}
    found = validated(Experiment, about)
    assert found.evolution.size_measure == "leaves"
    assert found.studies[0].grid.size_measure == ("nodes", "leaves")
    other = {**study, "grid": {"size": [20, 40]}}
    assert validated(Experiment, {**about, "studies": [other]}).studies[0].grid.size == (20, 40)


def test_the_docstring_of_the_classifier_names_every_selection_scheme():
    [line] = re.findall(r"^ +selection : .*", GATreeClassifier.__doc__, re.MULTILINE)
    assert [name for name in SELECTIONS if f'"{name}"' not in line] == []


def test_the_config_page_states_the_paper_s_settings():
    """Every setting that a file can fix, with the paper's value."""
    values = EvolutionSettings.preset("paper").model_dump()
    rows = [
        f"| `{name}` | {_shown(values[name])} | {field.description} |"
        for name, field in EvolutionSettings.model_fields.items()
        if name not in ("seed", "evaluator")
    ]
    page = (DOCS / "config.md").read_text(encoding="utf-8")
    before, mark, behind = page.partition("\n|---|---|---|\n")
    table, gap, rest = behind.partition("\n\n")
    if os.environ.get("UPDATE_GOLDENS"):
        (DOCS / "config.md").write_text("".join([before, mark, "\n".join(rows), gap, rest]), encoding="utf-8")
        return
    assert table.splitlines() == rows, "run: UPDATE_GOLDENS=1 python -m pytest tests/settings"


def _shown(value: object) -> str:
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def test_the_config_page_names_everything_that_a_file_may_have():
    page = (DOCS / "config.md").read_text(encoding="utf-8")
    example = page.split("```")[1]
    for model in (Experiment, SavingsStudy, CrossValidationStudy, DataSource):
        for name, field in model.model_fields.items():
            assert f"{field.alias or name}:" in example, f"{model.__name__}: {name}"
