"""Data sets from the text of an ARFF file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from gatree.data.arff import ArffSource
from gatree.data.arff_header import ArffLine
from gatree.data.dataset import Dataset, read_table
from gatree.data.files import TextFacts


@dataclass(frozen=True)
class TextSource(ArffSource):
    """A source whose text is here."""

    text: str = ""

    @contextmanager
    def _lines(self) -> Iterator[Iterator[ArffLine]]:
        lines = self.text.removesuffix("\n").split("\n")
        yield (ArffLine(self.path, number, line) for number, line in enumerate(lines, start=1))


def parse_arff(
    text: str, class_name: str | None = None, drop_strings: bool = False, path: str = "<text>"
) -> Dataset:
    """Return the data set of a text; ``path`` is what errors call it."""
    source = TextSource(path, TextFacts("utf-8", 0), drop_strings, text=text)
    return read_table(lambda _: source).dataset(class_name)
