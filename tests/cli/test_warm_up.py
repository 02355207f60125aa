"""On a cold cache commands say what they wait for, and `gatree warm-up` does the waiting ahead."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from functools import partial
from itertools import chain
from pathlib import Path

import numba
import numpy as np
import pytest
from click.testing import CliRunner
from evolution.local_worker import LocalWorker
from warm_up_steps import note

from bench.concepts import random_tree_concept
from gatree import load_dataset
from gatree.cli import warm_up
from gatree.cli.main import cli
from gatree.cli.warm_up import Step, compiled, data_by_codes, kernels_to_compile
from gatree.data.pieces import survey
from gatree.evolution.evaluators.bitset import (
    BitsetEvaluator,
    count_branches,
    settle_children,
    trace_children,
)
from gatree.evolution.evaluators.branches import reserve
from gatree.evolution.evaluators.masks import make_pending
from gatree.evolution.evaluators.old_and_new import InheritEvaluator
from gatree.evolution.evaluators.shards.workers import ShardWorkers, slices
from gatree.evolution.evolve import Evolution
from gatree.evolution.problem import Problem
from gatree.front.fit import fit_front
from gatree.front.kinds import for_kind
from gatree.front.prepare import Demands
from gatree.front.search import refit, search
from gatree.front.settings import FRONT_PRESETS, REGRESSION_PRESETS
from gatree.front.trial import try_out
from gatree.j48 import J48Settings, fit
from gatree.j48.build import build, prune_by_held_out
from gatree.kernels import events
from gatree.kernels.events import on_compilation, seconds_compiling, waiting_for
from gatree.paper.figures import figure_5_data
from gatree.settings.presets import settings_of
from gatree.settings.registry import EVALUATORS
from gatree.weka.folds import group_by_class

TREE = (
    '{"format": "gatree-tree", "version": 1, "class": {"name": "type", "values": ["mammal", "bird"]}, '
    '"attributes": [{"name": "legs", "kind": "numeric"}], "nodes": [{"class": "mammal"}]}'
)


FRONT_KERNELS = [
    for_kind(kernel, are_classes) for kernel in (search, try_out, refit) for are_classes in (True, False)
]
J48_KERNELS = (build, group_by_class, prune_by_held_out)
KERNELS = (
    BitsetEvaluator.loop,
    trace_children,
    reserve,
    make_pending,
    count_branches,
    settle_children,
)


def gatree(cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gatree", *arguments],
        env={**os.environ, "GATREE_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=True,
    )


def steps() -> list[Step]:
    return list(chain(*kernels_to_compile()))


def test_a_command_says_once_what_it_waits_for_also_when_piped(tmp_path):
    """`gatree predict` compiles least."""
    (tmp_path / "tree.json").write_text(TREE)
    first, second = (gatree(tmp_path, "predict", str(tmp_path / "tree.json"), "zoo") for _ in range(2))
    waiting = waiting_for("trees")
    assert "compiling predictions: once" in waiting
    assert first.stderr.splitlines().count(waiting) == 1
    assert first.stderr.startswith(waiting)
    assert "compiling" not in second.stderr
    assert first.stdout == second.stdout


def test_a_compilation_is_reported_once_per_part_with_what_it_is_for(monkeypatch):
    monkeypatch.setattr(events, "_reported", set())
    heard: list[str] = []
    on_compilation(heard.append)
    before = seconds_compiling()
    for module in ("gatree.j48.a", "gatree.j48.b", "gatree.front.c", "gatree.trees.d", "elsewhere"):

        def kernel(x: int) -> int:
            return x + 1

        kernel.__module__ = module
        numba.njit(kernel)(3)  # which is not kept on the disk
    assert heard == [waiting_for("j48"), waiting_for("front"), waiting_for("trees")]
    assert "J48" in heard[0]
    assert seconds_compiling() > before


def test_a_warm_up_compiles_for_all_evaluators_and_types():
    names = [step.name for step in steps()]
    both = {
        f"{name}{of}" for name in ("optimum", "fronts", "trials", "large data") for of in ("", " of numbers")
    }
    others = {"J48", *both, "predictions", "Section 3.2", "folds of large data"}
    assert {name.partition(",")[0] for name in names} == {*EVALUATORS, *others}
    kinds = data_by_codes()
    assert {name.rpartition(", ")[2] for name in names if "codes" in name} == set(kinds)
    sizes = {kind: Problem.of(data).instances.codes.dtype.itemsize for kind, data in kinds.items()}
    assert sizes == {"codes of a byte": 1, "codes of two": 2, "codes of four": 4}


def test_what_is_fitted_and_drawn_finds_its_kernels_compiled(monkeypatch):
    for step in steps():
        if step.name.startswith(("trials", "large data", "fronts", "J48", "optimum", "pred", "Section 3.2")):
            step.compile()
    kernels = [*FRONT_KERNELS, *J48_KERNELS, InheritEvaluator.kernel]
    compiled = [len(kernel.signatures) for kernel in kernels]
    monkeypatch.setattr("gatree.front.rows._MANY_ROWS", 100)
    monkeypatch.setattr("gatree.front.rows._MOST_ROWS", 50)
    costs = np.array([[3, 0], [0, 1]])
    for name, demands in (("vote", Demands(gain=costs)), ("glass", None)):
        fit_front(load_dataset(name), FRONT_PRESETS["fast"], demands=demands)
        for pruning in ("confidence", "reduced-error"):
            fit(load_dataset(name), J48Settings(pruning=pruning))
    glass = load_dataset("glass")
    fit_front(glass, REGRESSION_PRESETS["fast"], target=glass.columns[0])
    figure_5_data()
    assert [len(kernel.signatures) for kernel in kernels] == compiled


def test_large_data_and_shards_find_their_kernels_compiled():
    """One thread, two threads, shards: what a warm-up has compiled is not compiled again."""
    for step in steps():
        if step.name == "bitset, in threads and shards, codes of a byte":
            step.compile()
    problem = Problem.of(random_tree_concept(10**5, 3, n_classes=3), "observed", 255)
    compiled = {kernel: len(kernel.signatures) for kernel in KERNELS}
    for n_jobs, workers in (
        (1, None),
        (2, None),
        (1, ShardWorkers(slices(problem.instances, 2), LocalWorker)),
    ):
        chosen = settings_of("default", {"population_size": 40, "n_generations": 5, "n_jobs": n_jobs})
        Evolution(problem, chosen, workers=workers).advance(5)
    assert all(compiled.values())
    assert {kernel: len(kernel.signatures) for kernel in KERNELS} == compiled


def test_a_family_is_compiled_in_one_process_and_in_its_order(tmp_path):
    families = [[f"{family}{step}" for step in range(2)] for family in "abc"]
    of_steps = [[Step(name, partial(note, tmp_path, name)) for name in family] for family in families]
    done = [step.name for step in compiled(of_steps, n_processes=2)]
    assert sorted(done) == sorted(chain(*families))
    by_process = [file.read_text().split() for file in tmp_path.iterdir()]
    assert str(os.getpid()) not in {file.name for file in tmp_path.iterdir()}
    for family in families:
        assert any(family == names[k : k + 2] for names in by_process for k in range(0, len(names), 2))


def test_the_command_takes_every_step_once(tmp_path, monkeypatch):
    taken = []
    monkeypatch.setattr(warm_up, "CACHE_FOLDER", tmp_path)
    monkeypatch.setattr(warm_up, "compiled", lambda families, _: taken.append(families) or chain(*families))
    first, second = (CliRunner().invoke(cli, ["warm-up"]) for _ in range(2))
    assert (first.exit_code, first.stdout) == (0, "")
    assert [[step.name for step in family] for family in taken[0]] == [
        [step.name for step in family] for family in kernels_to_compile()
    ]
    assert first.stderr.splitlines()[-1].startswith("all kernels are compiled, after ")
    assert len(taken) == 1
    assert second.stderr == "all kernels are compiled\n"
    monkeypatch.setattr(warm_up.gatree, "__file__", str(tmp_path / "a copy" / "__init__.py"))
    assert CliRunner().invoke(cli, ["warm-up"]).exit_code == 0
    assert len(taken) == 2  # compiled code belongs to the path of its source


def test_data_in_pieces_are_of_types_that_are_compiled_ahead(tmp_path):
    load_dataset("zoo").to_frame().to_csv(tmp_path / "zoo.csv", index=False)
    in_pieces = Problem.in_pieces(survey([str(tmp_path / "zoo.csv")], None, "auto"))
    expected = Problem.of(data_by_codes()["codes of a byte"])
    for part in ("instances", "alphabet", "scoring"):
        assert numba.typeof(tuple(getattr(in_pieces, part))) == numba.typeof(tuple(getattr(expected, part)))


AHEAD = """
import numpy as np
from gatree.cli.ahead import Compiling
from gatree.kernels.events import n_compilations, wait_with
from gatree.weka.folds import stratified_folds

ahead = Compiling({"gatree.weka.": "folds of large data"})
wait_with(ahead.wait_for)
"""
USE = """
stratified_folds(np.zeros(20_000, dtype=np.int32), 2, 1)
print(n_compilations())
"""


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_kernels_of_another_process_are_loaded(tmp_path):
    environment = os.environ | {"GATREE_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", AHEAD + USE]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert (done.stdout, done.stderr) == ("0\n", "")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_if_the_other_process_dies_kernels_are_compiled_here_and_it_ends_with_this_one(tmp_path):
    """Its stdin is closed when this one ends, in whatever way: here by SIGKILL."""
    another = """
other = Compiling({"gatree.weka.": "folds of large data"})
print(other.process.pid, flush=True)
input()
"""
    script = AHEAD + "ahead.process.kill()" + USE + another
    with subprocess.Popen(
        [sys.executable, "-c", script],
        env=os.environ | {"GATREE_CACHE_DIR": str(tmp_path)},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as parent:  # fmt: skip
        assert int(parent.stdout.readline()) > 0
        other = int(parent.stdout.readline())
        assert is_alive(other)
        parent.kill()
        parent.wait(timeout=60)
    until = time.monotonic() + 30
    while is_alive(other) and time.monotonic() < until:
        time.sleep(0.05)
    assert not is_alive(other)
