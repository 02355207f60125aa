"""An experiment's YAML file: read, with all errors at once, or written to start from.

After an error the rest of the file is checked further: a `Draft` is what is right of it, so that its data and
cells can be checked, too. `gatree run --init` prints templates/starting.yaml for your own data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter, ValidationError

from gatree.base.errors import ConfigError, counted, visible
from gatree.data.dataset import Dataset
from gatree.data.screen import is_identifier
from gatree.experiments.experiment import Experiment, Study
from gatree.experiments.setting_grid import SETTINGS, TOGETHER
from gatree.experiments.sources import DataSource, Source
from gatree.experiments.yaml_text import as_list, read_mapping
from gatree.settings.validation import complaint, validated


def read_experiment(path: Path) -> Experiment:
    """Read an experiment from a YAML file, or raise one ConfigError that lists all errors."""
    draft = read_draft(path)
    if draft.errors:
        raise ConfigError("\n".join(draft.errors))
    return draft.experiment


@dataclass(frozen=True)
class Draft:
    """What a YAML file says as far as it is right, so that this can be checked further, and all errors."""

    experiment: Experiment
    sources: tuple[DataSource, ...]  # also of studies that are wrong
    errors: tuple[str, ...]


def read_draft(path: Path) -> Draft:
    """Read a YAML file; unknown keys and values that no data need to fit are ignored after an error."""
    content: dict[str, Any] = read_mapping(path, "name, seed, datasets and studies")
    context = {"folder": path.parent}
    errors: dict[str, None] = {}  # in order, each once
    for values in (content, _without_stray_keys(content, context)):
        try:
            experiment = validated(Experiment, values, str(path), context=context)
        except ConfigError as error:
            errors |= dict.fromkeys(str(error).splitlines())
        else:
            return Draft(experiment, tuple(experiment.sources()), tuple(errors))
    return _draft_of_parts(values, context, path, errors)


def _draft_of_parts(
    content: Mapping[str, Any], context: dict[str, Any], path: Path, errors: dict[str, None]
) -> Draft:
    """Put the studies and data sets together that are right by themselves."""

    def right(kind: Any, values: Any) -> list[Any]:
        adapter: TypeAdapter[Any] = TypeAdapter(kind)
        found = []
        for value in as_list(values or []):
            with suppress(ValidationError):
                found.append(adapter.validate_python(value, context=context))
        return found

    written = [study for study in as_list(content.get("studies")) if isinstance(study, Mapping)]
    named = [content.get("datasets"), *(study.get("datasets") for study in written)]
    sources = tuple(dict.fromkeys(source for names in named for source in right(Source, names)))
    about: dict[str, Any] = {"name": "draft", "seed": 0, "datasets": right(Source, content.get("datasets"))}
    shared = {key: content[key] for key in ("preset", "evolution", "seeds", "timed_seeds") if key in content}
    try:
        values = {**about, **shared, "studies": right(Study, written)}
        experiment = Experiment.model_validate(values, context=context)
    except ValidationError as error:
        together = [
            complaint(details, Experiment, content).text() for details in error.errors() if not details["loc"]
        ]
        errors |= dict.fromkeys(f"{path}: {text}" for text in together)
        experiment = Experiment.model_construct(**about, studies=())  # too little is left
    return Draft(experiment, sources, tuple(errors))


_DATA_NEED_NOT_FIT = {
    *(name for name in SETTINGS if name not in ("class_weight", "numeric_tests", *TOGETHER)),
    *("repeats", "n_repeats", "fold_seed", "history", "seeds", "timed_seeds"),
}


def _without_stray_keys(content: Mapping[str, Any], context: dict[str, Any]) -> dict[str, Any]:
    """Return a file's content without unknown keys and without wrong values that no data need to fit."""
    kept = deepcopy(dict(content))
    try:
        Experiment.model_validate(content, context=context)
    except ValidationError as error:
        for details in error.errors():
            holder: Any = None
            last, values = "", kept
            for step in details["loc"]:
                if isinstance(values, dict) and step in values:
                    holder, last, values = values, step, values[step]
                elif isinstance(values, list) and isinstance(step, int):
                    values = values[step]
            if holder and (details["type"] == "extra_forbidden" or last in _DATA_NEED_NOT_FIT):
                holder.pop(last, None)
    return kept


_MOST_CLASSES_SHOWN = 6
_FEW_CLASSES = 20


def starting_experiment(sources: Iterable[DataSource]) -> str:
    """Return an experiment file for data, which are read to describe them in its comments."""
    template = files("gatree.experiments").joinpath("templates/starting.yaml").read_text(encoding="utf-8")
    return template.format(datasets="".join(_described(source, source.load()) for source in sources))


def _described(source: DataSource, data: Dataset) -> str:
    useless = [
        attribute.name
        for attribute, column in zip(data.attributes, data.columns, strict=True)
        if is_identifier(column, attribute)
    ]
    n_columns = counted(data.n_attributes - len(useless), "column")
    lines = [
        (
            f"  - data: {_written(source.data)}",
            f"{counted(data.n_instances, 'row')}, {n_columns} to learn from",
        ),
        (f"    class: {_written(data.class_attribute.name)}", f"what to predict: {_classes(data)}"),
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
    """Return a value as YAML, on one line."""
    text: Any = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=10**6)
    return str(text).removesuffix("\n").removesuffix("\n...")
