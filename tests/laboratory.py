"""A tiny experiment, and real `gatree` processes to run it."""

import json
import os
import resource
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import pytest
from records import fields_of

from gatree.cli.main import main
from gatree.experiments.cell import run_cell
from gatree.experiments.experiment import Experiment
from gatree.experiments.experiment_file import read_experiment
from gatree.experiments.journal import read_records
from gatree.experiments.record import Done
from gatree.experiments.run import Plan, run_plan

GATREE = [sys.executable, "-c", "from gatree.cli.main import main; main()"]

TINY = {
    "name": "tiny",
    "seed": 5,
    "preset": "paper",
    "datasets": ["zoo", "soybean"],
    "studies": [
        {
            "name": "savings",
            "kind": "savings",
            "repeats": 2,
            "grid": {"mutation_rate": [0.5, 0.01], "x_factor": ["1e4", "1e4..1e5"], "size": [10, 60]},
        },
        {
            "name": "accuracy",
            "kind": "cross-validation",
            "baselines": ["j48", "j48-reduced-error"],
            "grid": {"mutation_rate": [0.5, 0.01], "size": [20, 80]},
        },
    ],
}


def tiny(**changes):
    return Experiment.model_validate({**TINY, **changes})


def tiny_plan(**changes):
    return Plan.of(tiny(**changes))


def write_config(folder, **changes):
    path = Path(folder) / "tiny.yaml"
    path.write_text(json.dumps({**TINY, **changes}))  # JSON is YAML
    return path


def start(*arguments, **options):
    """Start `gatree` in a process group of its own, as a shell does."""
    return subprocess.Popen(
        [*GATREE, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **options,
    )


def finish(process, seconds=300):
    """Wait for a process; return its exit code, its stdout and its stderr."""
    output, errors = process.communicate(timeout=seconds)
    return process.returncode, output, errors


def gatree(*arguments, **options):
    return finish(start(*arguments, **options))


def gatree_here(capsys, *arguments):
    """Run `gatree` in this process, which is faster where nothing is killed."""
    with mock.patch.object(sys, "argv", ["gatree", *map(str, arguments)]), pytest.raises(SystemExit) as end:
        main()
    written = capsys.readouterr()
    return end.value.code or 0, written.out, written.err


def run_alone(config, results):
    """Run an experiment in the owner's process, without workers."""

    def workers(cells, datasets):
        for cell in cells:
            yield run_cell(cell, datasets[cell.checksum])

    run_plan(Plan.of(read_experiment(config)), results, workers)


def outcomes(journal):
    """What was found, without timings and machine: comparable byte for byte. No cell may come twice."""
    done = [fields_of(record) for record in read_records(journal) if isinstance(record, Done)]
    found = {r["key"]: json.dumps([r["cell"], r["outcome"]], sort_keys=True) for r in done}
    assert len(found) == len(done), "a cell was run twice"
    return found


def group_is_gone(process):
    """Tell whether all that a process has started ends within seconds of it."""
    for _ in range(500):
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


@contextmanager
def full_disk(n_bytes):
    """Let no file of this process become larger, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def wait_for_records(journal, n, process):
    """Wait until a journal has this many lines, or the process has ended."""
    while process.poll() is None and not (journal.exists() and journal.read_bytes().count(b"\n") >= n):
        time.sleep(0.005)
