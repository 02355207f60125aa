"""The table of digests: the outcomes of data, settings and a seed, the same for every evaluator and machine.

`digests.json` holds a row per evolution, tied to `ENGINE_VERSION`. An engine that gives other numbers fails
`test_digests.py`; if it is meant to, raise `ENGINE_VERSION` and run `make digests`. A new row is written
with its name, data and settings only: `make digests` fills in the rest, and changes no other row.
"""

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from bench.concepts import random_tree_concept
from gatree.data.catalog import load_dataset
from gatree.evolution import ENGINE_VERSION
from gatree.evolution.evolve import evolve
from gatree.evolution.outcome import Outcome
from gatree.evolution.problem import Problem
from gatree.settings.evolution_settings import EvolutionSettings

TABLE = Path(__file__).with_name("digests.json")

WHO_LIVED = (
    *("best_correct", "total_correct", "best_nodes", "total_nodes", "instances_total", "digest"),
)  # the integers of a history that no evaluator may change

Row = dict[str, Any]


def table() -> dict[str, Any]:
    return dict(json.loads(TABLE.read_text(encoding="utf-8")))


def problem_of(row: Row) -> Problem:
    """Return the data of a row: an included data set, or ``concept N``, one of N generated instances."""
    kind, _, n_instances = row["data"].partition(" ")
    data = random_tree_concept(int(n_instances), 6, n_classes=3) if n_instances else load_dataset(kind)
    return Problem.of(data, row["settings"].get("numeric_tests", "integer"))


def run(row: Row, **how: Any) -> Row:
    """Run the evolution of a row and return its results."""
    return found(evolve(problem_of(row), EvolutionSettings(**row["settings"], **how)))


def found(outcome: Outcome) -> Row:
    """Return the digests of an evolution's generations and of its best tree, and its integers."""
    lived = (np.ascontiguousarray(outcome.history[name]).tobytes() for name in WHO_LIVED)
    best = outcome.best
    return {
        "history": _digest(*lived),
        "best": _digest(best.attribute.tobytes(), best.value.tobytes()),
        "n_correct": outcome.n_correct,
        "n_rejected": outcome.n_rejected,
        "most_nodes": int(outcome.history["total_nodes"].max()),
        "depth": best.depth,
        "ledger": [
            outcome.ledger.instances_reclassified,
            outcome.ledger.instances_total,
            outcome.ledger.node_instance_checks,
            outcome.ledger.node_instance_checks_full,
        ],
    }


def without_inheritance(result: Row) -> Row:
    """Return the result of the same evolution with the ledger of an evaluation without inheritance."""
    _, total, _, checks = result["ledger"]
    return {**result, "ledger": [total, total, checks, checks]}


def _digest(*parts: bytes) -> str:
    return hashlib.sha256(b"".join(parts)).hexdigest()[:16]


def renew() -> str:
    """Fill in the new rows, or all rows if `ENGINE_VERSION` has been raised, and print which."""
    written = table()
    raised = written["engine_version"] != ENGINE_VERSION
    changed = []
    for row in written["evolutions"]:
        if "gives" not in row or raised:
            gives = run(row)
            if gives != row.get("gives"):
                changed.append(row["name"])
            row["gives"] = gives
    written["engine_version"] = ENGINE_VERSION
    rows = ",\n".join(f"  {json.dumps(row)}" for row in written["evolutions"])
    text = f'{{"engine_version": {ENGINE_VERSION}, "evolutions": [\n{rows}\n]}}\n'
    TABLE.write_text(text, encoding="utf-8")
    return f"engine {ENGINE_VERSION}: {len(changed)} of {len(written['evolutions'])} rows written again"


if __name__ == "__main__":
    sys.exit(print(renew()))
