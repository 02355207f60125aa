"""Records made by hand, as JSON: whole as the journal demands them, or with something else in them."""

import json
from pathlib import Path

from gatree.experiments import record_line
from gatree.experiments.frame import Results
from gatree.experiments.record_line import SCHEMA, parse_record

MACHINE = {
    "cpu": "c",
    "cores": 1,
    "python": "3",
    "numpy": "2",
    "numba": "0",
    "gatree": "0",
    "utc": "2026-01-01",
}
LEDGER = {
    "instances_reclassified": 50,
    "instances_total": 100,
    "node_instance_checks": 1,
    "node_instance_checks_full": 2,
}


def seconds(*wall):
    return {"wall": list(wall), "cpu": list(wall), "evaluate_wall": list(wall)}


def a_record(key="a", status="done", outcome=None, timing=None, **cell):
    """A savings cell, done or failed."""
    identity = {
        "study": "s",
        "kind": "savings",
        "dataset": "zoo",
        "mutation_rate": 0.5,
        "x_factor": "1e4",
        "population_size": 100,
        "n_generations": 100,
        "replicate": 0,
        **cell,
    }
    settings = {"generation_gap": 0.5}
    data = {"name": identity["dataset"], "checksum": "c" * 16}
    record = {"key": key, "cell": identity, "status": status, "settings": settings, "seed": 1, "data": data}
    if status == "failed":
        return {**record, "error": "MemoryError: too large"}
    found = {
        "n_instances": 100,
        "n_correct": 90,
        "n_nodes": 3,
        "n_leaves": 2,
        "payoff": 0.8,
        "n_evaluations": 1000,
        "ledger": LEDGER,
        "best": {"attribute": [0, -1, -1], "value": [0, 1, 0]},
        "n_rejected": 0,
        "digest": "0" * 16,
        "kept_bytes": {"old": 0, "new": 1024},
        **(outcome or {}),
    }
    times = timing or {"old": seconds(2.0), "new": seconds(1.0)}
    return {**record, "outcome": found, "timing": times, "machine": MACHINE}


def line_of(record):
    """The line of a record that is JSON."""
    return json.dumps({"schema": SCHEMA, **record}, separators=(",", ":")).encode() + b"\n"


def read(record):
    """A record as it is when it is read from its line."""
    return parse_record(line_of(record))


def fields_of(record):
    """The JSON of a record."""
    return json.loads(record_line.line_of(record))


def results_of(records, journal=Path("cells.jsonl")):
    """The results that records made by hand tell."""
    return Results.of(map(read, records), journal)


ODD = [None, True, 0, -1, 1e308, 10**30, 2**40, "", "x", "<b>", "\x00", [], [1], [[]], {}, {"a": 1}, 0.5]


def places(value, above=()):
    """Yield the way to everything inside a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in items:
        yield (*above, step)
        yield from places(inner, (*above, step))


def mutated(line, chance):
    """Change, drop or add one thing in a record."""
    record = json.loads(line)
    *above, last = chance.choice(list(places(record)))
    place = record
    for step in above:
        place = place[step]
    match chance.randrange(4):
        case 0:
            del place[last]
        case 1 if isinstance(place, list):
            place.append(chance.choice(ODD))
        case 2 if isinstance(place[last], int | float):
            place[last] = place[last] * chance.choice([-1, 0, 10**6, 1e-300])
        case _:
            place[last] = chance.choice(ODD)
    return json.dumps(record)
