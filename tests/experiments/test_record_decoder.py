"""What is read fast is what `parse_record` reads, and what that refuses is refused."""

import gzip
import json
import random

import pytest
from records import a_record, mutated, seconds

from gatree.experiments.estimate import measured
from gatree.experiments.journal import ARCHIVE, reference_folder
from gatree.experiments.record import SCHEMA, BadRecordError, parse_record
from gatree.experiments.record_decoder import read_for_page, read_numbers, read_timing

J48 = {"cv_correct": 80, "size": 5, "leaves": 3, "train_correct": 90}
J48_SECONDS = {"build": 1.0, "cross_validate": 2.0}


# Fields of an outcome that rows do not show.
NOT_NUMBERS = {"best", "class_weight", "kept_bytes", "history"}


def as_line(record):
    return json.dumps({"schema": SCHEMA, **record}, separators=(",", ":")).encode() + b"\n"


@pytest.fixture(scope="module")
def lines():
    """Some lines of the reference, and one whose grid varies more than the paper's, and has weights."""
    with gzip.open(reference_folder() / ARCHIVE) as file:
        some = [line for number, line in enumerate(file) if number % 150 == 0]
    weights = {"class_weight": {"a": 1, "b": 2}}
    varied = a_record("v", leaf_class="majority", repeat=1, outcome={"total_weight": 120}, **weights)
    return [*some, as_line({**varied, "settings": weights})]


def outcome_of(read, line):
    """What reading a line gives: a record, or None if it is none."""
    try:
        return read(line)
    except BadRecordError:
        return None


def is_part(part, whole):
    """Tell whether a record has nothing that another has not, in the order and of the types of that."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return part.keys() <= whole.keys() and all(is_part(part[name], whole[name]) for name in part)
    return (type(part), part) == (type(whole), whole)


def test_whole_lines_are_read_fast(lines, monkeypatch):
    monkeypatch.setattr("gatree.experiments.record_decoder.parse_record", lambda _: pytest.fail("not needed"))
    for line in lines:
        if json.loads(line)["cell"]["kind"] != "baseline":
            assert read_for_page(line)["cell"] == read_numbers(line)["cell"] == json.loads(line)["cell"]
            assert "best" in read_for_page(line)["outcome"]
            assert "best" not in read_numbers(line)["outcome"]
            assert read_timing(line).keys() == {"schema", "key", "status", "cell", "timing"}


@pytest.mark.parametrize("read", [read_timing, read_numbers, read_for_page])
def test_what_is_read_is_part_of_the_whole_record(lines, read):
    for line in lines:
        assert is_part(read(line), parse_record(line))


def test_what_is_the_same_in_many_lines_is_one_object(lines):
    one, other = read_numbers(lines[-1]), read_for_page(lines[-1])
    assert one["settings"] is other["settings"]
    assert one["data"] is other["data"]


@pytest.mark.parametrize("seed", range(20))
def test_other_values_somewhere_in_a_line(lines, seed):
    chance = random.Random(seed)
    for line in lines:
        changed = mutated(line, chance).encode() + b"\n"
        assert_as_the_whole(changed)


@pytest.mark.parametrize("seed", range(20))
def test_other_bytes_somewhere_in_a_line(lines, seed):
    chance = random.Random(seed)
    for line in lines:
        changed = bytearray(line)
        for _ in range(chance.choice([1, 1, 1, 3])):
            changed[chance.randrange(len(changed))] = chance.choice([*b'0",:.-e{}[]\\ \n\x00', 0xFF, 0xC3])
        assert_as_the_whole(bytes(changed[: chance.choice([len(changed)] * 3 + [len(changed) // 2])]))


def assert_as_the_whole(line):
    """What is looked at is as good or bad as in the whole record."""
    whole, page, row, counted = (
        outcome_of(read, line) for read in (parse_record, read_for_page, read_numbers, read_timing)
    )
    assert (page is None) == (whole is None), line
    for part in (page, row, counted):
        assert whole is None or is_part(part, whole), line
    if row is not None and whole is None:
        assert "best" not in row["outcome"], "only what is not looked at may be wrong"


def test_a_mutation_rate_is_between_0_and_1():
    assert parse_record(as_line(a_record(mutation_rate=1)))["cell"]["mutation_rate"] == 1
    for rate in (-0.001, 1.001):
        with pytest.raises(BadRecordError, match="mutation_rate"):
            parse_record(as_line(a_record(mutation_rate=rate)))


@pytest.mark.parametrize("lists", ["best", "history"])
def test_lists_of_different_lengths_are_refused_by_who_reads_them(lists):
    history = {"accuracy": [0.5, 0.6], "test_accuracy": [0.5, 0.6], "size": [3, 5]}
    best = {"attribute": [0, -1, -1], "value": [0, 1, 0]}
    fold = {"n_train": 80, "n_test": 20, "train_correct": 70, "test_correct": 15, "history": history}
    record = a_record(kind="cross-validation", fold=0, outcome={**fold, "best": best})
    assert read_for_page(as_line(record))["outcome"]["history"] == history
    next(iter(record["outcome"][lists].values())).append(1)
    assert read_numbers(as_line(record))["key"] == "a"
    with pytest.raises(BadRecordError, match=f"outcome.{lists}: has lists of different lengths"):
        read_for_page(as_line(record))


def test_timing_shows_what_counting_needs_as_the_whole_record_does():
    fold = {"n_train": 80, "n_test": 20, "train_correct": 70, "test_correct": 15}
    records = [
        a_record("a"),
        a_record("b", kind="cross-validation", fold=0, outcome=fold, timing={"bitset": seconds(0.5)}),
        a_record("c", "failed"),
        a_record("d", kind="baseline", baseline="j48", outcome=J48, timing=J48_SECONDS),
    ]
    lines = [as_line(record) for record in records]
    whole, timed = list(map(parse_record, lines)), list(map(read_timing, lines))
    assert measured(whole) == measured(timed) == {"a": 3.0, "b": 0.5, "c": None, "d": 3.0}
    for record, seen in zip(whole, timed, strict=True):
        assert {name: seen["cell"][name] for name in ("study", "kind")}.items() <= record["cell"].items()


def test_timing_refuses_what_it_cannot_count():
    for damage in ({"key": ""}, {"schema": 99}, {"timing": {}}, {"timing": {"new": {"wall": [-1]}}}):
        with pytest.raises(BadRecordError):
            read_timing(as_line({**a_record("a"), **damage}))
