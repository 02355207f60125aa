"""Lines of a journal: what is a record, what is none, and that nothing else breaks."""

import gzip
import json
import random

import pytest
from records import a_record, mutated

from gatree.experiments.frame import Results
from gatree.experiments.journal import ARCHIVE, reference_folder
from gatree.experiments.record import SCHEMA, BadRecordError, parse_record


def as_line(record):
    return json.dumps({"schema": SCHEMA, **record}, separators=(",", ":")).encode() + b"\n"


@pytest.fixture(scope="module")
def lines():
    """Some lines of the reference, and one whose grid varies more than the paper's, and has weights."""
    with gzip.open(reference_folder() / ARCHIVE) as file:
        some = [line for number, line in enumerate(file) if number % 1000 == 0]
    weights = {"class_weight": {"a": 1, "b": 2}}
    varied = a_record("v", leaf_class="majority", repeat=1, outcome={"total_weight": 120}, **weights)
    return [*some, as_line({**varied, "settings": weights})]


def test_whole_lines_are_read(lines):
    for line in lines:
        assert parse_record(line) == json.loads(line)


def refused_or_in_the_frame(line):
    """What is a record can be in the frame; what is none says why."""
    try:
        record = parse_record(line)
    except BadRecordError:
        return
    found = Results.of([record])
    assert found.frame["key"].nunique() + len(found.failed) == 1


@pytest.mark.parametrize("seed", range(2))
def test_other_values_somewhere_in_a_line(lines, seed):
    chance = random.Random(seed)
    for line in lines:
        refused_or_in_the_frame(mutated(line, chance).encode() + b"\n")


@pytest.mark.parametrize("seed", range(2))
def test_other_bytes_somewhere_in_a_line(lines, seed):
    chance = random.Random(seed)
    for line in lines:
        changed = bytearray(line)
        for _ in range(chance.choice([1, 1, 1, 3])):
            changed[chance.randrange(len(changed))] = chance.choice([*b'0",:.-e{}[]\\ \n\x00', 0xFF, 0xC3])
        refused_or_in_the_frame(bytes(changed[: chance.choice([len(changed)] * 3 + [len(changed) // 2])]))


def test_a_mutation_rate_is_between_0_and_1():
    assert parse_record(as_line(a_record(mutation_rate=1)))["cell"]["mutation_rate"] == 1
    for rate in (-0.001, 1.001):
        with pytest.raises(BadRecordError, match="mutation_rate"):
            parse_record(as_line(a_record(mutation_rate=rate)))


@pytest.mark.parametrize("lists", ["best", "history"])
def test_lists_of_different_lengths_are_refused(lists):
    history = {"accuracy": [0.5, 0.6], "test_accuracy": [0.5, 0.6], "size": [3, 5]}
    best = {"attribute": [0, -1, -1], "value": [0, 1, 0]}
    fold = {"n_train": 80, "n_test": 20, "train_correct": 70, "test_correct": 15, "history": history}
    record = a_record(kind="cross-validation", fold=0, outcome={**fold, "best": best})
    assert parse_record(as_line(record))["outcome"]["history"] == history
    next(iter(record["outcome"][lists].values())).append(1)
    with pytest.raises(BadRecordError, match=f"outcome.{lists}: has lists of different lengths"):
        parse_record(as_line(record))
