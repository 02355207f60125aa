"""Exchange with liac-arff, the independent reader."""

from __future__ import annotations

import arff
import pytest
from hypothesis import given
from strategies import datasets

from gatree.base.errors import DataError
from gatree.data.catalog import catalog, load_dataset
from gatree.data.liac import from_liac, read_with_liac, to_liac


@pytest.mark.parametrize("entry", catalog(), ids=lambda entry: entry.name)
def test_both_readers_read_the_shipped_files_alike(entry):
    assert read_with_liac(entry.file) == load_dataset(entry.name)


@given(dataset=datasets(allow_missing_class=True))
def test_there_and_back(dataset):
    document = to_liac(dataset)
    assert from_liac(document, class_name=dataset.class_attribute.name) == dataset


@given(dataset=datasets(min_instances=1))
def test_through_liac_arffs_own_text(dataset):
    document = arff.loads(arff.dumps(to_liac(dataset)))
    assert from_liac(document, class_name=dataset.class_attribute.name) == dataset


def test_errors_name_what_is_wrong(tmp_path):
    document = {"relation": "r", "attributes": [("a", "STRING"), ("b", ["x"])], "data": [["s", "x"]]}
    with pytest.raises(DataError, match="attribute 'a' is a string"):
        from_liac(document)
    with pytest.raises(DataError, match="r: no attribute 'bb'; did you mean 'b'"):
        from_liac(document, class_name="bb")
    broken = tmp_path / "broken.arff"
    broken.write_text("@relation r\n@attribute a {x\n@data\nx\n")
    with pytest.raises(DataError, match="liac-arff cannot read it"):
        read_with_liac(broken)
