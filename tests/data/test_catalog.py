import re
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from gatree.base.errors import DataError
from gatree.data.arff import read_arff, write_arff
from gatree.data.catalog import catalog, catalog_entry, dataset_names, load_dataset, verify

# instances, nominal attributes, numeric attributes, missing values, instances per class
KNOWN = {
    "balance-scale": (625, 0, 4, 0, [288, 49, 288]),
    "zoo": (101, 16, 1, 0, [41, 20, 5, 13, 4, 8, 10]),
    "credit-a": (690, 9, 6, 67, [307, 383]),
    "lymph": (148, 15, 3, 0, [2, 81, 61, 4]),
    "glass": (214, 9, 0, 0, [70, 76, 17, 0, 13, 9, 29]),
    "soybean": (39, 35, 0, 83, [10, 10, 10, 9] + [0] * 15),
    "vote": (435, 16, 0, 392, [267, 168]),
    "anneal": (898, 38, 0, 0, [8, 99, 684, 0, 67, 40]),
    "crime": (432, 5, 2, 0, [318, 114]),
    "kr-vs-kp": (3196, 36, 0, 0, [1669, 1527]),
    "breast": (286, 9, 0, 9, [201, 85]),
    "multiplexor": (100, 11, 0, 0, [61, 39]),
}
STAND_INS = {"crime", "multiplexor"}


def test_names_are_in_the_papers_order():
    assert dataset_names() == tuple(KNOWN)
    assert tuple(entry.name for entry in catalog()) == tuple(KNOWN)


@pytest.mark.parametrize("name", KNOWN)
def test_every_file_holds_what_is_known_of_it(name):
    n_instances, n_nominal, n_numeric, n_missing, class_counts = KNOWN[name]
    dataset = load_dataset(name)
    kinds = [attribute.is_nominal for attribute in dataset.attributes]
    assert dataset.name == name
    assert dataset.n_instances == n_instances
    assert (kinds.count(True), kinds.count(False)) == (n_nominal, n_numeric)
    assert dataset.n_missing == n_missing
    assert dataset.class_counts.tolist() == class_counts
    assert dataset.class_position == dataset.n_attributes


@pytest.mark.parametrize("entry", catalog(), ids=lambda entry: entry.name)
def test_the_metadata_describe_the_file(entry):
    verify(entry)
    dataset = load_dataset(entry.name)
    assert entry.n_instances == dataset.n_instances
    assert entry.n_attributes == dataset.n_attributes
    assert entry.n_classes == dataset.n_classes
    assert entry.n_missing == dataset.n_missing
    assert entry.origin == ("stand-in" if entry.name in STAND_INS else "paper")
    for text in (entry.title, entry.source, entry.citation, entry.licence):
        assert text.strip()


@pytest.mark.parametrize("entry", catalog(), ids=lambda entry: entry.name)
def test_the_file_opens_with_its_provenance(entry):
    comments = [line for line in entry.file.read_text(encoding="ascii").split("\n") if line.startswith("%")]
    text = " ".join(line.lstrip("% ") for line in comments)
    for fact in (entry.title, entry.source, entry.citation, entry.licence, *entry.transformations):
        assert fact in text


@pytest.mark.parametrize("name", KNOWN)
def test_every_file_survives_being_written(name, tmp_path):
    dataset = load_dataset(name)
    write_arff(dataset, tmp_path / "again.arff")
    assert read_arff(tmp_path / "again.arff") == dataset


def test_a_quoted_question_mark_of_anneal_is_a_value():
    family = load_dataset("anneal").attributes[0]
    assert family.values[0] == "?"
    assert np.count_nonzero(load_dataset("anneal").columns[0] == 0) == 772


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(DataError) as caught:
        load_dataset("votes")
    assert str(caught.value) == (
        "no data set 'votes'; did you mean 'vote'? (there are: balance-scale, zoo, credit-a, lymph, glass, "
        "soybean, vote, anneal, crime, kr-vs-kp, breast, multiplexor)"
    )


def test_a_changed_file_is_noticed(tmp_path):
    changed = tmp_path / "vote.arff"
    changed.write_bytes(catalog_entry("vote").file.read_bytes().replace(b"'n'", b"'y'", 1) + b"\n")
    with pytest.raises(
        DataError, match=r"vote\.arff: the file was changed: its SHA-256 is [0-9a-f]{64}, the"
    ):
        verify(structs.replace(catalog_entry("vote"), file=changed))


def test_a_missing_file_is_noticed(tmp_path):
    entry = structs.replace(catalog_entry("vote"), file=Path(tmp_path / "vote.arff"))
    with pytest.raises(DataError, match=r"vote\.arff: cannot be read \(No such file or directory\)"):
        verify(entry)


@pytest.mark.parametrize("text", ["", "name: vote", "name: [", "- 1", "\x00"])
def test_broken_metadata_are_noticed(text, tmp_path, monkeypatch):
    (tmp_path / "balance-scale.yaml").write_text(text)
    monkeypatch.setattr("gatree.data.catalog.shipped_folder", lambda _: tmp_path)
    with pytest.raises(DataError, match=r"balance-scale\.yaml: not the metadata of a data set"):
        catalog.__wrapped__()


def test_missing_metadata_are_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr("gatree.data.catalog.shipped_folder", lambda _: tmp_path)
    with pytest.raises(DataError, match=r"balance-scale\.yaml: cannot be read \(No such file or directory\)"):
        catalog.__wrapped__()


@pytest.mark.parametrize("entry", catalog(), ids=lambda entry: entry.name)
def test_the_documentation_has_a_section_with_the_reference(entry):
    text = (Path(__file__).parents[2] / "docs" / "datasets.md").read_text(encoding="utf-8")
    section = text.split(f"### {entry.name}\n")[1].split("###")[0]
    reference = re.search(r"https://doi\.org/\S+|Machine Learning 2|Money, Work, and Crime", entry.citation)
    assert reference
    assert reference[0] in section
