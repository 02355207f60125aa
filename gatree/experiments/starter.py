"""An experiment file to start from, with comments, for your own data: `gatree run --init`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import yaml

from gatree.base.errors import visible
from gatree.data.dataset import Dataset
from gatree.data.screen import is_identifier
from gatree.experiments.sources import DataSource

_MOST_CLASSES_SHOWN = 6
_FEW_CLASSES = 20

_TEMPLATE = """\
# An experiment. Change it as you like, then:
#
#     gatree run --config mine.yaml --dry-run                    how many cells, and how long they take
#     gatree run --config mine.yaml                              run them; again: go on where it was stopped
#     gatree compare --by method --results results/mine          who is better, and can it be chance?
#     gatree compare --by x_factor --results results/mine
#     gatree results --results results/mine --format csv         all numbers
#     gatree report --results results/mine                       all in one page
#
# docs/config.md describes all that can stand here.
name: mine                   # results land in results/mine
seed: 1                      # of all random numbers: the same file has the same results on every machine
seeds: 10                    # how often every evolution is run, each time with another seed
preset: fast                 # what the settings start from: default (best trees), fast, or paper

datasets:
{datasets}
evolution:                   # optional: settings in place of the preset's, for all studies
  population_size: 200
  n_generations: 100

studies:
  - name: accuracy
    kind: cross-validation   # one evolution per fold; savings: evaluators side by side on all data
    n_folds: 5
    n_repeats: 1             # how often the whole cross-validation is done, each time with other folds
    baselines: [j48, cart]   # on the same folds; also: j48-reduced-error, majority
    grid:                    # every combination is run; any setting may stand here
      x_factor: [1e3, 1e4, 1e5]  # the larger, the less the size of a tree matters
"""


def starting_experiment(sources: Iterable[DataSource]) -> str:
    """Return an experiment file for some data, which are read to say what is in them."""
    return _TEMPLATE.format(datasets="".join(_described(source, source.load()) for source in sources))


def _described(source: DataSource, data: Dataset) -> str:
    size = f"{data.n_instances} rows, {data.n_attributes} columns to learn from"
    lines = [
        (f"  - data: {_written(source.data)}", size),
        (f"    class: {_written(data.class_attribute.name)}", f"what to predict: {_classes(data)}"),
    ]
    useless = [
        attribute.name
        for attribute, column in zip(data.attributes, data.columns, strict=True)
        if is_identifier(column, attribute)
    ]
    if useless:
        lines.append((f"    drop: {_written(useless)}", "different in every row"))
    else:
        lines.append(("    # drop: [a, b]", "columns to leave out"))
    lines.append((f"    # name: {_written(source.name)}", "what to call it"))
    return "".join(f"{text:<28} # {visible(comment)}\n" for text, comment in lines)


def _classes(data: Dataset) -> str:
    counts = sorted(
        zip(data.class_values, data.class_counts.tolist(), strict=True), key=lambda pair: -pair[1]
    )
    shown = ", ".join(f"{value} ({count})" for value, count in counts[:_MOST_CLASSES_SHOWN])
    if data.n_classes > _FEW_CLASSES:
        return f"{data.n_classes} classes: is this the column?"
    more = data.n_classes - _MOST_CLASSES_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def _written(value: str | Sequence[str]) -> str:
    """Return a value as YAML has it, on one line."""
    text: Any = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=10**6)
    return str(text).removesuffix("\n").removesuffix("\n...")
