"""On a cold cache commands say that they compile, and `gatree warm-up` compiles ahead."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numba
import numpy as np
import pytest
from click.testing import CliRunner
from small_searches import FAST, FAST_NUMBERS

from bench.concepts import random_tree_concept
from gatree import load_dataset
from gatree.cli.commands import warm_up
from gatree.cli.compilation import PARTS, compile_part, data_by_codes, is_compiled, seconds_to_compile
from gatree.cli.main import cli
from gatree.data.goal import Goal
from gatree.evolution.breed import breed
from gatree.evolution.evaluators.bitset import settle_children
from gatree.evolution.evaluators.partition import evaluate_children
from gatree.evolution.evolve import Evolution
from gatree.evolution.problem import Problem
from gatree.j48 import J48Settings, fit
from gatree.j48.build import build, prune_by_held_out
from gatree.kernels import decorators, events
from gatree.kernels.events import COMPILING, on_compilation, seconds_compiling
from gatree.paper.figures import figure_5_data
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.registry import EVALUATORS
from gatree.smalltree.fit import fit_front
from gatree.smalltree.held_out import evaluate_held_out
from gatree.smalltree.search import refit, search

TREE = (
    '{"format": "gatree-tree", "version": 1, "class": {"name": "type", "values": ["mammal", "bird"]}, '
    '"attributes": [{"name": "legs", "kind": "numeric"}], "nodes": [{"class": "mammal"}]}'
)
KERNELS = [
    *(
        search,
        evaluate_held_out,
        refit,
        build,
        prune_by_held_out,
        breed,
        evaluate_children,
        settle_children,
    ),
]


def gatree(cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gatree", *arguments],
        env={**os.environ, "GATREE_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=True,
    )


def test_a_command_says_once_that_it_compiles_also_when_piped(tmp_path):
    """`gatree predict` compiles least."""
    (tmp_path / "tree.json").write_text(TREE)
    first, second = (gatree(tmp_path, "predict", str(tmp_path / "tree.json"), "zoo") for _ in range(2))
    assert first.stderr.splitlines().count(COMPILING) == 1
    assert first.stderr.startswith(COMPILING)
    assert "compiling" not in second.stderr
    assert first.stdout == second.stdout


def test_compilations_are_reported_once_with_their_time(monkeypatch):
    monkeypatch.setattr(events, "_is_reported", False)
    heard: list[str] = []
    on_compilation(heard.append)
    before = seconds_compiling()
    for module in ("elsewhere", "gatree.j48.a", "gatree.smalltree.b"):

        def kernel(x: int) -> int:
            return x + 1

        kernel.__module__ = module
        assert bool(heard) == (module == "gatree.smalltree.b")
        numba.njit(kernel)(3)  # which is not kept on the disk
    assert heard == [COMPILING]
    assert seconds_compiling() > before


@pytest.mark.parametrize("name", PARTS)
def test_a_part_is_known_to_be_compiled_by_its_kernel(name):
    compile_part(name)
    assert is_compiled(name)


def test_every_evaluator_is_compiled_for_all_types_of_codes():
    assert set(EVALUATORS) - {"old", "new-all-nodes"} <= set(PARTS)  # those have the kernel of `new`
    sizes = {kind: Problem.of(data).instances.codes.dtype.itemsize for kind, data in data_by_codes().items()}
    assert sizes == {"codes of a byte": 1, "codes of two": 2, "codes of four": 4}


def test_what_is_fitted_and_drawn_finds_its_kernels_compiled(monkeypatch):
    for name in PARTS:
        compile_part(name)
    compiled = [len(kernel.signatures) for kernel in KERNELS]
    assert all(compiled)
    monkeypatch.setattr("gatree.smalltree.prepare._MANY_ROWS", 100)
    monkeypatch.setattr("gatree.smalltree.prepare._MOST_ROWS", 50)
    for name, costs in (("vote", np.array([[0.0, 3.0], [1.0, 0.0]])), ("glass", None)):
        fit_front(load_dataset(name), FAST, Goal.of(load_dataset(name), costs=costs))
        for pruning in ("confidence", "reduced-error"):
            fit(load_dataset(name), J48Settings(pruning=pruning))
    glass = load_dataset("glass")
    fit_front(glass.with_numbers(glass.columns[0]), FAST_NUMBERS)
    figure_5_data()
    problem = Problem.of(random_tree_concept(10**5, 3, n_classes=3), "observed", 255)
    Evolution(
        problem, EvolutionSettings.preset("paper", {"population_size": 40, "n_generations": 5})
    ).advance(5)
    assert [len(kernel.signatures) for kernel in KERNELS] == compiled


def test_the_command_compiles_every_part_once(tmp_path, monkeypatch):
    compiled = []
    monkeypatch.setattr(decorators, "CACHE_FOLDER", tmp_path)
    monkeypatch.setattr(warm_up, "_processes", lambda _: processes_that_note(compiled))
    first, second = (CliRunner().invoke(cli, ["warm-up"]) for _ in range(2))
    assert (first.exit_code, first.stdout, compiled) == (0, "", list(PARTS))
    assert first.stderr.splitlines()[-1].startswith("all kernels are compiled, after ")
    assert second.stderr == "all kernels are compiled\n"
    monkeypatch.setattr(warm_up.gatree, "__file__", str(tmp_path / "a copy" / "__init__.py"))
    assert CliRunner().invoke(cli, ["warm-up", "--only", "j48"]).exit_code == 0
    assert compiled == [*PARTS, "j48"]  # compiled code belongs to the path of its source


def processes_that_note(compiled):
    """Stand for a pool of processes, which would compile for minutes."""

    class Processes(warm_up.ProcessPoolExecutor):
        def submit(self, function, name):
            assert function is compile_part
            compiled.append(name)
            return super().submit(int)

    return Processes(1)


def test_a_part_that_does_not_exist_is_refused():
    refused = CliRunner().invoke(cli, ["warm-up", "--only", "j84"])
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert f"--only: should be one of {', '.join(PARTS)}, got 'j84'" in refused.stderr


def test_an_estimate_counts_what_is_not_compiled(tmp_path, monkeypatch):
    identities = [SimpleNamespace(baseline=name) for name in ("j48", "majority", None)]
    cells = [SimpleNamespace(identity=identity, evaluators=("old", "new")) for identity in identities]
    monkeypatch.setattr(decorators, "COMPILED", True)
    monkeypatch.setattr(decorators, "CACHE_FOLDER", tmp_path)
    assert seconds_to_compile(cells) == sum(PARTS[name].seconds for name in ("j48", "new"))
    (tmp_path / "j48").mkdir()
    (tmp_path / "j48" / "build.build-12.py311.1.nbi").touch()
    assert seconds_to_compile(cells) == sum(PARTS[name].seconds for name in ("new",))
    monkeypatch.setattr(decorators, "COMPILED", False)
    assert seconds_to_compile(cells) == 0


AT_ONCE = """
import sys, time
import numpy as np
from gatree.kernels.events import n_compilations
from gatree.weka.folds import _shuffle_many

print("ready", flush=True)
time.sleep(max(0.0, float(input()) - time.time()))
_shuffle_many(np.arange(3), 1)
print(n_compilations() > 0)
"""


def test_a_kernel_is_compiled_by_one_process_and_loaded_by_the_others(tmp_path):
    environment = os.environ | {"GATREE_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
    command = [sys.executable, "-c", AT_ONCE]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": environment}
    processes = [subprocess.Popen(command, **pipes) for _ in range(3)]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    start = time.time() + 0.2
    for process in processes:
        process.stdin.write(f"{start}\n")
        process.stdin.flush()
    found = sorted(process.communicate(timeout=300)[0] for process in processes)
    assert found == ["False\n", "False\n", "True\n"]


AHEAD = """
from gatree.cli import compilation
compilation.n_cores = lambda: 2
print(compilation.compile_ahead("folds-large").pid, flush=True)
"""


def run_ahead(folder: Path, then: str) -> int:
    """Run a script that compiles ahead, with an empty cache; return the number of its other process."""
    command = [sys.executable, "-c", AHEAD + then]
    environment = os.environ | {"GATREE_CACHE_DIR": str(folder), "NUMBA_DISABLE_JIT": "0"}
    return int(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout)


UNTIL_COMPILED = """
import time
until = time.monotonic() + 120
while not compilation.is_compiled("folds-large") and time.monotonic() < until:
    time.sleep(0.1)
assert compilation.is_compiled("folds-large")
"""


def test_another_process_compiles_ahead(tmp_path):
    run_ahead(tmp_path, UNTIL_COMPILED)


@pytest.mark.skipif(sys.platform == "win32", reason="no process is found by its number")
def test_the_other_process_ends_with_this_one(tmp_path):
    other = run_ahead(tmp_path, "")
    with pytest.raises(ProcessLookupError):
        os.kill(other, 0)
