"""A real Dask cluster on this machine, and whatever else stands behind the address of a scheduler."""

import os
import re
import signal
import socket
import sys
import threading
from contextlib import contextmanager, nullcontext

import pytest
from clusters import dask, distributed, running_cluster
from laboratory import finish, gatree_here, outcomes, start, wait_for_records, write_config


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
        wait_for_records(journal, 5, process)
        processes[1].kill()
        n_before = journal.read_bytes().count(b"\n")
        code, _, errors = finish(process)
    assert code == 0, errors
    assert n_before < 60, "the worker was killed too late"
    assert outcomes(journal) == reference


@pytest.mark.long
def test_a_worker_that_is_stopped_is_named_and_its_cells_go_to_others(reference, tmp_path):
    journal = tmp_path / "tiny" / "cells.jsonl"
    with running_cluster(tmp_path, n_workers=2) as (address, processes):
        process = start(*command(tmp_path, address))
        wait_for_records(journal, 5, process)
        os.kill(processes[1].pid, signal.SIGSTOP)
        line = read_until(process, "no answer from the worker")
        code, _, errors = finish(process, SOON)
    assert re.search(r"no answer from the worker tcp://\S+ for 3\d s; its cells go to others", line)
    assert code == 0, errors
    assert outcomes(journal) == reference


@pytest.mark.long
def test_a_scheduler_that_is_gone_is_explained_and_what_was_done_is_kept(reference, tmp_path):
    journal = tmp_path / "tiny" / "cells.jsonl"
    options = ("run", "--config", write_config(tmp_path), "--results", tmp_path)
    with running_cluster(tmp_path, n_workers=1) as (address, (scheduler, _)):
        process = start(*options, "--scheduler", address)
        wait_for_records(journal, 5, process)
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
    monkeypatch.setattr("gatree.experiments.dask_pool._CONNECT_SECONDS", 1)
    here = {"processes": False, "protocol": "tcp", "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with distributed.LocalCluster(n_workers=0, **here) as cluster:
        address = cluster.scheduler_address
        code, _, errors = gatree_here(capsys, *command(tmp_path, address))
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


SOON = 60
"""Seconds that are far too few for Dask's own patience and plenty for ours, on a busy machine too."""

MANY = {"name": "many", "kind": "savings", "grid": {"mutation_rate": 0.5, "size": list(range(50, 450))}}
"""More cells than are done before a test gets round to stopping them."""


def read_until(process, words):
    """Read what a process reports until some words are in it; return the line."""
    while words not in (line := process.stderr.readline()):
        assert process.poll() is None, line
    return line


@contextmanager
def listener(greeting):
    """Yield the address of one that takes connections and says so much, then nothing."""
    taken = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def take():
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                taken.append(connection)
                connection.sendall(greeting)

        threading.Thread(target=take, daemon=True).start()
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"
    for connection in taken:
        connection.close()


def command(folder, address, **changes):
    return ("run", "--config", write_config(folder, **changes), "--results", folder, "--scheduler", address)


@pytest.mark.parametrize(
    "greeting",
    [None, b"", b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", b"SSH-2.0-OpenSSH_9.2p1\r\n"],
    ids=["closed port", "silent", "http", "ssh"],
)
def test_one_that_is_no_scheduler_is_explained(tmp_path, greeting, capsys, monkeypatch):
    monkeypatch.setattr("gatree.experiments.dask_pool._CONNECT_SECONDS", 0.5)
    closed_port = nullcontext("tcp://127.0.0.1:9")
    with closed_port if greeting is None else listener(greeting) as address:
        code, output, errors = gatree_here(capsys, *command(tmp_path, address))
    assert (code, output) == (1, "")
    assert f"error: --scheduler {address}: no scheduler answers there" in errors
    assert "Traceback" not in errors
    code, _, errors = gatree_here(capsys, *command(tmp_path, " "))
    assert code == 2
    assert "is empty; give the scheduler's address" in errors


def test_ctrl_c_while_connecting(tmp_path):
    with listener(b"") as address:
        process = start(*command(tmp_path, address))
        read_until(process, "to run")
        process.send_signal(signal.SIGINT)
        code, _, errors = finish(process, SOON)
    assert code == 130
    assert "Traceback" not in errors


@pytest.mark.long
def test_a_scheduler_that_is_stopped_is_explained(tmp_path):
    journal = tmp_path / "tiny" / "cells.jsonl"
    with running_cluster(tmp_path, n_workers=1) as (address, (scheduler, worker)):
        asked = command(tmp_path, address, studies=[MANY])
        process = start(*asked)
        wait_for_records(journal, 3, process)
        os.kill(worker.pid, signal.SIGSTOP)
        os.kill(scheduler.pid, signal.SIGSTOP)
        code, _, errors = finish(process, SOON)
        again = finish(start(*asked), SOON)
    assert code == again[0] == 1
    assert f"error: {address}: the scheduler is gone; what was done is kept" in errors
    assert "no scheduler answers there" in again[2]
    assert "Traceback" not in errors + again[2]
    assert 3 <= len(outcomes(journal)) < 800


@pytest.mark.long
def test_while_all_workers_are_gone_that_is_said_and_new_ones_are_taken(reference, tmp_path):
    journal = tmp_path / "tiny" / "cells.jsonl"
    with running_cluster(tmp_path, n_workers=1) as (address, (_, worker)):
        process = start(*command(tmp_path, address))
        wait_for_records(journal, 3, process)
        worker.kill()
        read_until(process, "all workers are gone; waiting for others")
        other = dask("worker", address, "--no-nanny", "--no-dashboard", "--local-directory", tmp_path)
        try:
            code, _, errors = finish(process)
        finally:
            other.kill()
            other.wait()
    assert code == 0, errors
    assert outcomes(journal) == reference


@pytest.mark.long
@pytest.mark.parametrize(
    ("sent", "words"),
    [(signal.SIGKILL, "all workers are gone"), (signal.SIGSTOP, "no answer from the worker tcp://")],
)
def test_workers_that_are_gone_or_stopped_are_reported_and_ctrl_c_works(tmp_path, sent, words):
    with running_cluster(tmp_path, n_workers=1) as (address, (_, worker)):
        process = start(*command(tmp_path, address, studies=[MANY]))
        wait_for_records(tmp_path / "tiny" / "cells.jsonl", 3, process)
        os.kill(worker.pid, sent)
        read_until(process, f"{address}: {words}")
        process.send_signal(signal.SIGINT)
        code, _, errors = finish(process, SOON)
    assert code == 130
    assert "Traceback" not in errors
