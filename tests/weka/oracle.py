"""Ask WEKA for its J48 trees and store the answers, so that the tests need no Java.

    python tests/weka/oracle.py                      write the golden file again
    python tests/weka/oracle.py --compare 5000       report differences on N generated data sets

Needs WEKA 3.6.14 and a JDK (on Debian: weka and default-jdk-headless); `make weka-oracle` runs it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from j48_cases import (  # noqa: E402
    GOLDEN,
    Case,
    dataset_of,
    differences,
    generated_cases,
    odd_cases,
    our_answer,
    shipped_cases,
    weka_options,
)
from weka import find_jar  # noqa: E402

from gatree.data.arff import write_arff  # noqa: E402
from gatree.data.catalog import dataset_names  # noqa: E402


def ask_weka(cases: Iterable[Case], jar: Path) -> Iterator[dict[str, Any]]:
    """Yield WEKA's answers, in order."""
    cases = list(cases)
    with tempfile.TemporaryDirectory() as folder:
        jobs = "".join(_job(case, Path(folder)) for case in cases)
        command = ["java", "-cp", str(jar), str(HERE / "Oracle.java")]
        done = subprocess.run(
            command, input=jobs, stdout=subprocess.PIPE, text=True, encoding="utf-8", check=True
        )
    for case, line in zip(cases, done.stdout.splitlines(), strict=True):
        yield {"case": case.name, "checksum": dataset_of(case.data).checksum[:16], **json.loads(line)}


def _job(case: Case, folder: Path) -> str:
    dataset = dataset_of(case.data)
    file = folder / f"{case.data}.arff"
    if not file.exists():
        write_arff(dataset, file)
    fields = (file, dataset.answer_position, case.folds, case.seed, weka_options(case.settings))
    return "\t".join(map(str, fields)) + "\n"


def _write_golden(answers: Iterable[dict[str, Any]]) -> None:
    text = "".join(json.dumps(answer, ensure_ascii=False) + "\n" for answer in answers)
    GOLDEN.write_bytes(gzip.compress(text.encode(), mtime=0))


def _compare(cases: list[Case], jar: Path) -> None:
    n_different = 0
    for case, wekas in zip(cases, ask_weka(cases, jar), strict=True):
        ours = our_answer(case)
        if wrong := differences(ours, wekas):
            n_different += 1
            print(case.name, *(f"\n  {key}: {ours.get(key)!r}\n  WEKA: {wekas.get(key)!r}" for key in wrong))
    print(f"{n_different} of {len(cases)} cases differ")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--compare", type=int, metavar="N", help="compare instead of writing the golden file")
    n_compared = parser.parse_args().compare
    shipped, jar = list(shipped_cases(dataset_names())), find_jar()
    if n_compared is not None:
        _compare([*shipped, *generated_cases(n_compared), *odd_cases()], jar)
        return
    _write_golden(ask_weka([*shipped, *generated_cases(), *odd_cases()], jar))
    print(f"wrote {GOLDEN}", file=sys.stderr)


if __name__ == "__main__":
    main()
