"""Write down what WEKA prints of J48's cross-validations: kappa and the detailed accuracy by class.

tests/j48/test_weka_golden.py compares with the file that this writes, tests/j48/weka_details.json.
"""

import json
import re
from pathlib import Path
from typing import Any

from weka import find_jar, run

from gatree.base.files import shipped_folder
from gatree.data.catalog import dataset_names

HERE = Path(__file__).resolve().parent
GOLDEN = HERE.parent / "j48" / "weka_details.json"
OPTIONS = ("-B -x 10", "-x 10", "-B -R -x 5", "-U -A -x 3")


def main() -> None:
    """Ask WEKA for every data set with every options, and for the nasty file of the tests."""
    jar = find_jar()
    golden = [_ask(jar, name, options) for name in dataset_names() for options in OPTIONS]
    GOLDEN.write_text(json.dumps(golden, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _ask(jar: Path, name: str, options: str) -> dict[str, Any]:
    file = shipped_folder("datasets") / f"{name}.arff"
    printed = run(jar, "weka.classifiers.trees.J48", "-t", str(file), "-s", "1", "-i", *options.split())
    crossed = printed.partition("=== Stratified cross-validation ===")[2]
    table = crossed.partition("=== Detailed Accuracy By Class ===\n\n")[2].partition("\n\n")[0]
    kappa = re.search(r"Kappa statistic\s+(\S+)", crossed)
    assert kappa is not None
    return {
        "data": name,
        "options": options,
        "kappa": kappa[1],
        "details": [line.rstrip() for line in table.splitlines()],
    }


if __name__ == "__main__":
    main()
