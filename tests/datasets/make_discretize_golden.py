"""Write down what WEKA's Discretize filter makes of the numeric attributes of some shipped data sets.

test_discretize.py compares with the file that this writes, tests/datasets/golden/discretize.json:
per data set and options, the intervals of each attribute and how many instances fall into them.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
from weka import find_jar, run

from gatree.data.arff import read_arff
from gatree.data.catalog import catalog_entry, load_dataset

GOLDEN = Path(__file__).parent / "golden" / "discretize.json"
CASES = [
    (name, options)
    for name in ("credit-a", "crime", "lymph", "balance-scale", "zoo")
    for options in ("-B 10", "-B 3", "-B 10 -O", "-B 25 -O")
]


def main() -> None:
    """Ask WEKA for every case."""
    jar = find_jar()
    golden = [{"data": name, "options": options, **_ask(jar, name, options)} for name, options in CASES]
    GOLDEN.write_text(json.dumps(golden, indent=1) + "\n", encoding="utf-8")


def _ask(jar: Path, name: str, options: str) -> dict[str, dict[str, dict[str, int]]]:
    filter_class = "weka.filters.unsupervised.attribute.Discretize"
    text = run(jar, filter_class, *options.split(), "-c", "last", "-i", str(catalog_entry(name).file))
    with tempfile.TemporaryDirectory() as folder:
        (file := Path(folder) / "weka.arff").write_text(text, encoding="utf-8")
        filtered = read_arff(file)
    was_numeric = [not attribute.is_nominal for attribute in load_dataset(name).attributes]
    intervals = {}
    for index in np.flatnonzero(was_numeric):
        attribute, counts = filtered.attributes[index], Counter(filtered.columns[index].tolist())
        labels = [value.strip("'") for value in attribute.values]
        intervals[attribute.name] = {label: counts[code] for code, label in enumerate(labels)}
    return {"intervals": intervals}


if __name__ == "__main__":
    main()
