"""The text of a data file, in and out.

Every failure is a `DataError` that names the file.

UTF-8 (with or without a byte order mark) is tried first, then UTF-16; whatever is neither is read as
Windows-1252, in which spreadsheets write the euro sign. A file is looked through once, block by block, before
any of its text is kept: for its encoding, and for what makes it no text file or a larger one than
`gatree.base.limits` allows. What is piped in goes to a temporary file, since it may be read twice.
"""

from __future__ import annotations

import codecs
import gzip
import io
import re
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import BinaryIO, NamedTuple, TextIO

from gatree.base.errors import DataError, GatreeError, reason
from gatree.base.files import write_whole
from gatree.base.limits import (
    MOST_FILE_BYTES,
    MOST_LINE_CHARACTERS,
    refuse_above,
    refuse_too_much_unpacked,
)

STDIN = "-"
"""The path that means standard input."""

_GZIP_MAGIC = b"\x1f\x8b"
_BLOCK = 2**20
_KEPT_IN_MEMORY = 64 * 2**20
_OTHERS = "gatree-latin-1"  # the few bytes that Windows-1252 does not have


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error(_OTHERS, _as_latin_1)


def name_of_file(path: str | Path) -> str:
    """Return the name of a file without its folder and the ending that tells its format."""
    return re.sub(r"\.[^.]+(\.gz)?$", "", Path(path).name, flags=re.IGNORECASE)


def read_text(path: str | Path) -> str:
    """Return the text of a file, or of stdin, plain or gzipped, with ``\\n`` at the end of every line."""
    with open_text(path) as file:
        return file.read()


@contextmanager
def open_text(path: str | Path, encoding: str | None = None) -> Iterator[TextIO]:
    """Open the text of a file, or of stdin, plain or gzipped, with ``\\n`` at the end of every line.

    A file whose encoding is known is not looked through.
    """
    if encoding is None:
        encoding = facts_of(path).encoding
    with _opened(path) as (content, _):
        errors = _OTHERS if encoding == "cp1252" else "strict"
        text = io.TextIOWrapper(content, encoding, errors=errors)
        try:
            yield text
        finally:
            text.detach()  # what is kept is not closed with it


@contextmanager
def naming_failures(path: str | Path, format_: str) -> Iterator[None]:
    """Turn whatever a library raises while it reads a file into one line that names the file."""
    try:
        yield
    except GatreeError:
        raise
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except Exception as error:
        raise DataError(f"{path}: cannot be read as {format_} ({reason(error)})") from None


@contextmanager
def _opened(path: str | Path) -> Iterator[tuple[BinaryIO, int | None]]:
    """Open the bytes of a file, unpacked, and say how many they were if they were packed."""
    try:
        with _twice_readable(path) as raw:
            is_gzip = raw.read(2) == _GZIP_MAGIC
            n_bytes = raw.seek(0, io.SEEK_END)
            raw.seek(0)
            content: BinaryIO = gzip.GzipFile(fileobj=raw) if is_gzip else raw  # type: ignore[assignment]
            yield content, n_bytes if is_gzip else None
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise DataError(f"{path}: a folder, not a file") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"{path}: damaged gzip file ({error})") from None
    except UnicodeDecodeError as error:
        if error.encoding.startswith("utf-16"):
            raise DataError(f"{path}: damaged UTF-16 ({error.reason})") from None
        raise DataError(f"{path}: the file was changed while it was read") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error})") from None
    except ValueError as error:  # a NUL character in a path
        raise DataError(f"{path!r}: cannot be read ({error})") from None


@contextmanager
def _twice_readable(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file; what can be read once only is kept."""
    if str(path) != STDIN and not Path(path).is_fifo():
        with Path(path).open("rb") as file:
            yield file
        return
    key = sys.stdin.buffer if str(path) == STDIN else str(path)
    if key not in _KEPT:
        with Path(key).open("rb") if isinstance(key, str) else nullcontext(key) as stream:
            _KEPT[key] = _content(stream)
    _KEPT[key].seek(0)
    yield _KEPT[key]


_KEPT: dict[str | BinaryIO, BinaryIO] = {}


def forget_pipe(path: str | Path) -> None:
    """Read a named pipe again when it is opened next: what it held before is not what it holds then."""
    _KEPT.pop(str(path), None)


class _TemporaryFile(tempfile.SpooledTemporaryFile[bytes]):
    """A temporary file that is closed, without a warning, once no caller reads it any more."""

    def __del__(self) -> None:
        self.close()


def _content(stream: BinaryIO) -> BinaryIO:
    """Return the content of a stream as a temporary file."""
    content = _TemporaryFile(max_size=_KEPT_IN_MEMORY)
    while content.tell() <= MOST_FILE_BYTES and (block := stream.read(_BLOCK)):  # more is refused later
        content.write(block)
    return content  # type: ignore[return-value]


class TextFacts(NamedTuple):
    """What a look through a text file shows."""

    encoding: str
    n_lines: int


def facts_of(path: str | Path, most_bytes: int | None = None) -> TextFacts:
    """Look through a file, or stdin; what is no text, or too much, is refused."""
    decoder: codecs.IncrementalDecoder | None = codecs.getincrementaldecoder("utf-8")()
    n_bytes = n_lines = line_bytes = 0
    is_empty = True
    utf16 = ""
    with _opened(path) as (content, n_zipped):
        while block := content.read(_BLOCK):
            utf16 = utf16 or (_utf16(block) if n_bytes == 0 else "")
            n_bytes += len(block)
            refuse_above(most_bytes or MOST_FILE_BYTES, n_bytes, "bytes", str(path))
            if n_zipped is not None:
                refuse_too_much_unpacked(str(path), n_bytes, n_zipped, "gzip")
            is_empty = is_empty and not block.strip(b" \t\r\n\0\xfe\xff" if utf16 else None)
            if not utf16 and (nul := block.find(b"\0")) >= 0:
                line = n_lines + block.count(b"\n", 0, nul) + 1
                raise DataError(f"{path}, line {line}: a NUL byte, so this is no text file")
            n_lines += block.count(b"\n")
            after = len(block) - 1 - max(block.rfind(b"\n"), block.rfind(b"\r"))
            line_bytes = line_bytes + len(block) if after == len(block) else after
            refuse_above(MOST_LINE_CHARACTERS, line_bytes, "characters", f"{path}, line {n_lines + 1}")
            decoder = decoder if decoder is not None and _decodes(decoder, block) else None
    if is_empty:
        raise DataError(f"{path}: the file is empty")
    is_utf8 = decoder is not None and _decodes(decoder, b"", final=True)
    return TextFacts(utf16 or ("utf-8-sig" if is_utf8 else "cp1252"), n_lines + 1)


def _utf16(start: bytes) -> str:
    """Return which UTF-16 a file is in, by its byte order mark or the zeros of its first letters."""
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    head = start[: min(len(start), 200) // 2 * 2]
    zeros = head[::2].count(0), head[1::2].count(0)
    if len(head) >= 4 and min(zeros) == 0 and max(zeros) >= len(head) * 0.4:
        return "utf-16-be" if zeros[0] else "utf-16-le"
    return ""


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
