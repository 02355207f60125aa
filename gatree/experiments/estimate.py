"""How long cells take: a simple model, which `gatree.experiments.measured` corrects by the journal.

The time of an evolution is offspring times (a fixed part + a part per instance), of which each evaluator's
entry in the registry tells the seconds. The constants were measured on one core of a Neoverse-N1 over the
paper's data sets; other machines differ by a factor, which `calibration` takes from the cells that are done.
"""

from __future__ import annotations

from gatree.experiments.baselines import BASELINES
from gatree.experiments.grid import BaselineCell, Cell, FoldCell, SavingsCell
from gatree.settings.evolution_settings import EvaluatorName, EvolutionSettings
from gatree.settings.registry import EVALUATORS

_PER_GENERATION = 5e-6
_PER_CELL = 2e-3  # folds, coding, warming up, writing


def modelled_seconds(cell: Cell) -> float:
    """Return the seconds that a cell should take on one core."""
    match cell:
        case SavingsCell():
            turns = sum(_evolution(cell.point.settings, cell.n_instances, name) for name in cell.evaluators)
            return _PER_CELL + cell.repeats * turns
        case FoldCell():
            return _PER_CELL + _evolution(cell.point.settings, cell.n_instances, cell.evaluator)
        case BaselineCell():
            return _PER_CELL + BASELINES[cell.baseline].seconds_per_instance * cell.n_instances
    raise TypeError(f"no model for a {type(cell).__name__}")


def _evolution(settings: EvolutionSettings, n_instances: int, evaluator: EvaluatorName) -> float:
    cost = EVALUATORS[evaluator]
    n_children = settings.n_generations * settings.n_broods * settings.brood_size
    per_child = cost.seconds_per_child + cost.seconds_per_instance * n_instances
    return settings.n_generations * _PER_GENERATION + n_children * per_child
