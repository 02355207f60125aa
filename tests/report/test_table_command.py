"""`gatree table` and `gatree figure` from the outside: what they print, write and refuse."""

import json
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest
from laboratory import gatree_here
from own_experiment import DATASETS, own_records
from records import a_record, results_of
from sample_results import grids_of

from gatree.cli.options import output_folder
from gatree.experiments.places import ARCHIVE, reference_folder
from gatree.experiments.record_line import SCHEMA
from gatree.paper.publish import fill_commands
from gatree.paper.tables import our_table
from gatree.report.points import Points


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def gatree(monkeypatch, capsys):
    """Run the command line as a user does, error boundary included."""

    def run(*arguments, cwd=None):
        if cwd is not None:
            monkeypatch.chdir(cwd)
        return Done(*gatree_here(capsys, *arguments))

    return run


@pytest.fixture
def _undrawn(monkeypatch):
    """Have figures written without drawing them."""
    monkeypatch.setattr("gatree.rendering.figures.save_figure", lambda _, path, **__: path.touch())


@pytest.fixture
def results(tmp_path, sample):
    """A folder of results with the sample's journal as the experiment `sample`."""
    folder = tmp_path / "results" / "sample"
    folder.mkdir(parents=True)
    shutil.copy(sample / "cells.jsonl", folder)
    return tmp_path / "results"


def test_one_table_goes_to_stdout(gatree, results):
    done = gatree("table", 4, cwd=results.parent)
    assert done.returncode == 0
    assert done.stdout.startswith("Table 4. A savings-only comparison")
    assert "—" not in done.stdout
    assert "The paper's table has 327 more (--all)." in done.stdout
    run = "gatree run --config paper --only kind=savings --only mutation_rate=0.5"
    assert f"The paper's experiment has 279 of them (this is sample): {run}" in done.stdout
    done = gatree("table", 4, "--all", cwd=results.parent)
    assert "327 of 351 numbers are missing (—)" in done.stdout
    done = gatree("table", 4, "--where", "dataset=zoo", cwd=results.parent)
    assert "| zoo " in done.stdout
    assert "crime" not in done.stdout
    assert "--all" not in done.stdout
    assert done.stderr == "your run: results/sample\n"
    done = gatree("table", 4, "--format", "json", "--results", results)
    assert json.loads(done.stdout)
    assert "docs/definitions.md" in done.stderr


def test_all_tables_are_written(gatree, results):
    done = gatree("table", "all", "--results", results, "--format", "csv")
    assert done.returncode == 0
    assert done.stdout == ""
    folder = results / "sample" / "tables"
    assert f"11 files written to {folder}" in done.stderr
    names = {path.name for path in folder.iterdir()}
    assert names == {f"table-{n}.csv" for n in range(3, 13)} | {"comparison.md"}
    page = (folder / "comparison.md").read_text(encoding="utf-8")
    assert "## Known errors of the paper, and other remarks" in page
    title = "Table 12. An accuracy-size-time comparison with x in [10^4..10^6]: ours and the paper's"
    assert f"### {title}" in page


@pytest.mark.usefixtures("_undrawn")
def test_tables_and_figures_of_ones_own_experiment_are_those_of_its_grid(gatree, own_results, tmp_path):
    folder = tmp_path / "own"
    shutil.copytree(own_results, folder)
    done = gatree("table", "all", "--results", folder)
    assert f"8 files written to {folder / 'tables'}" in done.stderr
    names = {path.name for path in (folder / "tables").iterdir()}
    endings = ("md", "csv", "tex", "json")
    assert names == {f"{name}.{end}" for name in ("accuracy", "savings") for end in endings}
    records = json.loads((folder / "tables" / "accuracy.json").read_text())
    found = Points.of(results_of(own_records()))
    for point in found.records(found.having("accuracy", "cross-validation")):
        wanted = {
            "dataset": point["dataset"],
            **point["settings"],
            "method": "evolution",
            "metric": "accuracy",
        }
        (record,) = [record for record in records if wanted.items() <= record.items()]
        assert record["mean"] == pytest.approx(point["accuracy"])
    assert any(record["method"] == "j48" for record in records)
    (head, first, *_), *_ = grids_of(gatree("table", "savings", "--results", folder).stdout)
    assert head == ["Dataset", "generation gap", "", "majority", "random"]
    assert first[:3] == [min(DATASETS, key=str.casefold), "0.1", "Old (sec)"]
    part = ("--where", "dataset=mine", "--where", "leaf_class=random")
    (head, *rows), *_ = grids_of(gatree("table", "accuracy", *part, "--results", folder).stdout)
    assert head == ["Dataset", "", "0.1", "0.5", "j48"]
    assert [row[:2] for row in rows] == [["mine", "Accuracy"], ["", "Size"], ["", "Time"]]
    done = gatree("figure", "all", "--results", folder)
    assert done.returncode == 0
    assert {path.name for path in (folder / "figures").iterdir()} == {
        f"{name}-size.{ending}" for name in ("accuracy", "savings", "time") for ending in ("svg", "png")
    }


def test_any_metric_is_a_table(gatree, own_results):
    part = ("--where", "dataset=mine", "--where", "leaf_class=random", "--results", own_results)
    done = gatree("table", "trees-per-second", *part)
    (head, (label, *_)), *_ = grids_of(done.stdout)
    assert (head, label) == (["Dataset", "0.1", "0.5"], "mine")
    assert "trees-per-second: trees examined (n_evaluations) by CPU second. Timed seeds only." in done.stdout
    record, *_ = json.loads(gatree("table", "size", *part, "--format", "json").stdout)
    assert (record["dataset"], record["generation_gap"], record["metric"]) == ("mine", 0.1, "size")
    assert "NaN" not in gatree("table", "speed-up", *part, "--format", "json").stdout


def test_baselines_alone_make_no_table(gatree, own_results):
    code, output, errors = gatree("table", "10", "--results", own_results)
    assert (code, output) == (1, "")
    assert "has no cell of Table 10, which shows cross-validation studies with m = 0.01, x = 1e4" in errors


def test_the_papers_tables_need_no_results(gatree, tmp_path):
    done = gatree("table", "all", "--paper", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.count("Table ") >= 10
    assert "| balance-scale |       56.25 |" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["13"], "'13' is not a table with results: give 3 to 12, savings, accuracy, all, or a metric"),
        (["2"], "Table 2 of the paper is the example's data"),
        (["x"], "'x' is not a table with results"),
        (["4", "--paper", "--compare"], "give one of --paper and --compare"),
        (["all", "--compare"], "always writes comparison.md"),
        (["savings", "--compare"], "--paper, --compare and --all are for the paper's Tables"),
        (["all", "--where", "dataset=vote"], "--where is for one table of ours"),
        (["4", "--format", "html"], "'html' is not one of"),
    ],
)
def test_wrong_usage(gatree, arguments, message):
    done = gatree("table", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_no_results_and_empty_and_failed_journals(gatree, tmp_path):
    for arguments in (["table", "4"], ["figure", "all"]):
        done = gatree(*arguments, "--results", tmp_path / "results", cwd=tmp_path)
        assert done.returncode == 1
        assert "no such folder; run an experiment first: gatree run" in done.stderr
    journal = tmp_path / "cells.jsonl"
    journal.touch()
    done = gatree("table", "4", "--results", tmp_path)
    assert done.returncode == 1
    assert "no finished cell yet; run the experiment first: gatree run" in done.stderr
    failed = {"schema": SCHEMA, **a_record("a", "failed")}
    journal.write_text(json.dumps(failed) + "\n", encoding="utf-8")
    assert "no finished cell yet (1 failed)" in gatree("table", "4", "--results", tmp_path).stderr


def test_damaged_and_cut_off_records_are_set_aside(gatree, results, caplog):
    journal = results / "sample" / "cells.jsonl"
    content = journal.read_text(encoding="utf-8").replace('"cv_correct"', '"cv_damaged"', 1)
    journal.write_text(content[: -len(content) // 4], encoding="utf-8")
    done = gatree("table", 8, "--results", results)
    assert done.returncode == 0
    assert "numbers are missing" in done.stdout
    assert "is not a record: outcome: Object missing required field `cv_correct`" in caplog.text
    assert "cut off" in caplog.text  # which goes to stderr outside of pytest


def test_unwritable_folder(gatree, results):
    (results / "sample" / "tables").write_text("in the way", encoding="utf-8")
    (results / "sample" / "figures").write_text("in the way", encoding="utf-8")
    for command, folder in (("table", "tables"), ("figure", "figures")):
        done = gatree(command, "all" if command == "table" else "savings", "--results", results)
        assert done.returncode == 1
        assert f"sample/{folder}: cannot be written (File exists)" in done.stderr


def test_commands_that_fill_a_table(records, tmp_path):
    table = our_table(12, results_of(records), with_papers=True)
    missing = [spot for spot in table.missing if spot.dataset != "anneal"]
    evolutions, baselines = fill_commands(missing, tmp_path)
    assert evolutions == (
        f"gatree run --config paper --results {tmp_path} --only kind=cross-validation "
        "--only mutation_rate=0.5 --only mutation_rate=0.01 --only x_factor=1e4..1e6 "
        "--only dataset=balance-scale --only dataset=kr-vs-kp"
    )
    assert baselines.endswith("--only kind=baseline --only dataset=balance-scale")


def test_one_figure(gatree, results, tmp_path):
    done = gatree("figure", "times", "--results", results, "--output", tmp_path / "out")
    assert done.stdout.split() == [str(tmp_path / "out" / name) for name in ("times.svg", "times.png")]
    assert "'7' is not one of" in gatree("figure", "7").stderr
    wrong = gatree("figure", "times", "--by", "x_factor", "--results", results)
    assert "--by and --where are for critical-difference and metrics" in wrong.stderr


@pytest.mark.usefixtures("_undrawn")
def test_metrics_and_ranks_are_figures(gatree, own_results, tmp_path):
    def drawn(*arguments):
        done = gatree("figure", *arguments, "--results", own_results, "--output", tmp_path / "out")
        return [line.removeprefix(f"{tmp_path}/out/") for line in done.stdout.split()] or done.stderr

    assert drawn("leaves") == [f"leaves-by-generation_gap.{ending}" for ending in ("svg", "png")]
    by = ("--by", "generation_gap", "--by", "leaf_class")
    assert drawn("speed-up", *by)[0] == "speed-up-by-generation_gap-by-leaf_class.svg"
    assert drawn("critical-difference", "--by", "generation_gap")[0].endswith("generation_gap.svg")
    assert "needs three rivals" in drawn("critical-difference", "--by", "method")


@pytest.mark.usefixtures("_undrawn")
def test_all_figures_leave_out_what_the_journal_cannot_show(gatree, results):
    journal = results / "sample" / "cells.jsonl"
    lines = [line for line in journal.read_text(encoding="utf-8").splitlines() if "history" not in line]
    journal.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = gatree("figure", "all", "--results", results)
    assert done.returncode == 0
    names = sorted(path.name for path in (results / "sample" / "figures").glob("*.svg"))
    assert names == ["figure-5.svg", "savings.svg", "speed-up.svg", "times.svg"]
    assert "left out: Figure 6 needs a cross-validation with `history: true`" in done.stderr
    assert "no cell has the seconds of old and new at the points of an evolution" in done.stderr, "equal-time"


def test_the_included_reference_is_changed_only_by_name():
    journal = reference_folder() / ARCHIVE
    assert output_folder(None, journal) == Path("results/included-reference")
    assert output_folder(reference_folder(), journal) == reference_folder()
    assert output_folder(None, Path("results/mine/cells.jsonl")) == Path("results/mine")
