"""Which record has the best tree of a data set: by payoff, whatever x-factor it was evolved with."""

from __future__ import annotations

from collections.abc import Iterable

from gatree.data.catalog import dataset_names
from gatree.experiments.record import Record

_X_FACTOR = 1e4  # to compare trees that were evolved with different ones


def training_accuracy(outcome: Record) -> float:
    """Return the share of the training data that is correct: of its weight, where classes have weights."""
    n_instances, n_correct = trained(outcome)
    return n_correct / float(outcome.get("total_weight", n_instances))


def trained(outcome: Record) -> tuple[int, int]:
    """Return how many instances a tree was evolved on, and how many of them are correct."""
    names = ("n_instances", "n_correct") if "n_correct" in outcome else ("n_train", "train_correct")
    return outcome[names[0]], outcome[names[1]]


def best_records(records: Iterable[Record]) -> dict[str, Record]:
    """Return the record of each data set's best tree; of equals, the first.

    Those that were evolved on all instances come before those of a fold.
    """
    found: dict[str, Record] = {}
    for record in records:
        if record["status"] == "done" and record["cell"]["kind"] != "baseline":
            best = found.setdefault(record["cell"]["dataset"], record)
            if _rank(record) > _rank(best):
                found[record["cell"]["dataset"]] = record
    order = [name for name in dataset_names() if name in found]
    order += sorted(found.keys() - set(order))
    return {name: found[name] for name in order}


def _rank(record: Record) -> tuple[bool, float]:
    return record["cell"]["kind"] == "savings", _payoff(record)


def _payoff(record: Record) -> float:
    outcome = record["outcome"]
    return float(training_accuracy(outcome) ** 2 * _X_FACTOR / (outcome["n_nodes"] ** 2 + _X_FACTOR))  # Eq. 1
