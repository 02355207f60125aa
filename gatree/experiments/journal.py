"""The journal of an experiment: one line of JSON per cell that was run, in ``cells.jsonl``, and its plan.

Here they are read and compared; `gatree.experiments.places` finds them, and
`gatree.experiments.journal_writer` writes them. What is read is checked line by line: a bad line is named and
set aside, and its cell counts as one that was never run. The format is described in docs/journal.md.
"""

from __future__ import annotations

import gzip
import json
import logging
import re
import stat
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BufferedIOBase
from itertools import chain
from operator import itemgetter
from pathlib import Path
from statistics import median
from typing import Annotated, NamedTuple, TypeVar

from msgspec import Meta, to_builtins
from msgspec.json import Decoder
from typing_extensions import TypedDict

from gatree.base.errors import ResultError
from gatree.base.limits import MOST_JOURNAL_BYTES, MOST_RECORD_BYTES, refuse_above
from gatree.experiments.record import CellIdentity, Done, EvolutionRecord, Failed, Record, Setting
from gatree.experiments.record_line import REFUSALS, BadRecordError, parse_record

PLAN = "plan.json"

_MOST_WARNINGS = 5

_KEY = re.compile(rb'"key": ?"([^"]*)"')

Kept = TypeVar("Kept")

_log = logging.getLogger(__name__)


def check_journal(path: Path) -> None:
    """Raise an error if a folder, pipe, device or something huge has the name of a journal or a plan.

    Opening a pipe waits, and reading a device goes on forever.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        return
    if not stat.S_ISREG(status.st_mode):
        raise ResultError(
            f"{path}: should be a plain file, got {_kind_of_file(status.st_mode)}; "
            "remove it, or choose another folder with --results"
        )
    refuse_above(MOST_JOURNAL_BYTES, status.st_size, "bytes", str(path), ResultError)


def _kind_of_file(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a pipe" if stat.S_ISFIFO(mode) else "a device"


def read_journal(path: Path) -> list[Record]:
    """Return the newest record of every cell; one that is done wins over one that failed.

    If the experiment's plan is next to the journal, records come in the plan's order, and those of cells that
    the plan no longer has are left out.
    """
    return newest_of_each(path, lambda record: record)


def newest_of_each(path: Path, kept: Callable[[Record], Kept]) -> list[Kept]:
    """Return what is kept of the newest record of every cell, as `read_journal` does."""
    plan = read_plan(path.parent)
    planned = None
    if plan is not None:
        planned = {key: position for position, key in enumerate(chain.from_iterable(plan.values()))}
    newest: dict[str | int, tuple[bool, int, Kept]] = {}
    for record in read_records(path):
        position = planned.get(record.key) if planned is not None else len(newest)
        if position is None:
            continue
        cell = _identity(record) if planned is None else position
        is_done = not isinstance(record, Failed)
        if is_done or not (cell in newest and newest[cell][0]):
            newest[cell] = (is_done, position, kept(record))
    found = newest.values() if planned is None else sorted(newest.values(), key=itemgetter(1))
    return [what for _, _, what in found]


def has_finished_cell(path: Path) -> bool:
    """Tell whether a journal has a record of a finished cell."""
    return any(not isinstance(record, Failed) for record in read_records(path))


def find_records(path: Path, keys: Collection[str]) -> dict[str, Done]:
    """Return the newest done record of each of a few keys, whole."""
    wanted = {key.encode() for key in keys}

    def is_wanted(line: bytes) -> bool:
        key = _KEY.search(line, max(line.find(b'"key":'), 0))
        return bool(key and key[1] in wanted)

    found = read_records(path, is_wanted)
    return {record.key: record for record in found if record.key in keys and isinstance(record, Done)}


def _identity(record: Record) -> str:
    """Return what two records of the same cell have in common, and others have not."""
    return json.dumps(record.cell.fields, sort_keys=True)


def read_records(path: Path, is_wanted: Callable[[bytes], bool] = bool) -> Iterator[Record]:
    """Yield the records of a journal; lines that are none are set aside with a warning that names them."""
    n_bad = 0
    try:
        check_journal(path)
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            for number, line in enumerate(_lines(file, path), start=1):
                if line.isspace() or not is_wanted(line):
                    continue
                try:
                    record = parse_record(line)
                except BadRecordError as error:
                    n_bad += 1
                    what = str(error) if line.endswith(b"\n") else "is cut off"
                    if n_bad <= _MOST_WARNINGS:
                        _log.warning("%s: line %d %s; it was set aside", path, number, what)
                else:
                    yield record
    except (OSError, EOFError, zlib.error) as error:  # the last two: an archive that is damaged
        raise ResultError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from error
    if n_bad > _MOST_WARNINGS:
        _log.warning("%s: %d more lines are no records and were set aside", path, n_bad - _MOST_WARNINGS)


def _lines(file: BufferedIOBase, path: Path) -> Iterator[bytes]:
    """Yield the lines of a journal, and of a line that is longer than any record its beginning."""
    n_bytes = 0
    is_beginning = True
    while line := file.readline(MOST_RECORD_BYTES):
        if is_beginning:
            yield line
        is_beginning = line.endswith(b"\n")
        n_bytes += len(line)
        refuse_above(MOST_JOURNAL_BYTES, n_bytes, "bytes", str(path), ResultError)


Costs = dict[str, dict[str, float]]
"""The plan of an experiment as its results have it: per study the keys of its cells, and their seconds."""


class _PlanFile(TypedDict):
    studies: dict[str, dict[str, Annotated[float, Meta(ge=0)]]]


_PLAN: Decoder[_PlanFile] = Decoder(_PlanFile)


def read_plan(folder: Path) -> Costs | None:
    """Return the plan of the experiment, if there is one; the next run writes it again."""
    path = folder / PLAN
    check_journal(path)
    try:
        return _PLAN.decode(path.read_bytes())["studies"]
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ResultError(f"{path}: cannot be read ({error.strerror})") from error
    except REFUSALS as error:
        _log.warning("%s: is not a plan (%s); it was set aside", path, error)
        return None


# --- are the outcomes of a run those of a reference? ------------------------------------------------

_NO_OUTCOME = frozenset({"kept_bytes"})  # which evaluators were compared is the run's own choice
_TOLD_APART = ("cpu", "os", "python", "numpy", "numba", "gatree", "commit")


class Difference(NamedTuple):
    """A cell that is not as in the reference, and what is different in it."""

    cell: CellIdentity
    what: str


@dataclass(frozen=True)
class Verification:
    """What came of comparing a run with a reference."""

    n_equal: int
    differences: tuple[Difference, ...]
    n_not_run: int  # cells of the reference that the run does not have
    n_unknown: int  # cells of the run that the reference does not have
    ratio_here: float | None  # of the time of old to that of new, the median over the cells
    ratio_there: float | None
    machines: tuple[str, ...]  # in what the two runs' machines differ
    compiled_here: tuple[CellIdentity, ...] = ()  # cells in whose timed region kernels were compiled
    compiled_there: tuple[CellIdentity, ...] = ()

    @property
    def n_compared(self) -> int:
        return self.n_equal + len(self.differences)


def verify(ours: Iterable[Record], reference: Iterable[Record]) -> Verification:
    """Compare the outcomes of all cells that both have."""
    here, there = ({_identity(record): record for record in records} for records in (ours, reference))
    both = [(here[cell], there[cell]) for cell in here if cell in there]
    different = [Difference(mine.cell, what) for mine, theirs in both if (what := _difference(mine, theirs))]
    done_here = [record for record in here.values() if isinstance(record, Done)]
    done_there = [record for record in there.values() if isinstance(record, Done)]
    return Verification(
        n_equal=len(both) - len(different),
        differences=tuple(different),
        n_not_run=len(there) - len(both),
        n_unknown=len(here) - len(both),
        ratio_here=_time_ratio(done_here),
        ratio_there=_time_ratio(done_there),
        machines=tuple(_apart(done_here, done_there)),
        compiled_here=tuple(record.cell for record in done_here if record.compiled),
        compiled_there=tuple(record.cell for record in done_there if record.compiled),
    )


def _difference(mine: Record, theirs: Record) -> str:
    """Say in what two records of a cell differ; nothing if they agree."""
    if isinstance(mine, Failed):
        return f"failed: {mine.error}"
    if isinstance(theirs, Failed):
        return f"failed in the reference: {theirs.error}"
    assert isinstance(mine, Done)
    assert isinstance(theirs, Done)
    found = list(_changes(to_builtins(mine.outcome), to_builtins(theirs.outcome), _NO_OUTCOME))
    if not found:
        return ""
    causes = list(_changes(mine.settings, theirs.settings, frozenset()))
    if None not in (checksums := [record.data.checksum for record in (mine, theirs)]):
        causes += ["the data"] if checksums[0] != checksums[1] else []
    if None not in (seeds := [record.seed for record in (mine, theirs)]):
        causes += [f"seed {seeds[0]} (reference {seeds[1]})"] if seeds[0] != seeds[1] else []
    because = f", with other settings: {', '.join(causes)}" if causes else ""
    return f"{', '.join(found)}{because}"


def _changes(
    mine: Mapping[str, Setting], theirs: Mapping[str, Setting], left_out: frozenset[str]
) -> Iterator[str]:
    """Yield what stands in both and is not the same."""
    for name, ours in mine.items():
        if name not in theirs or name in left_out or ours == theirs[name]:
            continue
        there = theirs[name]
        if isinstance(ours, Mapping) and isinstance(there, Mapping):
            yield from [name] if any(_changes(ours, there, left_out)) else []
        elif isinstance(ours, list):
            yield name
        else:
            yield f"{name} {ours} (reference {there})"


def _time_ratio(records: Iterable[Done]) -> float | None:
    timings = [record.timing for record in records if isinstance(record, EvolutionRecord)]
    both = [timing for timing in timings if {"old", "new"} <= timing.keys()]
    ratios = [min(timing["old"].wall) / min(timing["new"].wall) for timing in both]
    return median(ratios) if ratios else None


def _apart(here: Sequence[Done], there: Sequence[Done]) -> Iterator[str]:
    """Yield in what the machines and versions differ."""
    for name in _TOLD_APART:
        mine, theirs = (
            ", ".join(sorted({str(getattr(record.machine, name) or "unknown") for record in records}))
            for records in (here, there)
        )
        if mine != theirs:
            yield f"{name}: {mine} here, {theirs} in the reference"
