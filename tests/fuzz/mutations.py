"""Small changes to a file, some of them to its text and some to the values in it."""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Callable
from typing import Any

import yaml

ODD_VALUES: list[Any] = [
    None, True, False, 0, -1, -18, 1, 2, 3.5, 1e308, -1e308, 2**31, 2**63, 2**64, 10**30, "", "x", "\x00",
    "é—𝄞", "\ud800", "1e4..", "nan", [], {}, [[]], [None], [-1], [10**12], {"a": 1}, [1, 2, 3], "a" * 300,
]  # fmt: skip
ODD_WORDS = [
    b"", b"?", b"'", b'"', b"{", b"}", b"[", b"]", b",", b"%", b"\\", b"\x00", b"\xff", b"\r", b"\n", b"\t",
    b":", b"-1", b"1e400", b"nan", b"inf", b"-0", b"99999999999999999999", b"0x_", b"2001-99-99", b"&a",
    b"*a", b"<<:", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"@data", b"@attribute", b"@end", b"relational", b"date",
    b"string", b"{}", b"{0 1}", b"{1 a, 0 b}", b"'yyyy-MM'", b"null", b"true", b"[" * 200, b"((((a*)*)*)*)",
]  # fmt: skip

Values = Callable[[Any], None]


def mutated(content: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """Return a text after one to four small changes."""
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        content = rng.choice(_TEXT_CHANGES)(content, others, rng)
    return content[:200_000]


def _cut(content: bytes, rng: random.Random) -> tuple[int, int]:
    start = rng.randrange(len(content) + 1)
    return start, min(len(content), start + rng.choice([0, 1, 1, 2, 5, 20, 200]))


def _replace(content: bytes, others: list[bytes], rng: random.Random) -> bytes:
    start, stop = _cut(content, rng)
    return content[:start] + rng.choice(ODD_WORDS) + content[stop:]


def _repeat(content: bytes, others: list[bytes], rng: random.Random) -> bytes:
    start, stop = _cut(content, rng)
    return content[:stop] + content[start:stop] * rng.choice([1, 2, 50]) + content[stop:]


def _flip(content: bytes, others: list[bytes], rng: random.Random) -> bytes:
    if not content:
        return content
    at = rng.randrange(len(content))
    return content[:at] + bytes([rng.randrange(256)]) + content[at + 1 :]


def _cut_off(content: bytes, others: list[bytes], rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _splice(content: bytes, others: list[bytes], rng: random.Random) -> bytes:
    other = rng.choice(others)
    return content[: rng.randrange(len(content) + 1)] + other[rng.randrange(len(other) + 1) :]


def _word(content: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """Replace a whole word, or number."""
    words = list(re.finditer(rb"[\w.+-]+", content))
    if not words:
        return content
    word = rng.choice(words)
    return content[: word.start()] + rng.choice(ODD_WORDS) + content[word.end() :]


def _lines(content: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """Drop, double or swap lines."""
    lines = content.split(b"\n")
    one, two = rng.randrange(len(lines)), rng.randrange(len(lines))
    change = rng.randrange(3)
    if change == 0:
        del lines[one]
    elif change == 1:
        lines.insert(two, lines[one])
    else:
        lines[one], lines[two] = lines[two], lines[one]
    return b"\n".join(lines)


_TEXT_CHANGES = [_replace, _repeat, _flip, _cut_off, _splice, _word, _word, _lines]


def with_odd_values(value: Any, rng: random.Random) -> Any:
    """Return parsed JSON or YAML with one to three values changed, dropped or doubled."""
    value = copy.deepcopy(value)
    for _ in range(rng.choice([1, 1, 2, 3])):
        places = list(_places(value))
        if not places:
            return rng.choice(ODD_VALUES)
        holder, key = rng.choice(places)
        change = rng.randrange(6)
        if change == 0:
            del holder[key]
        elif change == 1 and isinstance(holder, dict):
            holder[rng.choice(["x", "", "kind", "schema", "extra"])] = holder[key]
        elif change == 2:
            holder[key] = copy.deepcopy(rng.choice(places)[0])
        else:
            holder[key] = copy.deepcopy(rng.choice(ODD_VALUES))
    return value


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return every place inside a value as (what holds it, its key), a long list's first three."""
    found: list[tuple[Any, Any]] = []
    keys = (
        list(value)
        if isinstance(value, dict)
        else range(min(3, len(value)))
        if isinstance(value, list)
        else ()
    )
    for key in keys:
        found += [(value, key), *_places(value[key])]
    return found


def odd_json_lines(content: bytes, others: list[bytes], rng: random.Random) -> bytes:
    lines = content.splitlines()
    at = rng.randrange(len(lines))
    lines[at] = json.dumps(with_odd_values(json.loads(lines[at]), rng)).encode()
    return b"\n".join(lines) + b"\n"


def odd_json(content: bytes, others: list[bytes], rng: random.Random) -> bytes:
    return json.dumps(with_odd_values(json.loads(content), rng)).encode()


def odd_yaml(content: bytes, others: list[bytes], rng: random.Random) -> bytes:
    value = with_odd_values(yaml.safe_load(content), rng)
    return yaml.safe_dump(value, allow_unicode=False).encode("utf-8", "surrogatepass")
