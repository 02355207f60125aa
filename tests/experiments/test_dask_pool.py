"""A real Dask cluster on this machine: a scheduler and two worker processes."""

import json
import os
import subprocess
import sys
import time

import pytest
from laboratory import finish, gatree_here, outcomes, start, write_config

pytest.importorskip("distributed", reason="the extra gatree[dask] is not installed")


def dask(*arguments):
    environment = {**os.environ, "DASK_DISTRIBUTED__DIAGNOSTICS__NVML": "False"}
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *map(str, arguments)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
    )


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """The scheduler's address, and the processes of two workers."""
    folder = tmp_path_factory.mktemp("cluster")
    file = folder / "scheduler.json"
    processes = [
        dask("scheduler", "--host", "127.0.0.1", "--port", 0, "--no-dashboard", "--scheduler-file", file)
    ]
    try:
        while not file.exists():
            assert processes[0].poll() is None, "the scheduler did not start"
            time.sleep(0.05)
        address = json.loads(file.read_text())["address"]
        options = ("--nthreads", 2, "--no-nanny", "--no-dashboard", "--local-directory", folder)
        processes += [dask("worker", address, *options) for _ in range(2)]
        yield address, processes[1:]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_a_cluster_gives_what_one_process_gives(reference, cluster, tmp_path):
    address, _ = cluster
    process = start("run", "--config", write_config(tmp_path), "--results", tmp_path, "--scheduler", address)
    code, output, errors = finish(process)
    assert code == 0, errors
    assert "60 cells run; 60 in all" in output
    assert outcomes(tmp_path / "tiny" / "cells.jsonl") == reference


def test_a_worker_killed_in_the_middle_changes_nothing(reference, cluster, tmp_path):
    address, workers = cluster
    journal = tmp_path / "tiny" / "cells.jsonl"
    process = start("run", "--config", write_config(tmp_path), "--results", tmp_path, "--scheduler", address)
    while process.poll() is None and not (journal.exists() and journal.read_bytes().count(b"\n") >= 5):
        time.sleep(0.005)
    workers[0].kill()
    n_before = journal.read_bytes().count(b"\n")
    code, _, errors = finish(process)
    assert code == 0, errors
    assert n_before < 60, "the worker was killed too late"
    assert outcomes(journal) == reference


def test_a_cluster_without_workers_is_explained(cluster, tmp_path, capsys):
    address, workers = cluster
    for worker in workers:
        worker.kill()
        worker.wait()
    time.sleep(0.5)
    command = ("run", "--config", write_config(tmp_path), "--results", tmp_path, "--scheduler", address)
    code, _, errors = gatree_here(capsys, *command)
    assert code == 1
    assert f"it has no workers; start some with: dask worker {address}" in errors


def test_dask_is_asked_for_where_it_is_missing(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "gatree.experiments.dask_pool", raising=False)
    command = ("run", "--config", write_config(tmp_path), "--results", tmp_path, "--scheduler", "tcp://x:1")
    code, _, errors = gatree_here(capsys, *command)
    assert code == 1
    assert "--scheduler needs Dask, which is not installed: pip install 'gatree[dask]'" in errors
