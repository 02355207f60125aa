"""What the fuzzer has found stays found, the fuzzer itself works, and short hunts.

`make fuzz SECONDS=600` hunts longer, with bounds checks in all kernels.
"""

from __future__ import annotations

import json
import random
import secrets

import pytest

from fuzz import configurations, exports, fronts, hunt
from fuzz.inputs import KINDS, Kind

FOUND = sorted(path for path in hunt.CASES.iterdir() if path.name != ".gitkeep")


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.name)
def test_what_was_found(path, tmp_path):
    hunt.run(path.name.rpartition("-")[0], path.read_bytes(), tmp_path / "work")


@pytest.mark.parametrize("name", hunt.NAMES)
def test_the_first_inputs_of_a_hunt(name, tmp_path):
    chance = random.Random(1)
    for _ in range(2 if name == "journal" else 4):
        hunt.run(name, hunt.draw(name, chance), tmp_path / "work")


@pytest.mark.long
@pytest.mark.parametrize("name", hunt.NAMES)
def test_a_short_hunt_with_a_new_seed(name, tmp_path):
    seed = secrets.randbits(32)
    counts, failures = hunt.hunt(seed, 2, tmp_path / "work", (name,))
    report = "\n".join(f"{failure.trace}\n{failure.signature}: {failure.content!r}" for failure in failures)
    assert not failures, f"seed {seed}\n{report}"
    assert counts[name] > 0


@pytest.mark.parametrize("name", KINDS)
def test_hunts_start_from_files_most_of_which_are_accepted(name, tmp_path):
    accepted = [
        hunt.run(name, content, tmp_path / "work")
        for content in KINDS[name].corpus()[: 1 if name == "journal" else 9]
    ]
    assert accepted[0]
    assert sum(accepted) >= len(accepted) / 2


def test_a_seed_gives_the_same_inputs_again():
    for name in hunt.NAMES:
        assert hunt.draw(name, random.Random(7)) == hunt.draw(name, random.Random(7))


def test_the_smallest_input_that_fails_is_found(tmp_path, monkeypatch):
    def use(path):
        if b"!" in path.read_bytes():
            raise KeyError("!")

    reported = []
    monkeypatch.setitem(KINDS, "odd", Kind("odd", "odd.txt", lambda: [b"!"], use))
    monkeypatch.setattr(hunt, "warm_up", lambda *_: None)
    hunt.hunt(1, 0.2, tmp_path / "work", ("odd",), found=reported.append)
    assert [failure.signature for failure in reported] == ["KeyError in ?"]
    failure = hunt.failure_of("odd", b"one\ntwo\nthr!ee\n" * 20, tmp_path / "work")
    assert hunt.shrunk(failure, tmp_path / "work").content == b"!"
    assert hunt.keep(failure, tmp_path / "cases").read_bytes() == failure.content


def test_a_wrong_number_is_found_and_its_problem_made_small(tmp_path, monkeypatch):
    """Which twin is wrong does not matter: here it is the naive one."""
    monkeypatch.setattr(fronts, "most_correct", lambda *_, **__: dict.fromkeys(range(1, 9), 0))
    case = {**fronts.draw(random.Random(3)), "worth": None, "n_instances": 50}
    failure = hunt.failure_of("front", json.dumps(case).encode(), tmp_path)
    assert failure.signature.startswith("AssertionError")
    small = json.loads(hunt.shrunk(failure, tmp_path).content)
    assert (small["n_instances"], small["n_attributes"]) == (1, 1)


@pytest.mark.parametrize("wrong", ["MOST_EXPERIMENT_CELLS", "_n_cells"])
def test_a_plan_of_other_cells_is_found(tmp_path, monkeypatch, wrong):
    monkeypatch.setattr(configurations, wrong, 0 if wrong.isupper() else lambda *_: 1)
    case = {**configurations.draw(random.Random(3)), "seeds": 3, "tag": None}
    failure = hunt.failure_of("configuration", json.dumps(case).encode(), tmp_path)
    assert failure is not None
    small = json.loads(hunt.shrunk(failure, tmp_path).content)
    assert len(small["studies"]) == small["n_datasets"] == 1


@pytest.mark.parametrize("program", ["by_python", "by_sqlite", "by_duckdb", "by_onnx"])
def test_a_program_that_predicts_something_else_is_found(tmp_path, monkeypatch, program):
    monkeypatch.setattr(exports, program, lambda *_: ["another class"])
    case = {**exports.draw(random.Random(3)), "class": {"name": "label", "values": ["a", "b"]}}
    failure = hunt.failure_of("export", json.dumps(case).encode(), tmp_path)
    assert failure.signature.startswith("AssertionError")
    small = json.loads(hunt.shrunk(failure, tmp_path).content)
    assert (small["n_rows"], len(small["attributes"]), small["class"]["name"]) == (1, 1, "y")


def test_an_input_that_takes_for_ever_is_a_failure(tmp_path, monkeypatch):
    def use(path):
        while True:
            pass

    monkeypatch.setattr(hunt, "SECONDS_EACH", 0.1)
    monkeypatch.setitem(KINDS, "odd", Kind("odd", "odd.txt", lambda: [b"x"], use))
    assert hunt.failure_of("odd", b"x", tmp_path / "work").signature.startswith("TooSlow")
