"""Read the data that a tree is learned from, leave out identifiers, and note what is predicted from what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gatree.base.errors import brief, counted
from gatree.base.progress import Listener
from gatree.data.answer import Classes, Numbers
from gatree.data.catalog import dataset_names
from gatree.data.dataset import Dataset, Table
from gatree.data.files import STDIN
from gatree.data.load import format_of, read
from gatree.data.screen import LeftOut, screened
from gatree.data.source import ReadOptions
from gatree.trees.numbers import grouped

_MOST_CLASSES = _MOST_NAMES = 6


@dataclass(frozen=True)
class DataRequest:
    """Which data to learn from.

    Parameters
    ----------
    data : str
        A data set of the paper, the path of a file, several files, or ``-`` for stdin.
    reading : ReadOptions, optional
    class_name : str, optional
        The column to predict, by default the last one.
    keep, drop : tuple of str
        Columns to learn from although they seem to be identifiers, and columns to leave out.
    regression : bool, optional
        Whether to predict numbers; by default the data decide.
    keeps_known : bool
        Whether to keep all columns of the paper's data sets, as its experiments do.
    """

    data: str
    reading: ReadOptions = field(default_factory=ReadOptions)
    class_name: str | None = None
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    regression: bool | None = None
    keeps_known: bool = False

    @property
    def is_of_paper(self) -> bool:
        return self.data in dataset_names()


def read_to_learn(request: DataRequest, listener: Listener) -> tuple[Dataset, tuple[LeftOut, ...]]:
    """Read data and return them without identifiers, and what was left out."""
    read_in = read_dataset(request, listener)
    keep = request.keep
    if request.keeps_known and request.is_of_paper:
        keep = tuple(each.name for each in read_in.attributes if each.name not in request.drop)
    dataset, left_out = screened(read_in, keep, request.drop)
    for line in _lines_on(request, dataset, left_out):
        listener.note(line)
    return dataset, left_out


def read_table(data: str, options: ReadOptions, listener: Listener) -> Table:
    """Read data, and note how columns were read."""
    listener.progress(f"reading {'stdin' if data == STDIN else data}")
    table = read(data, options)
    for note in table.notes:
        listener.note(note)
    return table


def read_dataset(request: DataRequest, listener: Listener) -> Dataset:
    """Read data with a column to predict, and note how columns were read, this one among them."""
    table = read_table(request.data, request.reading, listener)
    dataset = table.dataset(request.class_name, regression=request.regression, choose="--class")
    is_settled = request.reading.kinds.get(dataset.answer.name) == "category"
    for note in dataset.notes[len(table.notes) :]:
        if not is_settled or note.startswith("warning: "):
            listener.note(note)
    return dataset


def _lines_on(request: DataRequest, dataset: Dataset, left_out: Sequence[LeftOut]) -> list[str]:
    """Return what is predicted from what, and what the user may want to change."""
    answer = dataset.answer
    name, known = brief(answer.name), answer.known
    what = _classes(answer) if isinstance(answer, Classes) else _numbers(answer)
    n_columns, n_rows = dataset.n_attributes, int(np.count_nonzero(known))
    line = f"predicting {name} ({what}) from {counted(n_columns, 'column')} of {counted(n_rows, 'row')}"
    if left_out:
        line += f"; left out: {_by_reason(left_out)}"
    hints = []
    names_no_class = request.data == STDIN or format_of(request.data) not in ("arff", None)
    if request.class_name is None and not request.is_of_paper and names_no_class:
        hints.append(f"{name} is a guess: the last column; --class NAME predicts another one")
    if n_without := len(known) - n_rows:
        rows = "1 row has" if n_without == 1 else f"{n_without} rows have"
        hints.append(f"{rows} no {name} and {'is' if n_without == 1 else 'are'} left out")
    if any(each.why != "on request" for each in left_out):
        hints.append("--keep NAME keeps a column")
    return [line, "; ".join(hints)] if hints else [line]


def _classes(answer: Classes) -> str:
    counts = zip(answer.attribute.values, answer.counts.tolist(), strict=True)
    pairs = [(brief(value), count) for value, count in counts if count]
    if len(pairs) > _MOST_CLASSES:
        largest = sorted(pairs, key=lambda pair: -pair[1])[: _MOST_CLASSES - 1]
        listed = ", ".join(f"{value} {count}" for value, count in largest)
        return f"{len(pairs)} classes: {listed}, ..."
    return ", ".join(f"{value} {count}" for value, count in pairs)


def _numbers(answer: Numbers) -> str:
    known = answer.values[answer.known]
    if len(known) == 0:
        return "numbers"
    return f"numbers from {grouped(known.min(), 6)} to {grouped(known.max(), 6)}"


def _by_reason(left_out: Sequence[LeftOut]) -> str:
    """Return the names by the reason why they were left out."""
    by_reason: dict[str, list[str]] = {}
    for each in left_out:
        by_reason.setdefault(each.why, []).append(brief(each.name))
    return "; ".join(f"{_some(names)} ({why})" for why, names in by_reason.items())


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more
