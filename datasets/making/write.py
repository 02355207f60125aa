"""The two files of a data set: the ARFF file with its provenance on top, and the metadata.

The provenance comes from ``provenance.yaml``, the numbers from the data.
"""

from __future__ import annotations

import hashlib
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from gatree.data.arff import write_arff
from gatree.data.dataset import Dataset

Provenance = dict[str, Any]

_ORIGINS = {"paper": "the data of the paper", "stand-in": "a stand-in for lost data"}


def read_provenance() -> dict[str, Provenance]:
    """Return what is known about each data set, by name."""
    known: dict[str, Provenance] = yaml.safe_load(
        Path(__file__).with_name("provenance.yaml").read_text(encoding="utf-8")
    )
    return known


def write_dataset(folder: Path, name: str, provenance: Provenance, dataset: Dataset) -> None:
    """Write ``NAME.arff`` and ``NAME.yaml``."""
    path = folder / f"{name}.arff"
    write_arff(replace(dataset, name=name), path, comment=as_comment(provenance))
    facts = {
        "name": name,
        **provenance,
        "instances": dataset.n_instances,
        "attributes": dataset.n_attributes,
        "classes": dataset.n_classes,
        "missing": dataset.n_missing,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }
    text = yaml.safe_dump(facts, sort_keys=False, allow_unicode=True, width=100)
    path.with_suffix(".yaml").write_text(text, encoding="utf-8")


def as_comment(provenance: Provenance) -> str:
    """Return the comment that opens the ARFF file."""
    facts = [
        provenance["title"],
        f"Origin: {_ORIGINS[provenance['origin']]}",
        f"Source: {provenance['source']}",
        f"Citation: {provenance['citation']}",
        f"Licence: {provenance['licence']}",
        *(f"Change: {transformation}" for transformation in provenance["transformations"]),
    ]
    wrapper = textwrap.TextWrapper(98, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    return "\n".join(line for fact in facts for line in wrapper.wrap(fact))
