"""Whole runs, in real processes: killed, interrupted, failing, resumed. The outcome is always the same."""

import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from laboratory import (
    TINY,
    finish,
    full_disk,
    gatree,
    gatree_here,
    group_is_gone,
    outcomes,
    run_alone,
    start,
    tiny_plan,
    wait_for_records,
    write_config,
)
from records import fields_of

from gatree.data.dataset import Dataset
from gatree.experiments import estimate
from gatree.experiments.cell import run_cell
from gatree.experiments.estimate import modelled_seconds
from gatree.experiments.journal import read_records
from gatree.experiments.pool import run_locally
from gatree.experiments.record import Done, Failed
from gatree.experiments.run import RunListener, work_left
from gatree.kernels import decorators


@pytest.fixture
def _without_workers(monkeypatch):
    """Have `gatree run` run its cells in this process."""

    def run_here(cells, datasets, _, listener):
        for cell in cells:
            listener.started(cell)
            yield run_cell(cell, datasets[cell.checksum])

    monkeypatch.setattr("gatree.cli.commands.run.run_locally", run_here)


@pytest.mark.usefixtures("_without_workers")
def test_ctrl_c_keeps_what_two_workers_have_done_and_the_rest_is_run_later(reference, tmp_path, capsys):
    command = ("run", "--config", write_config(tmp_path), "--results", tmp_path, "--jobs", "2")
    journal = tmp_path / "tiny" / "cells.jsonl"
    process = start(*command)
    wait_for_records(journal, 9, process)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all
    code, _, errors = finish(process)
    assert code == 130
    assert "kept; run the same command to resume" in errors
    assert "Traceback" not in errors
    assert group_is_gone(process)
    n_done = len(outcomes(journal))
    assert 9 <= n_done < 60
    assert outcomes(journal).items() <= reference.items()

    code, output, errors = gatree_here(capsys, *command)
    assert code == 0, errors
    assert f"{n_done} cells done already, {60 - n_done} to run" in errors
    assert output.splitlines() == [
        f"{60 - n_done} cells run; 60 in all",
        f"journal: {journal}",
        f"next:    gatree table all --results {journal.parent}",
    ]
    assert gatree_here(capsys, *command)[1].startswith("0 cells run; 60 in all\n")
    assert outcomes(journal) == reference


def test_replicates_are_the_same_in_any_order(tmp_path):
    savings = {**TINY["studies"][0], "grid": {"size": [8, 9]}}
    small = {"seeds": 3, "datasets": ["soybean"], "studies": [savings]}
    run_alone(write_config(tmp_path, **small), tmp_path)
    plan = tiny_plan(**small)
    alone = [run_cell(cell, plan.datasets[cell.checksum]) for cell in reversed(plan.cells)]
    assert len(alone) == 6
    assert outcomes(tmp_path / "tiny" / "cells.jsonl") == {
        record["key"]: json.dumps([record["cell"], record["outcome"]], sort_keys=True)
        for record in map(fields_of, alone)
    }


LONG = {"name": "long", "kind": "savings", "repeats": 100, "datasets": ["kr-vs-kp"], "grid": {"size": 1000}}
SHORT = {"name": "short", "kind": "savings", "datasets": ["soybean"], "grid": {"size": [*range(10, 18)]}}


def start_with_a_long_cell(folder, **options):
    """Start a run, and return it when one worker is in the middle of minutes of work."""
    config = write_config(folder, studies=[LONG, SHORT])
    process = start("run", "--config", config, "--results", folder, "--jobs", "2", **options)
    wait_for_records(folder / "tiny" / "cells.jsonl", 3, process)
    return process


@pytest.mark.parametrize(
    "sent",
    [signal.SIGKILL, *(pytest.param(one, marks=pytest.mark.long) for one in (signal.SIGTERM, signal.SIGHUP))],
)
def test_workers_end_with_their_owner_and_another_run_finishes(tmp_path, sent):
    process = start_with_a_long_cell(tmp_path)
    process.send_signal(sent)  # to the owner only
    assert finish(process)[0] == (130 if sent == signal.SIGTERM else -sent)
    assert group_is_gone(process)
    assert len(outcomes(tmp_path / "tiny" / "cells.jsonl")) >= 3
    assert_that_another_run_finishes(tmp_path)


def test_a_run_resumes_next_to_orphans_which_end_when_they_go_on(tmp_path):
    process = start_with_a_long_cell(tmp_path)
    os.killpg(process.pid, signal.SIGSTOP)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    assert_that_another_run_finishes(tmp_path)
    os.killpg(process.pid, signal.SIGCONT)
    assert group_is_gone(process)
    journal = tmp_path / "tiny" / "cells.jsonl"
    before = journal.read_bytes()
    finish(process)
    assert journal.read_bytes() == before


def assert_that_another_run_finishes(folder):
    for results in (folder, folder / "alone"):
        run_alone(write_config(folder, studies=[SHORT]), results)
    killed, alone = (outcomes(results / "tiny" / "cells.jsonl") for results in (folder, folder / "alone"))
    assert killed == alone


@pytest.mark.long
@pytest.mark.parametrize("seeds", [{}, {"seeds": 3, "timed_seeds": 2}], ids=["one seed", "replicates"])
def test_often_killed_and_finished(tmp_path, seeds):
    """SIGKILL at random moments of the owner."""
    config, alone, chance = write_config(tmp_path, **seeds), tmp_path / "alone", random.Random(2006)
    run_alone(config, alone)
    journal = tmp_path / "tiny" / "cells.jsonl"
    command = ("run", "--config", config, "--results", tmp_path, "--jobs", "2")
    codes = []
    for _ in range(12):
        n_before = journal.read_bytes().count(b"\n") if journal.exists() else 0
        process = start(*command)
        wait_for_records(journal, n_before + chance.choice([0, 1, 1, 2]), process)
        time.sleep(chance.uniform(0, 0.02))
        process.kill()
        codes.append(finish(process)[0])
    assert codes.count(-signal.SIGKILL) >= 6
    code, _, errors = gatree(*command)
    assert code == 0, errors
    assert outcomes(journal) == outcomes(alone / "tiny" / "cells.jsonl")


@pytest.mark.long
def test_a_worker_that_is_killed_has_its_cell_run_elsewhere(reference):
    plan, others = tiny_plan(), set(multiprocessing.active_children())
    victims = []

    class Killer(RunListener):
        def started(self, cell):
            alive = set(multiprocessing.active_children()) - others
            assert len({worker.pid for worker in alive} - set(victims)) <= 2
            if len(victims) < 2 and cell.identity.kind != "baseline":
                (*_, victim) = multiprocessing.active_children()
                victims.append(victim.pid)
                os.kill(victim.pid, signal.SIGKILL)

    todo = work_left(plan, {}).todo
    records = list(run_locally(todo, plan.datasets, 2, Killer()))
    assert len(victims) == 2
    assert len(records) == len(plan.cells)
    assert {record.key for record in records if isinstance(record, Done)} == reference.keys()


class Deadly(Dataset):
    """Data that kill the process that unpacks them."""

    def __reduce__(self):
        return os._exit, (1,)


def test_a_cell_that_kills_its_workers_fails_alone(monkeypatch):
    plan, before = tiny_plan(), set(multiprocessing.active_children())
    zoo = next(cell for cell in plan.cells if cell.identity.dataset == "zoo")
    soybean = next(cell for cell in plan.cells if cell.identity.dataset == "soybean")
    data = plan.datasets[zoo.checksum]
    deadly = Deadly(**{name: getattr(data, name) for name in data.__dataclass_fields__})
    datasets = {**plan.datasets, zoo.checksum: deadly}
    monkeypatch.setattr("gatree.experiments.pool.MAX_DEATHS", 2)
    records = {r.key: r for r in run_locally([zoo, soybean], datasets, 1)}
    assert records[zoo.key].error == "2 workers died while they ran it"
    assert isinstance(records[soybean.key], Done)
    assert set(multiprocessing.active_children()) <= before


def test_the_longest_cells_come_first():
    todo = work_left(tiny_plan(), {}).todo
    sizes = [cell.point.settings.population_size for cell in todo if cell.identity.kind == "savings"]
    assert sizes == sorted(sizes, reverse=True)


TOY = """@relation toy
@attribute a {{x,y}}
@attribute class {{p,q}}
@data
{rows}"""


FAILING = [
    {"name": "s", "kind": "cross-validation", "grid": {"size": 4}},
    {"name": "good", "kind": "savings", "grid": {"size": 4}},
]


@pytest.mark.usefixtures("_without_workers")
def test_failures_are_recorded_and_tried_again(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("gatree.experiments.run.check_cells", lambda *_: ())  # which would foresee them
    rows = ["x,p", "y,q", "x,p"]
    (tmp_path / "toy.arff").write_text(TOY.format(rows="\n".join(rows)))
    config = write_config(tmp_path, datasets=["toy.arff"], studies=FAILING)
    command = ("run", "--config", config, "--results", tmp_path, "--jobs", 1)
    code, output, errors = gatree_here(capsys, *command)
    assert code == 3
    assert "6 cells run, 5 failed (run again to retry them)" in output
    assert "failed: s toy m=0.01 x=1e4 4 fold 0: DataError: cross-validation: cannot make 5 folds" in errors
    assert gatree_here(capsys, *command)[0] == 3
    journal = tmp_path / "tiny" / "cells.jsonl"
    assert sum(isinstance(record, Failed) for record in read_records(journal)) == 10
    assert len(outcomes(journal)) == 1

    (tmp_path / "toy.arff").write_text(TOY.format(rows="\n".join(rows * 4)))
    code, output, _ = gatree_here(capsys, *command)
    assert (code, output.splitlines()[0]) == (0, "6 cells run; 6 in all")

    code, output, _ = gatree_here(capsys, "status", "--results", tmp_path)
    assert code == 0
    counts = ["s 5 0 0", "good 1 0 0", "all 6 0 0"]
    assert [" ".join(line.split()) for line in output.splitlines()[3:6]] == counts


def test_a_dry_run_counts_cells_baselines_and_compiling_and_writes_nothing(tmp_path, capsys, monkeypatch):
    plan = tiny_plan()
    evolutions = [batch for batch in plan.batches if not batch.first.identity.baseline]
    assert plan.seconds > sum(batch.n_cells * modelled_seconds(batch.first) for batch in evolutions) > 0
    monkeypatch.setattr(decorators, "COMPILED", True)
    monkeypatch.setattr(decorators, "CACHE_FOLDER", tmp_path / "empty")
    monkeypatch.setattr(estimate, "slowness", lambda: 1.0)
    command = ("run", "--config", write_config(tmp_path), "--results", tmp_path / "none", "--dry-run")
    assert "which includes compiling kernels, once" in gatree_here(capsys, *command)[1]
    monkeypatch.setattr(decorators, "COMPILED", False)
    code, output, _ = gatree_here(capsys, *command, "--only", "dataset=zoo", "--only", "kind=savings")
    assert code == 0
    assert [" ".join(line.split()[:2]) for line in output.splitlines()] == [
        *("cells 8", "done 0", "to run", "estimated 3"),
    ]
    assert not (tmp_path / "none").exists()


@pytest.mark.usefixtures("_without_workers")
def test_only_narrows_and_the_rest_stays_missing(tmp_path, capsys):
    command = ("run", "--config", write_config(tmp_path), "--results", tmp_path, "--jobs", 1)
    code, output, errors = gatree_here(capsys, *command, "--only", "baseline=j48")
    assert (code, output.splitlines()[0]) == (0, "2 cells run; 2 in all"), errors
    _, output, _ = gatree_here(capsys, "status", "--results", tmp_path)
    assert output.splitlines()[5].split() == ["all", "2", "0", "58"]
    assert "time left: about" in output
    assert output.splitlines()[-1] == "running now: no"


def test_a_misspelt_experiment_is_answered_with_its_name(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ended = gatree_here(capsys, "run", "--config", "papr")
    assert ended == (1, "", "error: papr: no such file; did you mean 'paper'?\n")


UNCHECKED = """
import gatree.experiments.run
from gatree.cli.main import main
gatree.experiments.run.check_cells = lambda *_: ()
main()
"""


@pytest.mark.long
def test_a_reader_who_leaves_neither_ends_the_work_nor_hides_failures(tmp_path):
    """What `gatree run 2>&1 | head -1` does."""
    (tmp_path / "toy.arff").write_text(TOY.format(rows="x,p\ny,q\nx,p"))
    config = write_config(tmp_path, datasets=["toy.arff"], studies=FAILING)
    process = subprocess.Popen(
        [sys.executable, "-c", UNCHECKED, "run", "--config", str(config), "--results", str(tmp_path)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=300) == 3
    assert len(list(read_records(tmp_path / "tiny" / "cells.jsonl"))) == 6


PRESSED_IN_ANOTHER_THREAD = """
import signal, threading, time
from pathlib import Path
from gatree.cli.main import main

def press():
    journal = Path("tiny/cells.jsonl")
    while not (journal.exists() and journal.read_bytes().count(b"\\n") >= 8):
        time.sleep(0.05)
    time.sleep(1)  # by then the owner waits
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)

threading.Thread(target=press, daemon=True).start()
main()
"""


@pytest.mark.long
@pytest.mark.parametrize("reader_has_left", [False, True])
def test_ctrl_c_is_heard_when_another_thread_is_given_it(tmp_path, reader_has_left):
    """The system may give it to any thread, those of a library too."""
    config = write_config(tmp_path, studies=[LONG, SHORT])
    command = ("run", "--config", str(config), "--results", ".", "--jobs", "2")
    process = subprocess.Popen(
        [sys.executable, "-c", PRESSED_IN_ANOTHER_THREAD, *command],
        cwd=tmp_path, start_new_session=True, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    if reader_has_left:
        process.stderr.close()
        assert process.wait(timeout=120) == 130
    else:
        code, _, errors = finish(process, 120)
        assert code == 130, errors
        assert "8 cells run and kept" in errors
    assert group_is_gone(process)


@pytest.mark.usefixtures("_without_workers")
def test_a_full_disk_stops_the_run_and_keeps_the_journal(reference, tmp_path, capsys):
    command = ("run", "--config", write_config(tmp_path), "--results", tmp_path, "--jobs", "1")
    with full_disk(10_000):
        code, _, errors = gatree_here(capsys, *command)
    assert code == 1, errors
    assert "cannot write results here (File too large); what was done is kept" in errors
    assert "Traceback" not in errors
    journal = tmp_path / "tiny" / "cells.jsonl"
    assert 0 < len(outcomes(journal)) < 60
    assert outcomes(journal).items() <= reference.items()
