"""Data by name or by path, and with another class."""

from __future__ import annotations

import io

import pytest

import gatree
from gatree.base.errors import DataError
from gatree.data.load import load_data

HEAD = "@relation r\n@attribute a {p,q}\n@attribute n real\n@attribute s string\n@attribute b {x}\n"
ARFF = HEAD + "@data\nq,1,hello,x\n"


def test_a_name_of_the_catalog():
    assert load_data("vote") == gatree.load_dataset("vote")
    assert gatree.load_data is load_data


@pytest.mark.parametrize("name", ["file.arff", "FILE.ARFF", "no_suffix"])
def test_an_arff_file(tmp_path, name):
    (tmp_path / name).write_text(ARFF)
    dataset = load_data(tmp_path / name, class_name="a", drop_strings=True)
    assert (dataset.class_attribute.name, dataset.n_attributes) == ("a", 2)


@pytest.mark.parametrize(("text", "name"), [(ARFF, "r"), ("k,a\nyes,1\nno,2\n", "stdin")])
def test_data_from_stdin_are_called_as_they_say_or_stdin(monkeypatch, text, name):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert load_data("-", drop_strings=True).name == name


def test_a_csv_file(tmp_path):
    (tmp_path / "file.csv").write_text("k,a\nyes,1\nno,2\n")
    assert load_data(str(tmp_path / "file.csv"), class_name="k").class_values == ("yes", "no")


def test_another_class_of_a_known_data_set():
    vote = load_data("vote")
    swapped = load_data("vote", class_name="crime")
    assert swapped.class_attribute.name == "crime"
    assert swapped.n_attributes == vote.n_attributes
    assert swapped.with_class("Class") == vote
    with pytest.raises(
        DataError, match=r"no attribute 'crimes'; did you mean 'crime'\? \(there are: handicapped"
    ):
        load_data("vote", class_name="crimes")
    with pytest.raises(DataError, match="the class must be nominal, but 'legs' is numeric"):
        load_data("zoo", class_name="legs")


def test_nothing_of_that_name(tmp_path):
    with pytest.raises(DataError) as caught:
        load_data("vot")
    assert str(caught.value) == (
        "no data set and no file is called 'vot'; did you mean 'vote'? "
        "(`gatree datasets list` shows the data sets; files end in .arff, .arff.gz, "
        ".csv, .csv.gz, .tsv, .tsv.gz, .parquet, .xlsx or .xlsm)"
    )
    with pytest.raises(DataError, match=r"gone\.arff: no such file$"):
        load_data(tmp_path / "gone.arff")
