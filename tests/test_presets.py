"""Presets: one definition for the command line, the YAML files and the classifiers."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from gatree import GATreeClassifier, load_dataset
from gatree.config import EvolutionSettings
from gatree.errors import ConfigError
from gatree.experiments.experiment import Experiment
from gatree.experiments.grid import cells_of
from gatree.presets import PRESETS, Preset, preset_values, settings_of

DOCS = Path(__file__).parents[1] / "docs"


def test_every_preset_has_a_name_and_the_paper_s_is_the_model_s_own():
    assert list(PRESETS) == list(get_args(Preset))
    assert settings_of("paper") == EvolutionSettings()


def test_what_is_given_overrules_the_preset():
    settings = settings_of("default", {"population_size": 20})
    assert settings.population_size == 20
    assert settings.leaf_class == "majority"
    with pytest.raises(ConfigError, match="shift_share: at most 1 together with prune_share"):
        settings_of("default", {"prune_share": 0.8})


@pytest.mark.parametrize("preset", PRESETS)
def test_an_experiment_and_a_classifier_start_from_the_same_settings(preset):
    few = {"population_size": 20, "n_generations": 2}
    data = load_dataset("zoo")
    fitted = GATreeClassifier(preset, random_state=1, **few).fit([[1.0], [2.0]], ["a", "b"])
    study = {"name": "s", "kind": "cross-validation", "n_folds": 2}
    about = {"name": "e", "seed": 1, "datasets": ["zoo"], "evolution": few}
    of_the_experiment = Experiment.model_validate({**about, "preset": preset, "studies": [study]})
    of_the_study = Experiment.model_validate({**about, "studies": [{**study, "preset": preset}]})
    for experiment in (of_the_experiment, of_the_study):
        cell = cells_of(experiment, {"zoo": data})[0]
        assert (
            cell.settings.model_copy(update={"seed": 1})
            == fitted.settings_
            == settings_of(preset, {**few, "seed": 1})
        )


def test_the_config_page_states_the_presets():
    """Every setting that a file can fix, with its value in every preset."""
    values = [preset_values(preset) for preset in PRESETS]
    rows = [
        f"| `{name}` | {' | '.join(_shown(value[name]) for value in values)} | {field.description} |"
        for name, field in EvolutionSettings.model_fields.items()
        if name not in ("seed", "evaluator")
    ]
    page = (DOCS / "config.md").read_text(encoding="utf-8")
    table = page.partition("| setting |")[2].partition("\n|---|---|---|---|---|\n")[2]
    assert table.splitlines()[: len(rows)] == rows


def _shown(value: object) -> str:
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
