"""The text of a data file, in and out, and its rows in blocks.

Every failure is a `DataError` that names the file.

UTF-8 (with or without a byte order mark) is tried first; whatever is not UTF-8 is read as latin-1. A
file is looked through once, block by block, before any of its text is kept: for its encoding, and for
what makes it no text file or a larger one than `gatree.base.limits` allows.

The reader in pieces of every format returns blocks of some thousand rows. A nominal attribute's values
are those that its block knows of: `gatree.data.summary` merges the values of all blocks.
"""

from __future__ import annotations

import codecs
import gzip
import io
import math
import sys
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, Protocol, TextIO

from gatree.base.errors import DataError
from gatree.base.files import write_whole
from gatree.base.limits import (
    FREE_GZIP_BYTES,
    MOST_FILE_BYTES,
    MOST_GZIP_RATIO,
    MOST_LINE_CHARACTERS,
    MOST_PIECE_BYTES,
    MOST_PIECE_CELLS,
    refuse_above,
)
from gatree.data.attribute import Attribute, Column

STDIN = "-"
"""The path that means standard input."""

_GZIP_MAGIC = b"\x1f\x8b"
_BLOCK = 2**20


@dataclass(frozen=True)
class Text:
    """What is known of a text file: its encoding, once it was scanned, and its maximum size."""

    encoding: str | None = None
    most_bytes: int | None = None  # by default those of gatree.base.limits
    most_cells: int | None = None


WHOLE = Text()
"""A file that is read as a whole, of which nothing is known yet."""


def looked_through(path: str | Path, text: Text) -> Text:
    """Return what a look through a file tells."""
    with open_text(path, text) as file:
        return replace(text, encoding=file.encoding)


def read_text(path: str | Path) -> str:
    """Return the text of a file, or of stdin, plain or gzipped, with ``\\n`` at the end of every line."""
    with open_text(path) as file:
        return file.read()


@contextmanager
def open_text(path: str | Path, known: Text = WHOLE) -> Iterator[TextIO]:
    """Open the text of a file, or of stdin, plain or gzipped, with ``\\n`` at the end of every line.

    A file whose encoding is known is not scanned.
    """
    try:
        with _twice_readable(path) as raw:
            is_gzip = raw.read(2) == _GZIP_MAGIC
            n_bytes = raw.seek(0, io.SEEK_END)
            raw.seek(0)
            content: BinaryIO = gzip.GzipFile(fileobj=raw) if is_gzip else raw  # type: ignore[assignment]
            encoding = known.encoding
            if encoding is None:
                encoding = _encoding(content, path, n_bytes if is_gzip else None, known.most_bytes)
                content.seek(0)
            yield io.TextIOWrapper(content, encoding)
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise DataError(f"{path}: a folder, not a file") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"{path}: damaged gzip file ({error})") from None
    except UnicodeDecodeError:
        raise DataError(f"{path}: the file was changed while it was read") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error})") from None
    except ValueError as error:  # a NUL character in a path
        raise DataError(f"{path!r}: cannot be read ({error})") from None


def file_name(path: str | Path, endings: Sequence[str]) -> str:
    """Return the name of a file without its folder, and without its ending if it is one of these."""
    name = Path(path).name
    return name[: len(name) - len(ending_of(path, endings) or "")]


def ending_of(path: str | Path, endings: Iterable[str]) -> str | None:
    """Return the ending, of these, that a file's name has."""
    return next((ending for ending in endings if str(path).lower().endswith(ending)), None)


@contextmanager
def _twice_readable(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file; what is piped in is kept, since it can be read once only."""
    if str(path) == STDIN:
        yield io.BytesIO(_all_of(sys.stdin.buffer))
        return
    with Path(path).open("rb") as file:
        yield file if file.seekable() else io.BytesIO(file.read(MOST_FILE_BYTES + 1))


@lru_cache(maxsize=1)
def _all_of(stream: BinaryIO) -> bytes:
    """Read a stream once, and keep its content."""
    return stream.read(MOST_FILE_BYTES + 1)


def _encoding(content: BinaryIO, path: str | Path, n_zipped: int | None, most_bytes: int | None) -> str:
    """Return the encoding of a file's content, and refuse what is no text or too much of it."""
    decoder: codecs.IncrementalDecoder | None = codecs.getincrementaldecoder("utf-8")()
    n_bytes = n_lines = line_bytes = 0
    is_empty = True
    while block := content.read(_BLOCK):
        n_bytes += len(block)
        _refuse_too_much(path, n_bytes, n_zipped, most_bytes)
        is_empty = is_empty and not block.strip()
        if (nul := block.find(b"\0")) >= 0:
            line = n_lines + block.count(b"\n", 0, nul) + 1
            raise DataError(
                f"{path}, line {line}: a NUL byte, so this is no text file "
                "(if it is UTF-16, convert it to UTF-8)"
            )
        n_lines += block.count(b"\n")
        after = len(block) - 1 - max(block.rfind(b"\n"), block.rfind(b"\r"))
        line_bytes = line_bytes + len(block) if after == len(block) else after
        refuse_above(MOST_LINE_CHARACTERS, line_bytes, "characters", f"{path}, line {n_lines + 1}")
        decoder = decoder if decoder is not None and _decodes(decoder, block) else None
    if is_empty:
        raise DataError(f"{path}: the file is empty")
    return "utf-8-sig" if decoder is not None and _decodes(decoder, b"", final=True) else "latin-1"


def _refuse_too_much(path: str | Path, n_bytes: int, n_zipped: int | None, most_bytes: int | None) -> None:
    refuse_above(most_bytes or MOST_FILE_BYTES, n_bytes, "bytes", str(path))
    if n_zipped is not None and n_bytes > max(FREE_GZIP_BYTES, MOST_GZIP_RATIO * n_zipped):
        raise DataError(
            f"{path}: {n_zipped:,} bytes of gzip unpack to more than {FREE_GZIP_BYTES:,} bytes and more than "
            f"{MOST_GZIP_RATIO} times as many, which is the limit; if this is intended, unpack the file first"
        )


def _decodes(decoder: codecs.IncrementalDecoder, block: bytes, final: bool = False) -> bool:
    try:
        decoder.decode(block, final)
    except UnicodeDecodeError:
        return False
    return True


def write_text(path: str | Path, text: str) -> None:
    """Write a text as UTF-8, gzipped if the path ends in ``.gz``; the same text gives the same bytes."""
    raw = text.encode()
    if Path(path).suffix == ".gz":
        raw = gzip.compress(raw, mtime=0)
    try:
        write_whole(Path(path), raw)
    except OSError as error:
        raise DataError(f"{path}: cannot be written ({error.strerror})") from None


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
    """Yield the requested rows of a block, if any, given the number of rows before it."""
    n_rows = len(block[0][1])
    first, last = max(0, begin - n_before), int(min(n_rows, end - n_before))
    if first < last:
        yield block if last - first == n_rows else [(name, column[first:last]) for name, column in block]
