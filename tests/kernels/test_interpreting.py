"""Kernels that are not compiled can be interpreted, with the same outcome; compiled ones stay compiled."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from j48_cases import differences, generated_cases, golden_answers, our_answer

from gatree.data.catalog import load_dataset
from gatree.j48.classifier import interpreted_if_small
from gatree.kernels import decorators
from gatree.kernels.interpreting import _interpreting

pytestmark = pytest.mark.skipif(decorators._compiler is None, reason="plain numba compiles always")

INTERPRETED = """
import json, sys
from j48_cases import generated_cases, our_answer
from gatree.kernels import decorators
from gatree.kernels.interpreting import interpreting
from gatree.j48.build import build

with interpreting():
    cases = list(generated_cases())
    answers = {cases[k].name: our_answer(cases[k]) for k in map(int, sys.argv[1:])}
print(json.dumps([len(build.signatures), answers]))
"""
SMALL = (325, 1173)  # of the generated cases, 14 and 40 rows


def answers_in_another_process(**environment: str):
    """How often J48 was compiled or loaded, and what it says."""
    done = subprocess.run(
        [sys.executable, "-c", INTERPRETED, *map(str, SMALL)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), **environment},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_interpreted_j48_says_what_weka_says_and_nothing_is_compiled(tmp_path):
    n_compiled, answers = answers_in_another_process(GATREE_CACHE_DIR=str(tmp_path))
    wekas = golden_answers()
    assert len(answers) == 2
    wrong = {name: differences(ours, wekas[name]) for name, ours in answers.items()}
    assert not any(wrong.values()), wrong
    assert n_compiled == 0
    assert not list(tmp_path.rglob("*.nb?"))


@pytest.mark.long
def test_a_kernel_in_the_cache_is_not_interpreted():
    for number in SMALL:
        our_answer(list(generated_cases())[number])
    n_loaded, _ = answers_in_another_process()
    assert n_loaded > 0


def test_few_trees_on_small_data_without_numbers_are_brief():
    for name, n_trees, is_brief in (("vote", 4, True), ("vote", 5, False), ("zoo", 1, False)):
        with interpreted_if_small(load_dataset(name), n_trees):
            assert _interpreting.get() == is_brief, name
        assert not _interpreting.get()
