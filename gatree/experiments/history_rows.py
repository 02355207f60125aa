"""The histories of an experiment as rows: one per generation of every evolution that recorded it."""

from __future__ import annotations

import pandas as pd

from gatree.base.errors import ResultError
from gatree.experiments.design import design_of
from gatree.experiments.frame import Results, evolutions
from gatree.experiments.journal import find_records
from gatree.experiments.record import EvolutionRecord

HISTORY_COLUMNS = {
    "generation": "the generation, from 1 on",
    "accuracy": "accuracy of the best tree on the training instances",
    "test_accuracy": "the same on the test instances",
    "size": "nodes of the best tree",
    "best_payoff": "payoff of the best tree",
    "mean_payoff": "mean payoff of the population",
    "distinct": "different trees in the population",
    "savings": "instances of the generation's evaluated offspring that were not classified again, %",
    "seconds": "wall-clock seconds of the generation",
}
"""What a row holds after what identifies its evolution."""

_ABOUT = ("study", "kind", "dataset", "replicate", "repeat", "fold")


def history_rows(results: Results) -> pd.DataFrame:
    """Return a row per generation; what older records do not have is missing."""
    cells = evolutions(results.frame)
    cells = cells[cells["history"]]
    if cells.empty:
        raise ResultError(f"{results.journal}: no evolution has a history; a study with history: true has")
    axes = [axis.name for axis in design_of(cells).axes]
    about = cells.set_index("key")[list(dict.fromkeys([*_ABOUT, *axes]))]
    parts = []
    for key, record in find_records(results.journal, set(cells["key"])).items():
        if isinstance(record, EvolutionRecord) and record.outcome.history:
            part = pd.DataFrame(record.outcome.history.columns)
            laps = next(filter(None, (one.generation_wall for one in record.timing.values())), None)
            part = part if laps is None else part.assign(seconds=laps)
            part.insert(0, "generation", range(1, len(part) + 1))
            parts.append(part.assign(key=key))
    every = (
        pd.concat(parts, ignore_index=True)
        .rename(columns={"payoff": "best_payoff"})
        .reindex(columns=["key", *HISTORY_COLUMNS])
    )
    return about.join(every.set_index("key"), how="inner").reset_index(drop=True)
