"""Data files that are no text: what an Excel or a Parquet file is packed from, changed and packed again."""

from __future__ import annotations

import io
import json
import random
import zipfile
from datetime import date, datetime, time, timedelta
from decimal import Decimal

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq

from fuzz.mutations import ODD_VALUES, mutated

_EXCEL_WORDS = [
    *(
        b"<c",
        b"</c>",
        b"<row>",
        b"</row>",
        b"<v>1</v>",
        b"<v>",
        b"</sheetData>",
        b"<f>",
        b"<is><t>x</t></is>",
    ),
    *(b'r="A1"', b'r="ZZZZ9"', b'r="9999999"', b'r="-1"', b'r=""', b't="s"', b't="d"', b't="n"', b't="b"'),
    *(b't="inlineStr"', b't="e"', b's="999"', b's="-1"', b"&a;", b"&#0;", b"<!DOCTYPE x>", b"<![CDATA["),
    *(b'numFmtId="14"', b'formatCode="[h]:mm"', b'formatCode="0%"', b'date1904="1"', b"1e308", b"1E+400"),
    *(b"-99999999", b'ref="A1:XFD9"', b'r:id="rId9"', b"xl/worksheets/sheet9.xml", b'xml:space="preserve"'),
]


def excel_seeds() -> list[bytes]:
    """Return a workbook of two sheets with cells of all types, and a small one."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["name", "size", "share", "when", "at", "ok", "sum", "kind"])
    for row in range(6):
        moment = datetime(2024, 1, 1 + row, 10, 30)
        cells = [
            f"n {row % 3}",
            row / 4,
            row / 10,
            moment.date(),
            moment,
            row % 2 == 0,
            "=B2*2",
            "xy"[row % 2],
        ]
        sheet.append(cells)
        sheet.cell(row + 2, 3).number_format = "0.0%"
    sheet["A9"], sheet["H9"] = "last", "x"  # below an empty row
    book.create_sheet("other").append(["a", "b"])
    small = openpyxl.Workbook()
    for cells in (["a", "b"], [1, "p"], [2.5, "q"]):
        small.active.append(cells)
    return [_saved(book), _saved(small)]


def _saved(book: openpyxl.Workbook) -> bytes:
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def odd_parts(content: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """Change one or two parts of a zip archive: their bytes, or whether they are there."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {part.filename: archive.read(part) for part in archive.infolist()}
    for _ in range(rng.choice([1, 1, 2])):
        names = sorted(parts, key=lambda name: ("sheet" not in name and "Strings" not in name, name))
        name = rng.choice(names[: rng.choice([2, 4, len(names)])])
        change = rng.randrange(12)
        if change == 0 and len(parts) > 1:
            del parts[name]
        elif change == 1:
            parts[name] = parts[rng.choice(names)]
        elif change < 6:
            parts[name] = _with_word(parts[name], rng)
        else:
            parts[name] = mutated(parts[name], list(parts.values()), rng)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(zipfile.ZipInfo(name), part)
    return file.getvalue()


def _with_word(part: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(part) + 1)
    return part[:start] + rng.choice(_EXCEL_WORDS) + part[start + rng.choice([0, 0, 3, 20]) :]


# --------------------------------------------------------------------------------------------- Parquet

_COLUMNS = {
    "number": pa.array([1.5, None, float("nan"), -2.0, 7.25]),
    "infinite": pa.array([1.0, float("inf"), None, float("-inf"), 0.0]),
    "integer": pa.array([1, 2, None, 4, 2**62]),
    "text": pa.array(["a", None, " a", "", "$5"]),
    "truth": pa.array([True, False, None, True, False]),
    "when": pa.array([datetime(2024, 1, 1), None, datetime(1900, 1, 1), datetime(9999, 1, 1), None]),
    "day": pa.array([date(2024, 1, 1), None, date(1900, 1, 1), date(9999, 12, 31), None]),
    "price": pa.array([Decimal("1.50"), None, Decimal("-2.25"), Decimal("0.00"), None]),
    "category": pa.array(["p", "q", None, "p", "q"]).dictionary_encode(),
    "nothing": pa.nulls(5),
    "lists": pa.array([[1], [], None, [2, 3], [4]]),
    "structs": pa.array([{"a": 1}, None, {"a": 2}, {"a": None}, {"a": 3}]),
    "bytes": pa.array([b"x", None, b"\xff", b"", b"y"]),
    "spans": pa.array([timedelta(seconds=1), None, timedelta(0), timedelta(days=1), None]),
    "times": pa.array([time(1, 2), None, time(0), time(23, 59), None]),
    "class": pa.array(["x", "y", "x", "y", "x"]),
}
_UNUSABLE = ("infinite", "lists", "structs", "bytes", "spans", "times")
_NAMES = ["a", "a", "", "a.b", "__index_level_0__", "class", "é\x00", "x" * 300]


def parquet_seeds() -> list[bytes]:
    """Return a file with columns that can be used, and two of numbers and text."""
    usable = [name for name in _COLUMNS if name not in _UNUSABLE]
    return [_parquet({name: _COLUMNS[name] for name in names}) for names in (usable, ["number", "class"])]


def _parquet(columns: dict[str, pa.Array], metadata: dict[bytes, bytes] | None = None) -> bytes:
    return _written(pa.table(columns).replace_schema_metadata(metadata))


def _written(table: pa.Table) -> bytes:
    file = io.BytesIO()
    pq.write_table(table, file)
    return file.getvalue()


def odd_columns(content: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """Return a file of some columns, of any type, with any names, and with odd notes of pandas."""
    chosen = rng.sample(sorted(_COLUMNS), rng.choice([1, 2, 3, 5]))
    names = [rng.choice(_NAMES) if rng.random() < 0.2 else name for name in chosen]
    rows = rng.choice([0, 1, 5, 5])
    table = pa.Table.from_arrays([_COLUMNS[name].slice(0, rows) for name in chosen], names=names)
    notes = rng.choice(
        [
            None,
            {b"pandas": rng.choice([b"{not json", b"\xff", b"[1]", b'{"index_columns": 5}', b"null", b"{}"])},
            {
                b"pandas": json.dumps(
                    {"index_columns": rng.choice([[None], [{}], names, ODD_VALUES[:9]])}
                ).encode()
            },
        ]
    )
    return _written(table.replace_schema_metadata(notes))


def odd_footer(content: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """Change the metadata at the end of a file, its length and the mark behind it as they were."""
    n_footer = int.from_bytes(content[-8:-4], "little")
    footer = mutated(content[-8 - n_footer : -8], others, rng)
    return content[: -8 - n_footer] + footer + len(footer).to_bytes(4, "little") + content[-4:]
