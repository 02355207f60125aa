"""The text of a data file, in and out; every failure is a `DataError` that names the file.

UTF-8 (with or without a byte order mark) is tried first; whatever is not UTF-8 is read as latin-1.
"""

from __future__ import annotations

import gzip
import sys
import zlib
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from gatree.errors import DataError
from gatree.written import write_whole

STDIN = "-"
"""The path that stands for what is piped in."""

_GZIP_MAGIC = b"\x1f\x8b"


def read_text(path: str | Path) -> str:
    """Return the text of a file, or of stdin, plain or gzipped, with ``\\n`` at the end of every line."""
    raw = _unzip(_read_bytes(Path(path)), path)
    if not raw.strip():
        raise DataError(f"{path}: the file is empty")
    nul = raw.find(b"\0")
    if nul >= 0:
        line = raw.count(b"\n", 0, nul) + 1
        raise DataError(
            f"{path}, line {line}: a NUL byte, so this is no text file (if it is UTF-16, convert it to UTF-8)"
        )
    return _decode(raw).replace("\r\n", "\n").replace("\r", "\n")


def write_text(path: str | Path, text: str) -> None:
    """Write a text as UTF-8, gzipped if the path ends in ``.gz``; the same text gives the same bytes."""
    raw = text.encode()
    if Path(path).suffix == ".gz":
        raw = gzip.compress(raw, mtime=0)
    try:
        write_whole(Path(path), raw)
    except OSError as error:
        raise DataError(f"{path}: cannot be written ({error.strerror})") from None


@lru_cache(maxsize=1)
def _all_of(stream: BinaryIO) -> bytes:
    """Read a stream once, whoever asks again."""
    return stream.read()


def _read_bytes(path: Path) -> bytes:
    if str(path) == STDIN:
        return _all_of(sys.stdin.buffer)
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise DataError(f"{path}: a folder, not a file") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from None


def _unzip(raw: bytes, path: str | Path) -> bytes:
    if not raw.startswith(_GZIP_MAGIC):
        return raw
    try:
        return gzip.decompress(raw)
    except (EOFError, OSError, zlib.error) as error:
        raise DataError(f"{path}: damaged gzip file ({error})") from None


def _decode(raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")
