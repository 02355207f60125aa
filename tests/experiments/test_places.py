"""Which results a command shows: your own run, or the reference that is included."""

import gzip
import shutil

import pytest
from laboratory import gatree_here
from records import a_record, read

from gatree.cli.options import chosen_results
from gatree.experiments.frame import Results
from gatree.experiments.journal_writer import JournalWriter
from gatree.experiments.places import ARCHIVE, own_runs, reference_folder
from gatree.paper.tables import has_cells


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """The folder `results` of the folder where commands run."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "results"


def write(folder, *records):
    with JournalWriter(folder) as writer:
        for record in records:
            writer.append(read(record))


def of_another_experiment(key="o"):
    return a_record(key, mutation_rate=0.3)


def test_an_archive_is_included_and_never_a_run_of_your_own(runs):
    for name in ("chessboard", "mine"):
        (runs / name).mkdir(parents=True)
        with gzip.open(runs / name / ARCHIVE, "wb") as file:
            file.write(b"")
    assert own_runs(runs) == []
    assert chosen_results(None) == reference_folder()
    write(runs / "chessboard", a_record())
    assert own_runs(runs) == [runs / "chessboard"]


@pytest.mark.parametrize(
    ("present", "shown"),
    [
        ({}, "the included reference (you have no run in ./results; to run"),
        ({"mine": a_record()}, "your run: results/mine\n"),
        ({"mine": a_record(), "paper": a_record()}, "your run: results/paper\n"),
        ({"mine": a_record(), "paper": of_another_experiment()}, "your run: results/paper\n"),
        ({"mine": a_record(), "paper": a_record(status="failed")}, "your run: results/mine\n"),
        ({"mine": a_record(), "other": of_another_experiment()}, "your run: results/mine\n"),
        ({"other": of_another_experiment()}, "the included reference (results/other: no such cells; to run"),
        (
            {"mine": a_record(), "yours": a_record()},
            "the included reference (choose one of your runs with --results: results/mine, results/yours)\n",
        ),
    ],
    ids=lambda value: "+".join(value) if isinstance(value, dict) else "",
)
def test_results_are_the_papers_run_or_the_only_own_one_or_the_reference(runs, capsys, present, shown):
    for name, record in present.items():
        write(runs / name, record)
    folder = chosen_results(None, lambda run: has_cells(4, Results.read(run)))
    said = capsys.readouterr().err
    assert said.startswith(shown)
    assert said.endswith(f"{folder}\n") or folder == reference_folder()


@pytest.mark.parametrize("command", ["table 8", "table 3 --compare", "figure savings", "figure 6"])
def test_a_command_of_the_paper_refuses_results_without_its_cells(tmp_path, capsys, command):
    write(tmp_path, of_another_experiment(), a_record("b", dataset="mine", mutation_rate=0.3))
    code, output, errors = gatree_here(capsys, *command.split(), "--results", tmp_path)
    assert (code, output) == (1, "")
    assert errors.count("\n") == 1


def test_status_shows_a_run_that_has_no_cell_yet(runs, capsys):
    write(runs / "mine")
    _, output, errors = gatree_here(capsys, "status")
    assert errors == "your run: results/mine\n"
    assert output.startswith("journal: results/mine/cells.jsonl\n")


def test_verify_without_a_run_of_your_own_has_nothing_to_compare(runs, capsys):
    there = runs.parent / "there"
    write(there, a_record())
    code, output, errors = gatree_here(capsys, "verify", "--against", there)
    assert (code, output) == (4, "")
    assert errors == (
        "nothing to compare: you have no run in ./results; "
        "to run the paper's experiment: gatree run --config paper\n"
    )
    write(runs / "mine", of_another_experiment())
    code, _, errors = gatree_here(capsys, "verify", "--against", there)
    assert (code, "nothing to compare: results/mine: no such cells" in errors) == (4, True)


def test_verify_takes_the_only_run_that_has_cells_of_the_reference(runs, capsys):
    write(runs / "other", of_another_experiment())
    write(runs / "mine", a_record())
    there = runs.parent / "there"
    write(there, a_record())
    code, output, _ = gatree_here(capsys, "verify", "--against", there)
    assert (code, output) == (
        0,
        "1 of 1 outcomes equal the reference; old/new time ratio per cell: median 2.00 here, 2.00 there\n",
    )
    shutil.copytree(runs / "mine", runs / "copy")
    code, _, errors = gatree_here(capsys, "verify", "--against", there)
    assert (code, "choose one of your runs with --results: results/copy, results/mine" in errors) == (4, True)
