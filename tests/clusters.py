"""Real Dask clusters on this machine, for tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")


def dask(*arguments):
    environment = {**os.environ, "DASK_DISTRIBUTED__DIAGNOSTICS__NVML": "False"}
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *map(str, arguments)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
    )


@contextmanager
def running_cluster(folder, n_workers):
    """Yield the scheduler's address, and the processes of the scheduler and of some workers."""
    file = folder / "scheduler.json"
    processes = [
        dask("scheduler", "--host", "127.0.0.1", "--port", 0, "--no-dashboard", "--scheduler-file", file)
    ]
    try:
        while not (file.exists() and file.read_text().endswith("}")):  # it is there before it is written
            assert processes[0].poll() is None, "the scheduler did not start"
            time.sleep(0.05)
        address = json.loads(file.read_text())["address"]
        options = ("--nthreads", 2, "--no-nanny", "--no-dashboard", "--local-directory", folder)
        processes += [dask("worker", address, *options) for _ in range(n_workers)]
        if n_workers:
            with distributed.Client(address, timeout=60, set_as_default=False) as client:
                client.wait_for_workers(n_workers, timeout=120)
        yield address, processes
    finally:
        for process in processes:
            process.kill()
            process.wait()
