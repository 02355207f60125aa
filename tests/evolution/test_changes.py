"""Settings that change while an evolution runs."""

import numpy as np
import pytest

from gatree.base.errors import ConfigError
from gatree.data.catalog import load_dataset
from gatree.evolution.evolve import Evolution, evolve
from gatree.evolution.outcome import Change
from gatree.settings.evolution_settings import EvolutionSettings

pytestmark = pytest.mark.no_jit

ZOO = load_dataset("zoo")
FEW = {"population_size": 12, "n_generations": 8, "mutation_rate": 0.3}


def test_a_change_of_x_is_a_schedule_with_a_step():
    stepped = evolve(ZOO, EvolutionSettings(**FEW, x_factor="1e2..1e6", x_steps=1))
    changes = (Change(7, "x_factor", 1e6),)
    changed = evolve(ZOO, EvolutionSettings(**FEW, x_factor="1e2"), changes=changes)
    assert (changed.history == stepped.history).all()
    assert changed.changes == changes


def test_a_changed_rate_holds_from_the_next_generation_on():
    usual = evolve(ZOO, EvolutionSettings(**FEW))
    evolution = Evolution(ZOO, EvolutionSettings(**FEW))
    evolution.advance(4)
    evolution.change(mutation_rate=1.0)
    evolution.advance(4)
    found = evolution.outcome()
    assert (found.history[:5] == usual.history[:5]).all()
    assert (found.history[5:] != usual.history[5:]).any()
    assert found.changes == (Change(4, "mutation_rate", 1.0),)
    again = evolve(ZOO, EvolutionSettings(**FEW), changes=found.changes)
    assert again.digest == found.digest


def test_paid_at_birth_the_living_keep_their_payoffs():
    settings = EvolutionSettings(**FEW, paid="at-birth", x_factor="1e2", generation_gap=0.25)
    evolution = Evolution(ZOO, settings)
    evolution.advance(3)
    before = dict(zip(evolution.population.alive, evolution.payoff, strict=True))
    evolution.change(x_factor=1e6)
    evolution.step()
    after = dict(zip(evolution.population.alive, evolution.payoff, strict=True))
    living = before.keys() & after.keys() - set(evolution.births.slot.tolist())
    assert living
    assert all(before[slot] == after[slot] for slot in living)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"selection": "roulette"}, "selection: cannot be changed while an evolution runs"),
        ({"mutation_rate": 2.0}, "mutation_rate: "),
        ({"x_factor": "1e3..1e4"}, "x_factor: should be one number by now"),
    ],
)
def test_what_cannot_change_is_refused_by_name(settings, message):
    evolution = Evolution(ZOO, EvolutionSettings(**FEW))
    with pytest.raises(ConfigError, match=message):
        evolution.change(**settings)
    assert not evolution.changes
    evolution.step()


def test_a_snapshot_has_what_is_plotted():
    evolution = Evolution(ZOO, EvolutionSettings(**FEW))
    evolution.advance(5)
    seen, row = evolution.snapshot(), evolution.history[5]
    assert (seen.generation, seen.payoff, seen.size) == (5, evolution.payoff[0], evolution.best.n_nodes)
    assert seen.accuracy == row["best_correct"] / ZOO.n_instances
    assert seen.saved == evolution.outcome().ledger.instances_saved
    assert seen.distinct == len(set(evolution.population))
    assert np.isfinite(seen).all()
