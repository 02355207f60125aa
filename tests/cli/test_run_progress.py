"""The estimate of `gatree run`: by the speed of the last minute, without the start."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from gatree.cli.commands import run
from gatree.experiments import estimate
from gatree.experiments.run import Work


@pytest.fixture
def clock(monkeypatch):
    clock = SimpleNamespace(now=0.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(run, "time", clock)
    monkeypatch.setattr(run, "seconds_to_compile", lambda _: 15.5)
    monkeypatch.setattr(estimate, "slowness", lambda: 2.0)
    monkeypatch.setattr(estimate, "n_cores", lambda: 2)
    return clock


def progress_of(n_cells, capsys):
    cells = {str(k): 1.0 for k in range(n_cells)}
    progress = run.RunProgress(n_jobs=2)
    progress.begun(Work(0, tuple(SimpleNamespace(key=key) for key in cells), cells, 1.0))
    capsys.readouterr()
    return progress


def done(progress, clock, first, last, seconds_each):
    for key in range(first, last):
        clock.now += seconds_each
        progress.finished(SimpleNamespace(key=str(key)))


def test_until_cells_are_finished_the_estimate_includes_starting_and_compiling(clock, capsys):
    progress = progress_of(20, capsys)
    assert progress.seconds_left == 2 * (2.5 + 9.5 + 6) + 20 / 2
    clock.now = 40.0
    assert progress.state == "0/20 cells, about 6 s left"
    clock.now = 50.0
    assert progress.state == "0/20 cells"


def test_the_estimate_leaves_the_start_out(clock, capsys):
    progress = progress_of(1000, capsys)
    clock.now = 90.0  # kernels were compiled
    done(progress, clock, 0, 1, 1.0)
    done(progress, clock, 1, 30, 1.0)
    assert progress.seconds_left == pytest.approx(970, rel=0.01)
    assert "about 16 min" in progress.state


def test_the_estimate_follows_a_machine_that_gets_busy(clock, capsys):
    progress = progress_of(1000, capsys)
    done(progress, clock, 0, 300, 0.5)
    assert progress.seconds_left == pytest.approx(350, rel=0.01)
    done(progress, clock, 300, 400, 1.5)  # 150 s later
    assert progress.seconds_left == pytest.approx(900, rel=0.05)
