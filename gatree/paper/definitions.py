"""What the numbers of a table are, in a line under it, and in what an experiment is not run as the paper's.

docs/definitions.md is the long version. An experiment that departs from the paper's protocol says so above
its tables, and gets no verdict on the paper.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import pandas as pd

from gatree.base.json_values import Scalar
from gatree.data.catalog import dataset_names
from gatree.experiments.frame import SETTING_COLUMNS, Results, plain, plain_rows
from gatree.experiments.setting_grid import FIRST, as_text
from gatree.paper.published import TABLES, Setting
from gatree.paper.tables import placed
from gatree.settings.evolution_settings import EvolutionSettings

PAGE = "docs/definitions.md"

SAVINGS = (
    "Train Savings: instances of the evaluated offspring that were not classified again, %, on all data."
)
NOT_EVALUATED = "Copies and exchanged roots are not evaluated and do not count."
SECONDS = (
    "Seconds: wall clock of one evolution, the fastest of its timed repeats, of the seeds that are timed."
)
ACCURACY = (
    "Accuracy: share of correct test instances, of all folds. Size: nodes of the best tree, mean of the "
    "folds. Time: wall-clock seconds of one fold's evolution."
)
J48 = "J48: size and time of the tree on all data."


def definition(number: int, results: Results | None = None) -> str:
    """Return the line under a table that says what its numbers are."""
    rows = None if results is None else _rows([number], results)
    line = definition_of(TABLES[number].kind, rows, has_seconds=number != 3)
    return line if TABLES[number].kind == "savings" else f"{J48} {line}"


def definition_of(kind: str, rows: pd.DataFrame | None, has_seconds: bool = True) -> str:
    """Return the line under a table of these evolutions, or of the paper's."""
    parts = [ACCURACY]
    if kind == "savings":
        leaves_out = rows is None or (rows[["copies", "root_swaps"]] == "not-evaluated").all(axis=None)
        parts = [SAVINGS, *([NOT_EVALUATED] if leaves_out else []), *([SECONDS] if has_seconds else [])]
    steps = [] if rows is None else list(_schedules(rows))
    return " ".join([*parts, *steps, f"See {PAGE}."])


def _schedules(rows: pd.DataFrame) -> Iterator[str]:
    """Yield how x comes to the value in a caption, if it climbs to it."""
    for start, steps in plain_rows(rows[["x_start", "x_steps"]].drop_duplicates()):
        if start is not None:
            yield f"x climbs from {as_text(start)} to its last value in {steps} steps."


_PAPERS = {
    name: value
    for name, value in EvolutionSettings.preset("paper").model_dump(mode="json").items()
    if name in SETTING_COLUMNS
}
_LEFT_OUT = {*FIRST, "n_jobs"}  # what the tables vary, and what changes no outcome
_FOLDS: dict[str, Scalar] = {"n_folds": 5, "folds": "every-nth", "drop_remainder": True}
_DEFAULTS: dict[str, Scalar] = {"folds": "weka", "drop_remainder": False}  # journals leave these out


def departures(results: Results, numbers: Iterable[int] = tuple(TABLES)) -> list[str]:
    """Return in what the cells of some tables are not run as the paper's, as far as their records say."""
    rows = _rows(numbers, results)
    rows = rows[rows["dataset"].isin(dataset_names())]
    expected = {name: value for name, value in _PAPERS.items() if name not in _LEFT_OUT}
    found = dict(_apart(rows, expected)) | dict(_apart(rows[rows["kind"] == "cross-validation"], _FOLDS))
    return [f"{name.replace('_', ' ')} {text}" for name, text in found.items()]


def departure_lines(results: Results, numbers: Iterable[int] = tuple(TABLES)) -> list[str]:
    """Return the same as a sentence to stand above a table, or nothing."""
    found = departures(results, numbers)
    return [f"Not run as in the paper, so there is no verdict: {'; '.join(found)}."] if found else []


def _rows(numbers: Iterable[int], results: Results) -> pd.DataFrame:
    """Return the evolutions in some tables, but for the columns that the paper's do not have."""
    parts = []
    for table in (TABLES[number] for number in numbers):
        rows = placed(results, table.kind)
        settings = [Setting(*pair) in table.settings for pair in plain_rows(rows, ("mutation", "x_factor"))]
        parts.append(rows[pd.Series(settings, index=rows.index, dtype=bool)])
    every = pd.concat(parts)
    return every[(every["population_size"] == every["n_generations"]) & (every["place"] == every["dataset"])]


def _apart(rows: pd.DataFrame, expected: Mapping[str, Scalar]) -> Iterator[tuple[str, str]]:
    """Yield the settings that are not as expected; records of the first schema do not have them."""
    known = rows[rows["x_steps"].notna()]
    for name, value in expected.items():
        values = {
            _DEFAULTS.get(name) if each is None else each for each in plain(known[name].drop_duplicates())
        }
        if others := sorted(map(as_text, values - {value})):
            yield name, f"{', '.join(others)} (the paper's: {as_text(value)})"
