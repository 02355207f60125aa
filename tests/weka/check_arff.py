"""Let WEKA read and write again what `write_arff` writes, and compare; `make weka-check`.

Every shipped data set, the nasty files of the tests, and data sets drawn at random must come back
equal. WEKA keeps six decimals and does not escape control characters when it writes, so those are
left to the tests. Ends with 1 if something differs.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from weka import find_jar, run

sys.path.insert(0, str(Path(__file__).parents[1]))

from strategies import datasets

from gatree.base.errors import DataError
from gatree.data.arff import read_arff, write_arff
from gatree.data.catalog import dataset_names, load_dataset
from gatree.data.dataset import Dataset

NASTY = Path(__file__).parents[1] / "data" / "nasty"
ODD_TEXT = st.text(
    st.characters(min_codepoint=32, exclude_categories=["Cs"]) | st.sampled_from("?'\"{}%,\\ \t\n\r@")
)
N_RANDOM = 20


def main() -> None:
    """Print one line per data set."""
    jar = find_jar()
    os.environ["JAVA_TOOL_OPTIONS"] = "-Dfile.encoding=UTF-8 -Dstdout.encoding=UTF-8 -Duser.timezone=UTC"
    verdicts = [_check(jar, name, dataset) for name, dataset in _cases()]
    sys.exit(not all(verdicts))


def _cases() -> Iterator[tuple[str, Dataset]]:
    for name in dataset_names():
        yield name, load_dataset(name)
    for path in sorted(NASTY.glob("*.arff")):
        yield path.stem, read_arff(path)
    for number, dataset in enumerate(_random_datasets()):
        yield f"random {number}", dataset


def _random_datasets() -> list[Dataset]:
    drawn: list[Dataset] = []

    @settings(
        max_examples=N_RANDOM,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(datasets(text=ODD_TEXT, kinds=("nominal", "numeric", "date"), allow_missing_class=True))
    def draw(dataset: Dataset) -> None:
        drawn.append(dataset)

    draw()
    return drawn


def _check(jar: Path, name: str, dataset: Dataset) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = Path(folder) / "ours.arff", Path(folder) / "theirs.arff"
        write_arff(dataset, ours)
        theirs.write_text(run(jar, "weka.filters.AllFilter", "-i", str(ours)), encoding="utf-8")
        try:
            same = read_arff(theirs, class_name=dataset.class_attribute.name) == dataset
        except DataError as error:
            print(error)
            same = False
    print(f"{name}: {'ok' if same else 'DIFFERS'}")
    return same


if __name__ == "__main__":
    main()
