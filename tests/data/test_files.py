"""The bytes of data files: encodings across blocks, and limits that hold before memory is taken."""

from __future__ import annotations

import gzip
import os
import threading

import pytest

from gatree.base.errors import DataError
from gatree.data.files import _KEPT, read_text
from gatree.data.load import read


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr("gatree.data.files._BLOCK", 3)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("aé中😀b\n".encode(), "aé中😀b\n"),
        (b"\xef\xbb\xbfab\r\ncd\re", "ab\ncd\ne"),
        ("aé".encode("latin-1"), "aé"),
        ("ééé".encode() + b"\xe9", "Ã©Ã©Ã©é"),
        ("abé".encode()[:-1], "abÃ"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_an_encoding_is_that_of_the_whole_file(tmp_path, raw, text, packed):
    (tmp_path / "file").write_bytes(gzip.compress(raw) if packed else raw)
    assert read_text(tmp_path / "file") == text


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b" \n\t\n   \n", ": the file is empty"),
        (b"abc\nde\n\nf\0", ", line 4: a NUL byte, so this is no text file"),
        (gzip.compress(b"abcdefgh" * 99, mtime=0)[:-9], ": damaged gzip file"),
        (gzip.compress(b"abc", mtime=0) + b"tail", ": damaged gzip file"),
        (b"\x1f\x8b" + b"rubbish" * 9, ": damaged gzip file"),
        (gzip.compress(b"", mtime=0), ": the file is empty"),
        ("abc".encode("utf-16")[:-1], ": damaged UTF-16 (truncated data)"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path, raw, message):
    (tmp_path / "file").write_bytes(raw)
    with pytest.raises(DataError) as refusal:
        read_text(tmp_path / "file")
    assert str(refusal.value).startswith(f"{tmp_path / 'file'}{message}")


def test_a_bomb_is_refused_before_it_has_gone_off(tmp_path, monkeypatch):
    monkeypatch.setattr("gatree.data.files.FREE_GZIP_BYTES", 2**21)
    monkeypatch.setattr("gatree.data.files.MOST_FILE_BYTES", 2**24)
    (tmp_path / "bomb.arff.gz").write_bytes(gzip.compress(b"@relation r\n" + b"% \n" * 2**22))
    with pytest.raises(
        DataError, match=r"unpack to more than 2,097,152 bytes and more than 100 times as many"
    ):
        read_text(tmp_path / "bomb.arff.gz")
    (tmp_path / "small.arff.gz").write_bytes(gzip.compress(b"% \n" * 2**18))
    assert len(read_text(tmp_path / "small.arff.gz")) == 3 * 2**18


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("MOST_FILE_BYTES", ": 12 bytes; the limit is 10"),
        ("MOST_LINE_CHARACTERS", ", line 2: 13 characters; "),
    ],
)
def test_files_and_lines_beyond_their_limits(tmp_path, monkeypatch, limit, message):
    monkeypatch.setattr(f"gatree.data.files.{limit}", 10)
    (tmp_path / "file").write_bytes(b"a\n" + b"x" * 13)
    with pytest.raises(DataError) as refusal:
        read_text(tmp_path / "file")
    assert str(refusal.value).startswith(f"{tmp_path / 'file'}{message}")


@pytest.mark.parametrize("in_memory", [64 * 2**20, 1], ids=["in memory", "on disk"])
def test_a_pipe_is_read_too(tmp_path, monkeypatch, in_memory):
    monkeypatch.setattr("gatree.data.files._KEPT_IN_MEMORY", in_memory)
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(b"a\xe9\n",))
    writer.start()
    assert read_text(tmp_path / "pipe") == "aé\n"
    writer.join()
    _KEPT.clear()  # which closes what was kept: an open file is a warning


def test_a_named_pipe_is_read_again_whenever_it_is_opened(tmp_path):
    """And only once for a table, though its reader looks at it several times."""
    pipe = tmp_path / "table.csv"
    os.mkfifo(pipe)
    for value in ("red", "blue"):
        writer = threading.Thread(target=pipe.write_text, args=(f"x,y\n{value},a\n{value},b\n",))
        writer.start()
        assert read(pipe).attributes[0].values == (value,)
        writer.join()
