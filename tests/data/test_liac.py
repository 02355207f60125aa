"""A second reading, by liac-arff."""

from __future__ import annotations

import pytest

from gatree.base.errors import DataError
from gatree.data.arff import read_with_liac
from gatree.data.catalog import catalog, load_dataset


@pytest.mark.parametrize("entry", catalog(), ids=lambda entry: entry.name)
def test_both_readers_read_the_shipped_files_alike(entry):
    assert read_with_liac(entry.file) == load_dataset(entry.name)


def test_errors_name_what_is_wrong(tmp_path):
    broken = tmp_path / "broken.arff"
    broken.write_text("@relation r\n@attribute a {x\n@data\nx\n")
    with pytest.raises(DataError, match="liac-arff cannot read it"):
        read_with_liac(broken)
