"""What a column is never depends on the way it is read: format, size of blocks, in one file or in several."""

import csv
import gzip
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gatree.base.errors import DataError
from gatree.data import csv_file
from gatree.data.dataset import Dataset, Table
from gatree.data.load import load_data, read

NUMBERS = ["1", "-2.5", "3e2", "", "1234.5", ".5"]
MONEY = ["$1,234.50", "-$3", "($4)", "$1,000,000", "N/A", "-"]
EURO = ["1.234,50 €", "3,5 €", "-12,00 €", "1.000.000 €"]
SHARES = ["62.0%", "5 %", "-3%", "n/a"]
DAYS = ["2024-02-29", "2023-12-31", "", "None"]
DAY_FIRST = ["31/12/2024", "01/02/2024", "7/8/2023"]
NAMED = ["3 Mar 2024", "12 October 2017", "NULL"]
STAMPS = ["2024-03-03T10:00:00Z", "2024-03-03T10:00:00.250Z", "2023-01-01T00:00:00+02:00"]
WORDS = ["red", "green", "None", "-", "1"]
LATE = ["red", "$5", "31.12.2024", "", "-", "1,5", "(3)"]


@st.composite
def tables(draw) -> list[list[str]]:
    """Some columns of texts, with a class; the last row of a column may be of another kind."""
    n_rows = draw(st.integers(2, 12))
    columns = []
    for _ in range(draw(st.integers(1, 4))):
        pool = draw(st.sampled_from([NUMBERS, MONEY, EURO, SHARES, DAYS, DAY_FIRST, NAMED, STAMPS, WORDS]))
        column = draw(st.lists(st.sampled_from(pool), min_size=n_rows, max_size=n_rows))
        if draw(st.booleans()):
            column[-1] = draw(st.sampled_from(LATE))
        columns.append(column)
    return [*columns, (["yes", "no"] * n_rows)[:n_rows]]


def described(table: Table) -> list[tuple[object, ...]]:
    return [
        (each.name, each.kind, each.values, each.date_format, each.reading, column.tolist())
        for each, column in zip(table.attributes, table.columns, strict=True)
    ]


def same(one: list[tuple[object, ...]], other: list[tuple[object, ...]]) -> None:
    assert [part[:-1] for part in one] == [part[:-1] for part in other]
    for (*_, left), (*_, right) in zip(one, other, strict=True):
        np.testing.assert_array_equal(left, right)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(columns=tables(), n_letters_at_a_time=st.integers(1, 150))
def test_formats_and_blocks_agree(columns, n_letters_at_a_time, tmp_path, monkeypatch):
    names = [f"c{at}" for at in range(len(columns))]
    with (tmp_path / "t.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([names, *zip(*columns, strict=True)])
    whole = read(tmp_path / "t.csv")
    expected = described(whole)

    (tmp_path / "t.csv.gz").write_bytes(gzip.compress((tmp_path / "t.csv").read_bytes()))
    (tmp_path / "u.csv").write_bytes((tmp_path / "t.csv").read_text(encoding="utf-8").encode("utf-16"))
    monkeypatch.setattr(csv_file, "_LETTERS_AT_A_TIME", n_letters_at_a_time)
    for file in ("t.csv", "t.csv.gz", "u.csv"):
        same(described(read(tmp_path / file)), expected)

    frame = pd.DataFrame(dict(zip(names, columns, strict=True)))
    made = Dataset.from_frame(frame)
    assert [(each.name, each.kind, each.values) for each in made.attributes] == [
        part[:3] for part in expected[:-1]
    ]
    for left, part in zip(made.columns, expected, strict=False):
        np.testing.assert_array_equal(left, part[-1])

    half = len(columns[0]) // 2
    for name, rows in (("1", slice(0, half)), ("2", slice(half, None))):
        with (tmp_path / f"part{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([names, *zip(*(column[rows] for column in columns), strict=True)])
    same(described(read(tmp_path / "part?.csv")), expected)


def test_parquet_and_excel_agree_with_csv(tmp_path):
    pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    openpyxl = pytest.importorskip("openpyxl", reason="the extra excel is not installed")
    columns = {"money": MONEY, "days": [*DAYS, "2020-01-01", "2020-01-02"], "words": [*WORDS, "blue"]}
    columns["class"] = ["x", "y"] * 3
    frame = pd.DataFrame(columns)
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    book = openpyxl.Workbook()
    for row in [list(columns), *zip(*columns.values(), strict=True)]:
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    expected = described(read(tmp_path / "t.csv"))
    same(described(read(tmp_path / "t.parquet")), expected)
    same(described(read(tmp_path / "t.xlsx")), expected)


def many_rows(n=9001, seed=0):
    """More rows than a block has, cells missing here and there, a column that turns out to be text late."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "few": rng.integers(1, 6, n),
            "number": rng.normal(size=n).round(1),
            "colour": rng.choice(["red", " green", "blue"], n),
            "late": np.where(np.arange(n) > 8000, "old", rng.integers(0, 9, n).astype(str)),
            "class": rng.integers(8, 12, n),
        }
    )
    for column in frame:
        frame[column] = frame[column].astype(object).mask(rng.random(n) < 0.03, "?")
    return frame


def test_several_csv_files_read_as_one(tmp_path):
    """Whatever separates the values of a file, however it is packed, and in any order of the columns."""
    frame = many_rows()
    frame.to_csv(tmp_path / "all.csv", index=False)
    frame[:100].to_csv(tmp_path / "0.tsv", index=False, sep="\t")
    frame[100:5000].to_csv(tmp_path / "1.csv.gz", index=False)
    with (tmp_path / "2.csv").open("w") as file:
        file.write("sep=;\n")
        frame[5000:][frame.columns[::-1]].to_csv(file, index=False, sep=";")
    several = read(tmp_path / "[012].*")
    same(described(several), described(read(tmp_path / "all.csv")))
    assert several.name == f"{tmp_path.name} (3 files)"


def test_a_folder_of_parquet_files_reads_as_a_frame(tmp_path):
    """Decimals are numbers, even if a whole batch has none."""
    pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    rng = np.random.default_rng(1)
    n = 70_000  # more than a batch
    prices = np.array([None] * n, dtype=object)
    prices[-3:] = [Decimal("0.10"), Decimal("10.25"), Decimal("9.00")]
    frame = pd.DataFrame(
        {
            "number": rng.integers(0, 900, n) / 8,
            "flag": rng.random(n) < 0.5,
            "text": pd.Series(rng.choice(["b", "a", "c"], n)).mask(rng.random(n) < 0.1),
            "when": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 50, n), unit="D"),
            "price": prices,
            "class": [Decimal("2.50"), Decimal("1.00")] * (n // 2),
        }
    )
    frame.loc[::11, "number"] = np.nan
    for number, part in enumerate((frame[:500], frame[500:])):
        part.to_parquet(tmp_path / f"{number}.parquet")
    expected = Dataset.from_frame(frame)
    assert expected.attributes[4].kind == "numeric"
    assert expected.class_values == ("1", "2.5")
    assert read(tmp_path).dataset() == read(tmp_path / "*.parquet").dataset() == expected


@pytest.mark.parametrize(
    ("indexed", "columns"),
    [
        (lambda frame: frame, ["a", "b", "class"]),
        (lambda frame: frame.rename_axis("a"), ["a", "b", "class"]),  # the name of a column
        (lambda frame: frame.rename_axis("__null_dask_index__"), ["a", "b", "class"]),
        (lambda frame: frame.set_index("a"), ["a", "b", "class"]),
        (lambda frame: frame.set_index(["b", "a"]), ["b", "a", "class"]),
    ],
    ids=["no name", "of a column", "of Dask", "named", "two"],
)
def test_an_index_with_a_name_of_its_own_is_the_first_column_of_parquet(tmp_path, indexed, columns):
    pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    frame = pd.DataFrame({"a": [1, 2, 3, 4] * 5, "b": [0.5, 1.5] * 10, "class": ["x", "y"] * 10})
    frame, path = frame.sample(frac=1, random_state=1), tmp_path / "a.parquet"
    indexed(frame).to_parquet(path)
    assert load_data(path) == Dataset.from_frame(frame[columns], name="a")


# ------------------------------------------------------------------------------------------------ bad input


def written(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text)
    return [str(folder / f"{name}.csv") for name in files]


@pytest.mark.parametrize(
    ("second", "complaint"),
    [
        ("", "b.csv: the file is empty"),
        ("x,y,class\n", "b.csv: a header but no rows"),
        ("x,class\n1,yes\n", "b.csv: has no column 'y', but .*a.csv has"),
        ("x,y,class,z\n1,2,yes,3\n", "b.csv: has a column 'z', but .*a.csv has none"),
        ("x,y,kind\n1,2,yes\n", "b.csv: has no column 'class', but .*a.csv has"),
        ("x,y,class\n1,2\n", "b.csv, line 2: 3 columns, but this row has 2"),
    ],
)
def test_a_file_that_does_not_fit_is_named(tmp_path, second, complaint):
    written(tmp_path, a="x,y,class\n1,2,yes\n3,4,no\n", b=second)
    with pytest.raises(DataError, match=complaint):
        read(tmp_path / "*.csv")


def test_a_column_is_text_if_it_is_in_any_file(tmp_path):
    written(tmp_path, a="x,y,class\n1,2,yes\n3,4,no\n", b="x,y,class\n1,red,yes\n")
    assert read(tmp_path / "*.csv").attributes[1].values == ("2", "4", "red")


def test_a_column_without_any_value_fits_all(tmp_path):
    written(tmp_path, a="x,y,class\n?,2,yes\n?,4,no\n", b="x,y,class\nred,?,yes\n")
    table = read(tmp_path / "*.csv")
    assert [attribute.kind for attribute in table.attributes] == ["nominal", "numeric", "nominal"]
    assert table.columns[0].tolist() == [-1, -1, 0]
    np.testing.assert_array_equal(table.columns[1], [2, 4, np.nan])


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_the_type_of_a_column_is_that_of_its_values_in_any_file(order, tmp_path):
    pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    days, moments = pd.to_datetime(["2024-01-01"] * 2), pd.to_datetime(["2024-01-01 10:00"] * 2)
    classes, nothing = ["p", "q"], [np.nan] * 2
    for name, x, y, when in (("a", ["red", "blue"], [1.5, 2], days), ("b", nothing, [None] * 2, moments)):
        frame = pd.DataFrame({"x": x, "y": y, "when": when, "class": classes})
        frame.to_parquet(tmp_path / f"{order.index(name)}.parquet")
    table = read(tmp_path)
    assert table.attributes[0].values == ("red", "blue")
    assert table.attributes[2].date_format == "yyyy-MM-dd'T'HH:mm:ss.SSS"
    assert sorted(table.columns[0].tolist()) == [-1, -1, 0, 1]
    assert np.nansum(table.columns[1]) == 3.5


def test_declared_values_of_several_files_are_joined(tmp_path):
    for name, values, rows in (("a", "{p,q}", "p,1\nq,2\n"), ("b", "{q,r}", "q,3\nr,?\n")):
        head = f"@relation r\n@attribute k {values}\n@attribute n numeric\n@data\n"
        (tmp_path / f"{name}.arff").write_text(head + rows)
    table = read(tmp_path / "*.arff")
    assert table.attributes[0].values == ("p", "q", "r")
    assert table.columns[0].tolist() == [0, 1, 1, 2]


def test_numbers_in_one_file_and_categories_in_another_are_named(tmp_path):
    pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    for name, cells in (("a", [1.5, 2.0]), ("b", ["red", "blue"])):
        pd.DataFrame({"x": cells, "class": ["p", "q"]}).to_parquet(tmp_path / f"{name}.parquet")
    message = r"b\.parquet: column 'x' holds text, but in .*a\.parquet it holds numbers"
    with pytest.raises(DataError, match=message):
        read(tmp_path)


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("missing.parquet", "missing.parquet: no such file"),
        ("missing.csv", "missing.csv: no such file"),
        ("missing.arff", "missing.arff: no such file"),
        ("no.parquet", "no.parquet: cannot be read as Parquet"),
        ("*.doc", r"\*\.doc: no file has such a name"),
        ("*.txt", r"a\.txt, line 1: an ARFF file starts with @relation"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, name, complaint):
    (tmp_path / "no.parquet").write_text("no")
    (tmp_path / "a.txt").write_text("no")
    with pytest.raises(DataError, match=complaint):
        load_data(tmp_path / name)
