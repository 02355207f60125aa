"""On a cold cache commands say what they wait for, and `gatree warm-up` does the waiting ahead."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numba
from click.testing import CliRunner

from gatree import load_dataset
from gatree.cli import compile_ahead
from gatree.cli.compile_ahead import Step, data_by_codes, kernels_to_compile
from gatree.cli.main import cli
from gatree.data.generate import random_tree_concept
from gatree.evolution.evaluators.bits.sweep import count_children, help_out
from gatree.evolution.evaluators.bits.sweeping import SweepingEvaluator
from gatree.evolution.evaluators.shards.here import HostHere
from gatree.evolution.evaluators.shards.sharded import settle_all
from gatree.evolution.evaluators.shards.sources import slices
from gatree.evolution.evaluators.shards.team import Team
from gatree.evolution.evolve import Evolution
from gatree.evolution.problem import Problem
from gatree.j48 import J48Settings, fit
from gatree.j48.build import build
from gatree.j48.held_out import prune_by_held_out
from gatree.kernels.events import WAITING, tell
from gatree.settings.presets import settings_of
from gatree.settings.registry import EVALUATORS

TREE = (
    '{"format": "gatree-tree", "version": 1, "class": {"name": "type", "values": ["mammal", "bird"]}, '
    '"attributes": [{"name": "legs", "kind": "numeric"}], "nodes": [{"class": "mammal"}]}'
)


J48_KERNELS = (build, prune_by_held_out)
KERNELS = (SweepingEvaluator._loop, help_out, count_children, settle_all)


def gatree(cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gatree", *arguments],
        env={**os.environ, "GATREE_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=True,
    )


def test_a_command_says_once_what_it_waits_for_also_when_piped(tmp_path):
    """`gatree predict` compiles least."""
    (tmp_path / "tree.json").write_text(TREE)
    first, second = (gatree(tmp_path, "predict", str(tmp_path / "tree.json"), "zoo") for _ in range(2))
    assert first.stderr.splitlines().count(WAITING) == 1
    assert first.stderr.startswith(WAITING)
    assert WAITING not in second.stderr
    assert first.stdout == second.stdout


def test_only_the_first_compilation_is_told():
    heard: list[str] = []
    tell(heard.append)
    for kind in (int, float):
        numba.njit(lambda x: x + 1)(kind(3))  # which is not kept on the disk
    assert heard == [WAITING]


def test_a_warm_up_compiles_for_all_evaluators_and_types():
    names = [step.name for step in kernels_to_compile()]
    assert {name.partition(",")[0] for name in names} == {*EVALUATORS, "J48", "optimum", "fronts"}
    kinds = data_by_codes()
    assert {name.rpartition(", ")[2] for name in names if "codes" in name} == set(kinds)
    sizes = {kind: Problem.of(data).instances.codes.dtype.itemsize for kind, data in kinds.items()}
    assert sizes == {"codes of a byte": 1, "codes of two": 2, "codes of four": 4}


def test_a_step_of_each_kind_can_be_done():
    """The others take long on a cold cache, and differ in the evaluator only."""
    for step in kernels_to_compile():
        if step.name in {"bitset, codes of a byte", "J48, confidence", "optimum", "fronts"}:
            step.compile()


def test_j48_finds_its_kernels_compiled_with_numbers_and_without():
    for step in kernels_to_compile():
        if step.name.startswith("J48"):
            step.compile()
    compiled = [len(kernel.signatures) for kernel in J48_KERNELS]
    for name in ("vote", "glass"):
        for pruning in ("confidence", "reduced-error"):
            fit(load_dataset(name), J48Settings(pruning=pruning))
    assert [len(kernel.signatures) for kernel in J48_KERNELS] == compiled


def test_large_data_and_shards_find_their_kernels_compiled():
    """One thread, two threads, shards: what a warm-up has done, nobody has to do again."""
    for step in kernels_to_compile():
        if step.name in {"bitset, large data, codes of a byte", "bitset, in shards, codes of a byte"}:
            step.compile()
    problem = Problem.of(random_tree_concept(10**5, 3, n_classes=3), "observed", 255)
    compiled = {kernel: len(kernel.signatures) for kernel in KERNELS}
    for n_jobs, team in ((1, None), (2, None), (1, Team(slices(problem.instances, 2), HostHere))):
        chosen = settings_of("default", {"population_size": 40, "n_generations": 5, "n_jobs": n_jobs})
        Evolution(problem, chosen, team=team).advance(5)
    assert all(compiled.values())
    assert {kernel: len(kernel.signatures) for kernel in KERNELS} == compiled


def test_the_command_takes_every_step(monkeypatch):
    done: list[str] = []
    steps = [Step(name, lambda name=name: done.append(name)) for name in ("one", "two")]
    monkeypatch.setattr(compile_ahead, "kernels_to_compile", lambda: steps)
    result = CliRunner().invoke(cli, ["warm-up"])
    assert result.exit_code == 0
    assert result.stdout == ""
    assert done == ["one", "two"]
    assert result.stderr.splitlines()[-1].startswith("all kernels are there, after ")
