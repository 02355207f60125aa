"""Settings: what is accepted, and how refusals read."""

from __future__ import annotations

import pytest

from gatree.base.errors import ConfigError
from gatree.settings.evolution_settings import EvolutionSettings, XFactor, validated


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
            "selection: should be 'tournament', 'roulette' or 'scaled-roulette'",
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
