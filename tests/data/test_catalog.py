import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from bench.concepts import multiplexer, random_tree_concept
from gatree.base.errors import DataError
from gatree.data.catalog import catalog, catalog_entry, dataset_names, load_dataset, verify
from gatree.data.generate import chessboard, generated
from gatree.data.load import load_data
from gatree.experiments.sources import known_data

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
    assert dataset_names() == tuple(entry.name for entry in catalog()) == tuple(KNOWN)


@pytest.mark.parametrize("entry", catalog(), ids=lambda entry: entry.name)
def test_every_file_and_its_metadata_hold_what_is_known_of_it(entry):
    verify(entry)
    n_instances, n_nominal, n_numeric, n_missing, class_counts = KNOWN[entry.name]
    dataset = load_dataset(entry.name)
    kinds = [attribute.is_nominal for attribute in dataset.attributes]
    assert dataset.name == entry.name
    assert entry.n_instances == dataset.n_instances == n_instances
    assert (kinds.count(True), kinds.count(False)) == (n_nominal, n_numeric)
    assert entry.n_attributes == dataset.n_attributes == dataset.answer_position
    assert entry.n_missing == dataset.n_missing == n_missing
    assert entry.n_classes == dataset.n_classes
    assert dataset.class_counts.tolist() == class_counts
    assert entry.origin == ("stand-in" if entry.name in STAND_INS else "paper")
    lines = entry.file.read_text(encoding="ascii").split("\n")
    comments = " ".join(line.lstrip("% ") for line in lines if line.startswith("%"))
    for fact in (entry.title, entry.source, entry.citation, entry.licence, *entry.transformations):
        assert fact.strip()
        assert fact in comments


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(DataError) as caught:
        load_dataset("votes")
    assert str(caught.value) == (
        "no data set 'votes'; did you mean 'vote'? (there are: balance-scale, zoo, credit-a, lymph, glass, "
        "soybean, vote, anneal, crime, kr-vs-kp, breast, multiplexor)"
    )


def test_a_changed_or_missing_file_is_noticed(tmp_path):
    changed = tmp_path / "vote.arff"
    changed.write_bytes(catalog_entry("vote").file.read_bytes().replace(b"'n'", b"'y'", 1) + b"\n")
    with pytest.raises(
        DataError, match=r"vote\.arff: the file was changed: its SHA-256 is [0-9a-f]{64}, the"
    ):
        verify(structs.replace(catalog_entry("vote"), file=changed))
    changed.unlink()
    with pytest.raises(DataError, match=r"vote\.arff: cannot be read \(No such file or directory\)"):
        verify(structs.replace(catalog_entry("vote"), file=changed))


@pytest.mark.parametrize("text", ["", "name: vote", "name: [", "- 1", "\x00"])
def test_broken_metadata_are_noticed(text, tmp_path, monkeypatch):
    (tmp_path / "balance-scale.yaml").write_text(text)
    monkeypatch.setattr("gatree.data.catalog.shipped_folder", lambda _: tmp_path)
    with pytest.raises(DataError, match=r"balance-scale\.yaml: not the metadata of a data set"):
        catalog.__wrapped__()
    (tmp_path / "balance-scale.yaml").unlink()
    with pytest.raises(DataError, match=r"balance-scale\.yaml: cannot be read \(No such file or directory\)"):
        catalog.__wrapped__()


def test_the_page_has_a_row_for_every_data_set_and_each_names_what_to_cite():
    text = (Path(__file__).parents[2] / "docs" / "datasets.md").read_text(encoding="utf-8")
    for entry in catalog():
        assert f"| {entry.name} | {entry.n_instances} |" in text
        assert re.search(r"https://doi\.org/\S+|Machine Learning 2|Money, Work, and Crime", entry.citation)


def test_the_source_of_a_generated_data_set_makes_it():
    call = catalog_entry("multiplexor").source.removeprefix("Generated: bench.concepts.")
    made, stored = eval(call, {"multiplexer": multiplexer}), load_dataset("multiplexor")
    assert np.array_equal(made.columns, stored.columns)
    assert np.array_equal(made.classes, stored.classes)


@pytest.mark.parametrize("n_address_bits", [1, 2, 3, 6])
def test_the_class_of_a_multiplexer_is_the_addressed_bit(n_address_bits):
    dataset = multiplexer(n_address_bits, 500, seed=1)
    assert dataset.n_attributes == n_address_bits + 2**n_address_bits
    for row in range(dataset.n_instances):
        bits = [str(column[row]) for column in dataset.columns]
        address = int("".join(bits[:n_address_bits]), base=2)
        assert bits[n_address_bits + address] == str(dataset.classes[row])


@pytest.mark.parametrize(
    "make",
    [
        lambda noise, seed: multiplexer(3, 20_000, noise, seed),
        lambda noise, seed: random_tree_concept(20_000, 8, n_classes=5, noise=noise, seed=seed),
        lambda noise, seed: chessboard(20_000, noise, seed=seed),
    ],
)
def test_the_seed_decides_everything_and_noise_is_the_share_of_other_classes(make):
    clean, noisy = make(0.0, 7), make(0.25, 7)
    assert make(0.25, 7) == noisy != make(0.25, 8)
    assert all(np.array_equal(a, b) for a, b in zip(clean.columns, noisy.columns, strict=True))
    assert np.mean(clean.classes != noisy.classes) == pytest.approx(0.25, abs=0.01)
    assert noisy.classes.max() < noisy.n_classes


def test_fields_of_a_chessboard_alternate():
    dataset = chessboard(1000, seed=3)
    assert np.count_nonzero(dataset.classes != chessboard(1000, noise=0.05, seed=3).classes) == 50
    assert dataset.n_attributes == 8
    for x, y, colour in zip(*dataset.columns[:2], dataset.classes, strict=True):
        fields = ["1010", "0101", "1010", "0101"]
        assert fields[int(x)][int(y)] == str(colour)


def test_generated_data_have_names_that_commands_and_experiments_take():
    assert load_data("chessboard-5") == replace(chessboard(noise=0.05), name="chessboard-5")
    other = load_data("chessboard-10-seed-3")
    assert other.checksum == chessboard(noise=0.1, seed=3).checksum
    assert known_data("chessboard-5", ".") == "chessboard-5"
    for wrong in ("chessboard-", "chessboard-500", "chessboard-5-seed-"):
        assert generated(wrong) is None


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: multiplexer(0, 10), "n_address_bits must be 1 or more, got 0"),
        (lambda: multiplexer(2, 0), "n_instances must be 1 or more, got 0"),
        (lambda: multiplexer(2, 10, noise=1.5), "noise must be between 0 and 1, got 1.5"),
        (lambda: random_tree_concept(10, 2, n_classes=1), "n_classes must be 2 or more, got 1"),
        (lambda: random_tree_concept(10, 2, depth=0), "depth must be 1 or more, got 0"),
        (
            lambda: random_tree_concept(10, 2, n_numeric=3),
            r"n_numeric must be between 0 and n_attributes \(2\), got 3",
        ),
    ],
)
def test_impossible_wishes_are_refused(make, message):
    with pytest.raises(DataError, match=message):
        make()
