"""What a column is never depends on the way it is read: format, size of blocks, whole or in pieces."""

import csv
import gzip
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gatree.base.errors import DataError
from gatree.data import csv_file, quantiles
from gatree.data.arff import write_arff
from gatree.data.catalog import load_dataset
from gatree.data.coding import code
from gatree.data.csv_file import read_csv
from gatree.data.dataset import Dataset, Table
from gatree.data.formats import files_of
from gatree.data.load import load_data, read
from gatree.data.pieces import MAX_THRESHOLDS, encode, stretches, survey
from gatree.data.quantiles import NumberSummary

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

    data = survey([str(tmp_path / "t.csv")])
    surveyed = data.plan.schema.attributes
    assert [(*vars(each).values(),) for each in surveyed] == [
        (*vars(each).values(),) for each in whole.attributes[:-1]
    ]
    [(codes, _)] = [encode(data.plan, part) for part in stretches(data.pieces, 1)]
    assert codes.shape[1] == whole.n_rows


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
    for file in ("t.csv", "t.parquet", "t.xlsx"):
        kinds = [each.kind for each in survey([str(tmp_path / file)]).plan.schema.attributes]
        assert kinds == ["numeric", "numeric", "nominal"]


def test_a_date_is_a_date_in_pieces_even_if_there_are_too_many_to_count(tmp_path, monkeypatch):
    monkeypatch.setattr("gatree.data.columns.MOST_COUNTED", 5)
    days = pd.date_range("2020-01-01", periods=400).strftime("%d/%m/%Y")
    pd.DataFrame({"when": days, "y": ["a", "b"] * 200}).to_csv(tmp_path / "t.csv", index=False)
    data = survey([str(tmp_path / "t.csv")])
    assert data.plan.schema.attributes[0].date_format == "dd/MM/yyyy"
    assert data.notes == ("when: dates (dd/MM/yyyy)",)
    [(codes, _)] = [encode(data.plan, part) for part in stretches(data.pieces, 1)]
    assert len(np.unique(codes[0])) > 200


def whole(dataset: Dataset, numeric_tests="auto"):
    """What a data set that is read as a whole is coded to."""
    coding = code(dataset, numeric_tests, MAX_THRESHOLDS)
    known = dataset.take(np.flatnonzero(dataset.classes >= 0))
    return dataset, coding, coding.encode(known.columns, known.n_instances), known.classes


def assert_reads_as(data, expected, n_parts=1):
    dataset, coding, codes, classes = expected
    schema = data.plan.schema
    assert schema.attributes == dataset.attributes
    assert schema.class_attribute == dataset.class_attribute
    assert schema.class_position == dataset.class_position
    assert schema.class_counts.tolist() == dataset.class_counts.tolist()
    assert [t.tolist() for t in data.plan.coding.thresholds] == [t.tolist() for t in coding.thresholds]
    parts = [encode(data.plan, part) for part in stretches(data.pieces, n_parts)]
    assert np.array_equal(np.concatenate([part[0] for part in parts], axis=1), codes)
    assert np.array_equal(np.concatenate([part[1] for part in parts]), classes)
    assert parts[0][0].dtype == codes.dtype


@pytest.mark.parametrize(("name", "n_parts"), [("anneal", 1), ("credit-a", 3)])
def test_an_arff_file_in_pieces_reads_as_a_whole(tmp_path, name, n_parts):
    write_arff(load_dataset(name), tmp_path / "data.arff")
    data = survey([str(tmp_path / "data.arff")])
    assert_reads_as(data, whole(load_dataset(name)), n_parts)


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


@pytest.mark.parametrize("numeric_tests", ["auto", "observed", "integer"])
def test_csv_files_in_pieces_read_as_one(tmp_path, numeric_tests):
    """Whatever separates the values of a file, and however it is packed."""
    frame = many_rows()
    frame.to_csv(tmp_path / "all.csv", index=False)
    one = survey([str(tmp_path / "all.csv")], numeric_tests=numeric_tests)
    assert_reads_as(one, whole(read_csv(tmp_path / "all.csv"), numeric_tests), n_parts=4)
    frame = frame.drop(columns="late")  # text in one file and numbers in another is another case
    frame.to_csv(tmp_path / "all.csv", index=False)
    frame[:100].to_csv(tmp_path / "0.tsv", index=False, sep="\t")
    frame[100:5000].to_csv(tmp_path / "1.csv.gz", index=False)
    with (tmp_path / "2.csv").open("w") as file:
        file.write("sep=;\n")
        frame[5000:].replace({"number": r"\."}, ",", regex=True).to_csv(file, index=False, sep=";")
    many = survey(files_of(str(tmp_path / "[012].*")), numeric_tests=numeric_tests)
    for n_parts in (1, 5):
        assert_reads_as(many, whole(read_csv(tmp_path / "all.csv"), numeric_tests), n_parts)


def test_parquet_files_in_pieces_read_as_frames(tmp_path):
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
    data = survey(files_of(str(tmp_path / "*.parquet")), numeric_tests="observed")
    assert data.plan.schema.attributes[4].kind == "numeric"
    assert data.plan.schema.class_values == ("1", "2.5")
    assert_reads_as(data, whole(Dataset.from_frame(frame), "observed"), n_parts=3)


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
    expected = Dataset.from_frame(frame[columns], name="a")
    data = survey([str(path)], numeric_tests="observed")
    assert_reads_as(data, whole(expected, "observed"), n_parts=2)
    assert load_data(path) == expected


# ------------------------------------------------------------------------------------------------ numbers


@settings(max_examples=40)
@given(st.lists(st.lists(st.sampled_from([0.0, -0.0, 1.5, 7.0, np.nan, np.inf]), max_size=9), max_size=5))
def test_few_numbers_are_counted_exactly(blocks):
    summary = NumberSummary()
    for block in blocks:
        summary.add(np.array(block, dtype=np.float64))
    finite = [x for block in blocks for x in block if np.isfinite(x)]
    values, counts = np.unique(finite, return_counts=True)
    found, found_counts = summary.distribution()
    assert found.tolist() == values.tolist()
    assert found_counts.tolist() == counts.tolist()


@pytest.mark.parametrize("shape", ["falling", "skewed"])
def test_of_many_numbers_the_ranks_are_nearly_known(monkeypatch, shape):
    monkeypatch.setattr(quantiles, "MOST_EXACT", 64)
    monkeypatch.setattr(quantiles, "LEVEL_SIZE", 512)
    rng, n = np.random.default_rng(0), 200_000
    numbers = -np.arange(n) * 1.0 if shape == "falling" else np.exp(rng.normal(size=n) * 3).round(2)
    parts = []
    for half in np.split(numbers, 2):
        parts.append(NumberSummary())
        for block in np.split(half, 25):
            parts[-1].add(block)
    parts[0].merge(parts[1])
    values, counts = parts[0].distribution()
    assert counts.sum() == n
    assert len(values) < 512 * 10
    ranks, there = np.cumsum(counts), np.searchsorted(np.sort(numbers), values, side="right")
    assert np.abs(ranks - there).max() < 0.01 * n


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
    paths = written(tmp_path, a="x,y,class\n1,2,yes\n3,4,no\n", b=second)
    with pytest.raises(DataError, match=complaint):
        survey(paths)


def test_a_column_is_text_if_it_is_in_any_file(tmp_path):
    data = survey(written(tmp_path, a="x,y,class\n1,2,yes\n3,4,no\n", b="x,y,class\n1,red,yes\n"))
    assert data.plan.schema.attributes[1].values == ("2", "4", "red")


def test_a_column_without_any_value_fits_all(tmp_path):
    paths = written(tmp_path, a="x,y,class\n?,2,yes\n?,4,no\n", b="x,y,class\nred,?,yes\n")
    data = survey(paths)
    assert [attribute.kind for attribute in data.plan.schema.attributes] == ["nominal", "numeric"]
    [(codes, classes)] = [encode(data.plan, part) for part in stretches(data.pieces, 1)]
    assert codes[0].tolist() == [1, 1, 0]  # one value, and the code of a missing one
    assert classes.tolist() == [0, 1, 0]


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_the_type_of_a_column_is_that_of_its_values_in_any_file(order, tmp_path):
    pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    days, moments = pd.to_datetime(["2024-01-01"] * 2), pd.to_datetime(["2024-01-01 10:00"] * 2)
    classes = ["p", "q"]
    for name, x, when in (("a", ["red", "blue"], days), ("b", [np.nan] * 2, moments)):
        frame = pd.DataFrame({"x": x, "when": when, "class": classes})
        frame.to_parquet(tmp_path / f"{name}.parquet")
    data = survey([str(tmp_path / f"{name}.parquet") for name in order])
    assert data.plan.schema.attributes[0].values == ("red", "blue")
    assert data.plan.schema.attributes[1].date_format == "yyyy-MM-dd'T'HH:mm:ss.SSS"
    [(codes, _)] = [encode(data.plan, part) for part in stretches(data.pieces, 1)]
    assert sorted(codes[0].tolist()) == [0, 1, 2, 2]


@pytest.mark.parametrize(
    ("later", "complaint"),
    [
        ("x,class\nteal,yes\nred,no\n", "a.csv: column 'x' has the value 'teal', which is none of those"),
        ("x,class\nred,maybe\nred,no\n", "a.csv: column 'class' has the value 'maybe'"),
        ("x,class\nred,yes\n", "a.csv: the file was changed while it was read"),
    ],
)
def test_a_file_that_has_changed_since_the_survey_is_named(tmp_path, later, complaint):
    paths = written(tmp_path, a="x,class\nred,yes\nblue,no\n")
    data = survey(paths)
    written(tmp_path, a=later)
    with pytest.raises(DataError, match=complaint):
        encode(data.plan, stretches(data.pieces, 1)[0])


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("missing.parquet", "missing.parquet: no such file"),
        ("missing.csv", "missing.csv: no such file"),
        ("missing.arff", "missing.arff: no such file"),
        ("no.parquet", "no.parquet: cannot be read as Parquet"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, name, complaint):
    (tmp_path / "no.parquet").write_text("no")
    with pytest.raises(DataError, match=complaint):
        survey([str(tmp_path / name)])
    with pytest.raises(DataError, match=complaint):
        load_data(tmp_path / name)


def test_a_pattern_without_files_an_unknown_ending_and_no_class_are_named(tmp_path):
    with pytest.raises(DataError, match="a: there is no row with a class"):
        survey(written(tmp_path, a="x,class\n1,?\n"))
    (tmp_path / "a.csv").unlink()
    with pytest.raises(DataError, match=r"\*\.csv: no file has such a name"):
        files_of(str(tmp_path / "*.csv"))
    with pytest.raises(DataError, match=r"no data set and no file is called 'data.doc'"):
        survey(["data.doc"])
