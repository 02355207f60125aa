"""Text that is dates beyond doubt is an ordered column, in CSV files and frames; all other text is not."""

import numpy as np
import pandas as pd
import pytest

from gatree import read_csv
from gatree.data.dataset import Dataset
from gatree.data.date_columns import dates_of
from gatree.data.load import load_unlabelled

DAY = 86_400_000


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("1970-01-02", "yyyy-MM-dd"),
        ("1970/01/02", "yyyy/MM/dd"),
        ("02 Jan 1970", "dd MMM yyyy"),
        ("1970-01-02T00:00:00", "yyyy-MM-dd'T'HH:mm:ss"),
        ("1970-01-02 00:00", "yyyy-MM-dd HH:mm"),
        ("1970-01-02T00:00:00.000Z", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX"),
        ("1970-01-02T02:00:00+02:00", "yyyy-MM-dd'T'HH:mm:ssXXX"),
    ],
)
def test_forms(text, pattern):
    found, milliseconds = dates_of([text])
    assert found == pattern
    assert milliseconds.tolist() == [DAY]


@pytest.mark.parametrize(
    "values",
    [["1970-01-02", "1970-02-30"], ["1970-01-02", "soon"], ["01/02/1970"], ["1970-01"], ["١٩٧٠-01-02"], []],
    ids=["no day", "a word", "which is the month?", "a month", "other digits", "nothing"],
)
def test_all_else_stays_text(values):
    assert dates_of(values) is None


def test_a_csv_file_and_a_frame_agree(tmp_path):
    frame = pd.DataFrame({"day": ["2024-02-29", None, "2023-12-31"], "n": [1, 2, 3], "y": ["a", "b", "a"]})
    frame.to_csv(tmp_path / "d.csv", index=False)
    read, made = read_csv(tmp_path / "d.csv"), Dataset.from_frame(frame)
    whole = load_unlabelled(tmp_path / "d.csv")
    for dataset in (read, made, whole):
        assert dataset.attributes[0].date_format == "yyyy-MM-dd"
        days = dataset.columns[0] / DAY
        assert days[[0, 2]].tolist() == [19782, 19722]
        assert np.isnan(days[1])
    stamps = Dataset.from_frame(frame.assign(day=pd.to_datetime(frame["day"])))
    assert stamps.attributes[0].date_format == "yyyy-MM-dd"


def test_a_class_of_dates_stays_a_class(tmp_path):
    (tmp_path / "d.csv").write_text("a,day\n1,2024-01-01\n2,2024-01-02\n")
    assert read_csv(tmp_path / "d.csv").class_values == ("2024-01-01", "2024-01-02")
