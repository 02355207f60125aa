"""A real Dask cluster on this machine: a scheduler and two worker processes."""

import sys
import time

import pytest
from clusters import running_cluster
from laboratory import finish, gatree_here, outcomes, start, write_config

distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")


def wait_for_cells(process, journal, n):
    while process.poll() is None and not (journal.exists() and journal.read_bytes().count(b"\n") >= n):
        time.sleep(0.005)


def test_a_cluster_gives_what_one_process_gives(reference, cluster_address, tmp_path, capsys):
    options = ("--results", tmp_path, "--scheduler", cluster_address)
    code, output, errors = gatree_here(capsys, "run", "--config", write_config(tmp_path), *options)
    assert code == 0, errors
    assert "60 cells run; 60 in all" in output
    assert outcomes(tmp_path / "tiny" / "cells.jsonl") == reference


@pytest.mark.long
def test_a_worker_killed_in_the_middle_changes_nothing(reference, tmp_path):
    journal = tmp_path / "tiny" / "cells.jsonl"
    with running_cluster(tmp_path, n_workers=2) as (address, processes):
        options = ("--results", tmp_path, "--scheduler", address)
        process = start("run", "--config", write_config(tmp_path), *options)
        wait_for_cells(process, journal, 5)
        processes[1].kill()
        n_before = journal.read_bytes().count(b"\n")
        code, _, errors = finish(process)
    assert code == 0, errors
    assert n_before < 60, "the worker was killed too late"
    assert outcomes(journal) == reference


@pytest.mark.long
def test_a_scheduler_that_is_gone_is_explained_and_what_was_done_is_kept(reference, tmp_path):
    journal = tmp_path / "tiny" / "cells.jsonl"
    options = ("run", "--config", write_config(tmp_path), "--results", tmp_path)
    with running_cluster(tmp_path, n_workers=1) as (address, (scheduler, _)):
        process = start(*options, "--scheduler", address)
        wait_for_cells(process, journal, 5)
        scheduler.kill()
        code, _, errors = finish(process)
    assert code == 1
    assert f"error: {address}: the scheduler is gone; what was done is kept: start it and run again" in errors
    assert "Traceback" not in errors
    assert 5 <= len(outcomes(journal)) < 60
    code, _, errors = finish(start(*options))
    assert code == 0, errors
    assert outcomes(journal) == reference


def test_a_cluster_without_workers_is_explained(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("gatree.evolution.evaluators.shards.cluster._CONNECT_SECONDS", 1)
    with running_cluster(tmp_path, n_workers=0) as (address, _):
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
    assert "this needs Dask, which is not installed: pip install '" in errors
    assert "[dask]'" in errors
