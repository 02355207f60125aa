"""Frames of polars and pyarrow are learnt from and predicted as those of pandas."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import pytest

from gatree import GATreeClassifier
from gatree.data.dataset import Dataset

N = 60
COLUMNS = {
    "text": ["red", "green", None, "blue"] * (N // 4),
    "level": ["low", "high", "mid", "low"] * (N // 4),
    "day": [date(2024, 1 + at % 12, 1) for at in range(N)],
    "truth": [True, False, None] * (N // 3),
    "number": [float(at) for at in range(N)],
}
CLASSES = ["yes" if day.month > 6 else "no" for day in COLUMNS["day"]]


def polars_frame():
    polars = pytest.importorskip("polars", reason="polars is not installed")
    levels = polars.Enum(["low", "mid", "high"])
    return polars.DataFrame(COLUMNS, schema_overrides={"text": polars.Categorical, "level": levels})


def pyarrow_table():
    pyarrow = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    table = pyarrow.table(COLUMNS)
    return table.set_column(1, "level", table["level"].dictionary_encode())


@pytest.mark.parametrize("make", [polars_frame, pyarrow_table])
def test_a_frame_is_learnt_from_and_predicted(make):
    frame = make()
    tree = GATreeClassifier(preset="fast", size=2).fit(frame, CLASSES)
    assert list(tree.feature_names_in_) == list(COLUMNS)
    assert tree.predict(frame).tolist() == CLASSES
    assert tree.predict(pd.DataFrame(COLUMNS)).tolist() == CLASSES


@pytest.mark.parametrize("make", [polars_frame, pyarrow_table])
def test_columns_have_their_types(make):
    frame = make()
    dataset = Dataset.from_frame(frame, "number")
    kinds = [(each.kind, each.date_format) for each in dataset.attributes]
    assert kinds == [("nominal", None), ("nominal", None), ("numeric", "yyyy-MM-dd"), ("nominal", None)]
    order = ("low", "mid", "high") if make is polars_frame else ("low", "high", "mid")
    assert dataset.attributes[1].values == order
    assert dataset.attributes[3].values == ("False", "True")
    assert dataset.columns[0].tolist()[:4] == [0, 1, -1, 2]


def test_text_is_read_at_prediction_as_it_was_learnt():
    frame = pd.DataFrame({"price": [f"${at},500.00" for at in range(1, 41)]})
    classes = np.where(np.arange(40) < 20, "cheap", "dear")
    tree = GATreeClassifier(preset="fast", size=2).fit(frame, classes)
    assert tree.predict(pd.DataFrame({"price": ["$2", "$39,000"]})).tolist() == ["cheap", "dear"]
