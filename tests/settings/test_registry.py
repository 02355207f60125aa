"""Every built-in entry leads to code that keeps its contract, and every selection has a naive twin."""

import naive
import pytest

from gatree.base.errors import ConfigError
from gatree.evolution.evaluators.contract import Evaluator
from gatree.settings.entries import SelectionEntry
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.registry import EVALUATORS, REPLACEMENTS, SELECTIONS


@pytest.mark.parametrize("name", EVALUATORS)
def test_an_evaluator_is_a_class_of_the_contract(name):
    assert issubclass(EVALUATORS[name].load(), Evaluator)


@pytest.mark.parametrize("name", SELECTIONS)
def test_a_selection_has_a_naive_twin_and_takes_random_numbers(name):
    assert callable(SELECTIONS[name].load())
    assert name in naive.SELECTIONS
    settings = EvolutionSettings(selection=name, tournament_size=3)
    assert SELECTIONS[name].n_draws(settings) == (3 if name == "tournament" else 1)


@pytest.mark.parametrize(("name", "n_staying"), [("worst", 7), ("best", 10)])
def test_a_replacement_says_how_many_trees_stay(name, n_staying):
    assert REPLACEMENTS[name].load()(10, 3) == n_staying


def test_code_of_another_package_that_fails_to_import_is_named():
    entry = SelectionEntry("luck", "no_such_package:luck", "nothing")
    with pytest.raises(ConfigError, match="'luck' failed to import: ModuleNotFoundError"):
        entry.load()
