"""A file in blocks of some thousand rows: what the reader in pieces of every format provides.

A nominal attribute's values are those that its block knows of: the values of all blocks are brought
together elsewhere (`gatree.data.pieces.summary`). Rows are counted as they stand in the file.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from typing import Protocol

from gatree.base.limits import MOST_PIECE_BYTES, MOST_PIECE_CELLS
from gatree.data.attribute import Attribute, Column
from gatree.data.files import Text

Block = list[tuple[Attribute, Column]]

ANY_SIZE = Text(most_bytes=MOST_PIECE_BYTES, most_cells=MOST_PIECE_CELLS)
"""A text file that is read in blocks, and so may be larger than memory."""


class Reader(Protocol):
    """A file that can be read in blocks, again and again."""

    @property
    def path(self) -> str: ...

    @property
    def names(self) -> list[str]: ...

    @property
    def declares(self) -> bool:
        """Whether a header says which values there are, and their order."""

    def class_name(self, wanted: str | None) -> str:
        """Return the name of the attribute to predict, or say why there is none."""

    def blocks(self, nominal: Collection[str], begin: int = 0, end: float = math.inf) -> Iterator[Block]:
        """Yield the rows from `begin` to `end`; columns called `nominal` are."""


def cut(block: Block, n_before: int, begin: int, end: float) -> Iterator[Block]:
    """Yield the rows of a block, before which so many stand, that are wanted, if there are any."""
    n_rows = len(block[0][1])
    first, last = max(0, begin - n_before), int(min(n_rows, end - n_before))
    if first < last:
        yield block if last - first == n_rows else [(name, column[first:last]) for name, column in block]
