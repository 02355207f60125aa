"""Where an experiment's data come from: the catalog, or files next to the experiment's.

The plan of an experiment records where its data are, so that its trees can be shown with names. Files
are recorded relative to the folder of results. Readers of such an entry must compare the data's
checksum, since files change.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from gatree.base.errors import did_you_mean
from gatree.base.json_values import Json
from gatree.data.attribute import Kind
from gatree.data.catalog import dataset_names
from gatree.data.dataset import Dataset
from gatree.data.files import name_of_file
from gatree.data.generate import generated
from gatree.data.load import endings, format_of, read
from gatree.data.source import ReadOptions
from gatree.experiments.journal import PLAN
from gatree.experiments.lists import ListOf, with_own_names

MOST_LETTERS = 80


def _readable_name(name: str) -> str:
    if not name.strip() or len(name) > MOST_LETTERS or re.search(r"[\x00-\x1f\x7f]", name):
        raise ValueError(f"should be a name of 1 to {MOST_LETTERS} characters on one line, got {name!r}")
    return name


Kinds = Annotated[
    tuple[tuple[str, Kind], ...],
    BeforeValidator(lambda kinds: tuple(kinds.items()) if isinstance(kinds, Mapping) else kinds),
    PlainSerializer(dict),
]
"""What columns are, by name: pairs, so that they can be hashed."""


class DataSource(BaseModel):
    """One data set: what to read, what to predict, what to leave out, and what to call it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    data: str = Field(description="a name of the catalog, or a file relative to this one")
    class_name: str | None = Field(None, alias="class", description="the column to predict; the last one")
    regression: bool | None = Field(None, description="whether to predict numbers; else the data decide")
    drop: Annotated[tuple[str, ...], *ListOf] = Field((), description="columns to leave out, such as an id")
    columns: Kinds = Field((), description="what columns are: number, category or date")
    header: bool | None = Field(None, description="whether the first row has the names of the columns")
    day_first: bool | None = Field(None, description="whether the day comes first in dates such as 3/4/2024")
    sheet: str | None = Field(None, description="the sheet of an Excel file; the first one")
    drop_strings: bool = Field(False, description="leave out ARFF attributes of type string")
    name: Annotated[str, AfterValidator(_readable_name)] = Field(
        "", validate_default=True, description="what to call it; the file's name without its ending"
    )

    @field_validator("data")
    @classmethod
    def _is_there(cls, data: str, info: ValidationInfo) -> str:
        return known_data(data, (info.context or {}).get("folder", "."))

    @field_validator("name", mode="before")
    @classmethod
    def _named_like_its_file(cls, name: object, info: ValidationInfo) -> object:
        data = info.data.get("data", "unnamed")
        return name or (data if data in dataset_names() else name_of_file(data))

    def __str__(self) -> str:
        return self.name

    def load(self) -> Dataset:
        """Read the data; what cannot be used is an error that names the file."""
        how = self.model_dump(include={"day_first", "header", "sheet", "drop_strings"})
        options = ReadOptions(kinds=dict(self.columns), **how)
        choose = "class: in the experiment's file"
        data = read(self.data, options).dataset(self.class_name, regression=self.regression, choose=choose)
        return replace(data.drop(*self.drop) if self.drop else data, name=self.name)


def known_data(name: str, folder: str | Path) -> str:
    """Return a name of the catalog or of generated data, or the path of a file, or raise a ValueError."""
    if name in dataset_names() or generated(name) is not None:
        return name
    if format_of(name) is not None:
        path = Path(folder) / name
        if path.is_file():
            return str(path)
        raise ValueError(f"no such file: {path}")
    raise ValueError(
        f"no data set {name!r}{did_you_mean(name, dataset_names())} "
        f"(or the path of a file that ends in {endings()})"
    )


def _from_text(value: object, info: ValidationInfo) -> object:
    """Let a name or a path stand for itself; a complaint about it then has its own place."""
    if isinstance(value, str):
        data = known_data(value, (info.context or {}).get("folder", "."))
        return DataSource(data=data)
    if isinstance(value, Mapping | DataSource):
        return value
    raise ValueError(f"should be a name, a path, or a mapping with data, class, drop, name; got {value!r}")


Source = Annotated[DataSource, BeforeValidator(_from_text)]
Sources = Annotated[tuple[Source, ...], *ListOf, AfterValidator(with_own_names)]


class NamedData(BaseModel):
    """Data sets that are named on the command line."""

    data: Sources


def recorded_source(source: DataSource, folder: Path) -> dict[str, Json]:
    """Return what a plan says about one data set; its file as seen from a folder, so that both may move."""
    note = source.model_dump(by_alias=True, exclude_defaults=True)
    if source.data not in dataset_names():
        try:
            note["data"] = Path(os.path.relpath(source.data, folder)).as_posix()
        except ValueError:  # on another drive of Windows
            note["data"] = Path(source.data).resolve().as_posix()
    return {**note, "name": source.name}


def recorded_sources(folder: Path) -> dict[str, DataSource]:
    """Return the data sets that a plan notes and that are still there, by name."""
    try:
        noted = json.loads((folder / PLAN).read_bytes())["data"]
        described = list(map(dict, noted))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}  # there is no plan, or one that does not say
    found = {}
    for note in described:
        try:
            source = DataSource.model_validate(note, context={"folder": folder})
        except ValidationError:
            continue
        found[source.name] = source
    return found
