"""A pytest plugin: the CPU seconds of tests, and of the processes that they start, by folder.

`pytest -p cpu_times` prints the table of tests/README.md, and the tests that take longest.
"""

from __future__ import annotations

import os
from collections import defaultdict

import pytest

_SLOWEST = 30
_BEGUN = pytest.StashKey[os.times_result]()
_seconds: dict[str, tuple[float, float]] = {}


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_setup(item):
    item.stash[_BEGUN] = os.times()
    yield


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_teardown(item):
    yield
    begun, now = item.stash[_BEGUN], os.times()
    own = now.user + now.system - begun.user - begun.system
    started = now.children_user + now.children_system - begun.children_user - begun.children_system
    item.user_properties.append(("cpu_seconds", (own, started)))


def pytest_runtest_logreport(report):
    if report.when == "teardown":
        _seconds.update(
            (report.nodeid, times) for name, times in report.user_properties if name == "cpu_seconds"
        )


def pytest_terminal_summary(terminalreporter):
    folders = defaultdict(lambda: [0.0, 0.0])
    for name, times in _seconds.items():
        for sums in (folders[name.partition("::")[0].rpartition("/")[0]], folders["all"]):
            sums[0] += times[0]
            sums[1] += times[1]
    terminalreporter.section("CPU seconds, own + of started processes")
    for folder, (own, started) in sorted(folders.items(), key=lambda item: -sum(item[1])):
        terminalreporter.line(f"{own:7.1f} + {started:6.1f}  {folder}")
    for name, (own, started) in sorted(_seconds.items(), key=lambda item: -sum(item[1]))[:_SLOWEST]:
        terminalreporter.line(f"{own:7.1f} + {started:6.1f}  {name}")
