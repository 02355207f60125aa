"""The second pass over data in pieces: rows become codes, a byte per cell as a rule."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, shown
from gatree.data.attribute import MISSING, Attribute, Column
from gatree.data.blocks import Block
from gatree.data.pieces.survey import Piece, Plan


class Stretch(NamedTuple):
    """Some rows of a piece."""

    piece: Piece
    begin: int
    end: int


def stretches(pieces: Sequence[Piece], n_parts: int) -> list[list[Stretch]]:
    """Cut the rows of all pieces, one after the other, into parts of nearly the same size."""
    n_rows = sum(piece.n_rows for piece in pieces)
    n_parts = max(1, min(n_parts, n_rows))
    parts: list[list[Stretch]] = []
    for part in range(n_parts):
        begin, end = n_rows * part // n_parts, n_rows * (part + 1) // n_parts
        parts.append(list(_between(pieces, begin, end)))
    return parts


def _between(pieces: Sequence[Piece], begin: int, end: int) -> Iterable[Stretch]:
    before = 0
    for piece in pieces:
        first, last = max(begin - before, 0), min(end - before, piece.n_rows)
        if first < last:
            yield Stretch(piece, first, last)
        before += piece.n_rows


def encode(plan: Plan, part: Sequence[Stretch]) -> tuple[Any, NDArray[np.uint16]]:
    """Return the codes, [attribute, instance], and the classes of the rows that have one."""
    n_rows = sum(stretch.end - stretch.begin for stretch in part)
    room = Room(plan, min(n_rows, plan.schema.n_instances))
    nominal = {attribute.name for attribute in plan.schema.attributes if attribute.is_nominal}
    expected = 0
    for piece, begin, end in part:
        for block in piece.reader.blocks({*nominal, plan.schema.class_attribute.name}, begin, end):
            room.add(block, piece.reader.path)
        expected += end - begin
        if room.n_seen < expected:
            raise DataError(f"{piece.reader.path}: the file was changed while it was read")
    return room.filled()


def no_codes(plan: Plan) -> tuple[Any, NDArray[np.uint16]]:
    """Return the codes and classes of no rows at all, in their types."""
    return Room(plan, 0).filled()


class Room:
    """Codes of rows, as they come in."""

    def __init__(self, plan: Plan, n_rows: int) -> None:
        self.plan = plan
        self.codes: Any = np.empty((plan.schema.n_attributes, n_rows), dtype=plan.coding.dtype)
        self.classes = np.empty(n_rows, dtype=np.uint16)
        self.n = self.n_seen = 0
        self._index = {attribute.name: at for at, attribute in enumerate(plan.schema.attributes)}
        self._codes_of = [
            {value: code for code, value in enumerate(attribute.values)}
            for attribute in plan.schema.attributes
        ]

    def add(self, block: Block, where: str) -> None:
        """Code some more rows; those without a class are left out."""
        columns = {attribute.name: (attribute, column) for attribute, column in block}
        target = self.plan.schema.class_attribute.name
        classes = _recoded(*columns.pop(target), self.plan.class_of, where)
        known, n_rows = classes >= 0, len(classes)
        end = self.n + int(np.count_nonzero(known))
        self.n_seen += n_rows
        if end > len(self.classes):
            raise DataError(f"{where}: the file was changed while it was read")
        self.classes[self.n : end] = classes[known]
        for name, (attribute, column) in columns.items():
            at = self._index[name]
            self.codes[at, self.n : end] = self._coded(at, attribute, column, where)[known]
        self.n = end

    def _coded(self, at: int, attribute: Attribute, column: Column, where: str) -> NDArray[Any]:
        if attribute.is_nominal:
            column = _recoded(attribute, column, self._codes_of[at], where)
        return self.plan.coding.encode_column(at, column)

    def filled(self) -> tuple[Any, NDArray[np.uint16]]:
        """Return the codes and classes of the rows that have a class."""
        if self.n == self.codes.shape[1]:
            return self.codes, self.classes
        return self.codes[:, : self.n].copy(), self.classes[: self.n].copy()


def _recoded(attribute: Attribute, column: Column, codes: dict[str, int], where: str) -> NDArray[np.int32]:
    """Return the codes that all pieces share in place of those of a block."""
    wanted = [codes.get(value, MISSING - 1) for value in attribute.values]
    table = np.array([*wanted, MISSING], dtype=np.int32)  # MISSING is -1: the last
    recoded: NDArray[np.int32] = table[column]
    unknown = np.flatnonzero(recoded < MISSING)
    if len(unknown):
        value = attribute.values[int(column[unknown[0]])]
        raise DataError(
            f"{where}: column {shown(attribute.name)} has the value {shown(value)}, which is none of "
            f"those that were there when the data were surveyed"
        )
    return recoded
