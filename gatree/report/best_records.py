"""Which record has the best tree of a data set: by payoff, whatever x-factor it was evolved with."""

from __future__ import annotations

from collections.abc import Iterable

from gatree.data.catalog import dataset_names
from gatree.experiments.record import Record

_X_FACTOR = 1e4  # to compare trees that were evolved with different ones


def training_accuracy(outcome: Record) -> float:
    """Return the share of the training data that is correct: of its weight, where classes have weights."""
    return float(outcome["n_correct"] / outcome.get("total_weight", outcome["n_instances"]))


def best_records(records: Iterable[Record]) -> dict[str, Record]:
    """Return the record of each data set's best tree; of equals, the first."""
    found: dict[str, Record] = {}
    for record in records:
        if record["status"] == "done" and record["cell"]["kind"] == "savings":
            best = found.setdefault(record["cell"]["dataset"], record)
            if _payoff(record) > _payoff(best):
                found[record["cell"]["dataset"]] = record
    order = [name for name in dataset_names() if name in found]
    order += sorted(found.keys() - set(order))
    return {name: found[name] for name in order}


def _payoff(record: Record) -> float:
    outcome = record["outcome"]
    return float(training_accuracy(outcome) ** 2 * _X_FACTOR / (outcome["n_nodes"] ** 2 + _X_FACTOR))  # Eq. 1
