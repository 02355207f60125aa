"""One self-contained HTML page with all that a journal tells: the grid's plots, trees, and what was run.

An experiment that is the paper's is compared with it, too. Everything is inside the file, and its content
security policy forbids the browser to fetch anything. The template escapes all text; data sets have the names
that their users gave them.

Whatever draws is imported when it is needed: a journal may have 100,000 records, and these are gone before
most of the libraries come.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from gatree.base.errors import ResultError
from gatree.base.files import write_whole
from gatree.experiments.background import BackgroundCall
from gatree.experiments.estimate import StudyStatus, status_by_plan
from gatree.experiments.journal import Plan, read_plan
from gatree.experiments.record import Record
from gatree.paper.errata import stand_ins
from gatree.paper.section import CITATION, papers_section
from gatree.paper.tables import Runs, column_of, is_papers
from gatree.rendering.html import render_page
from gatree.report.explorer import best_table, plot_data, plots_of, shown_points, varied
from gatree.report.points import Points
from gatree.report.reading import Reading, best_records, provenance

if TYPE_CHECKING:
    from gatree.report.best_trees import PageTree

_SCRIPTS = ("page.js", "explore.js")
_STYLES = ("page.css", "explore.css")
_MOST_FAILURES = 20
TREES = "trees"
"""The folder, next to the page, of the pages on which to explore the best trees."""

_MANY_TREES = 4  # fewer are drawn before a second process has started


def write_page(results: Path, output: Path | None = None) -> Path:
    """Write the page of an experiment, next to its journal by default, and return where it is."""
    reading = Reading.of(results)
    if not reading.records:
        raise ResultError(
            f"{reading.journal}: no cell has been run yet; run the experiment first: gatree run"
        )
    path = output or reading.journal.parent / "report.html"
    if not path.parent.is_dir():
        raise ResultError(f"{path}: cannot be written: there is no such folder")
    content, trees = page_and_trees(reading)
    try:
        write_whole(path, content)
        for tree in trees:
            if tree.explored:
                (path.parent / TREES).mkdir(exist_ok=True)
                write_whole(path.parent / TREES / tree.file, tree.explored)
    except OSError as error:
        raise ResultError(f"{error.filename or path}: cannot be written ({error.strerror})") from error
    return path


def page_and_trees(reading: Reading) -> tuple[str, list[PageTree]]:
    """Return the page of what was read, and the best trees; the records are gone then, to save memory.

    Trees are drawn by a second process meanwhile, if they are many: they take as long as all figures.
    """
    best = {record["key"] for record in best_records(Runs.of(reading.records)).values()}
    if len(best) < _MANY_TREES:
        trees = _trees(best, reading.journal)
        return _rendered(reading, lambda: trees), trees
    with BackgroundCall(_trees, best, reading.journal) as drawn:
        text = _rendered(reading, drawn.result)
        return text, drawn.result()


def _trees(best: set[str], journal: Path) -> list[PageTree]:
    from gatree.report.best_trees import page_trees

    return page_trees(best, journal)


def _rendered(reading: Reading, trees: Callable[[], list[PageTree]]) -> str:
    content = _content(reading)
    figures, paper = content.pop("figures"), content["paper"]
    reading.records.clear()
    from gatree.paper.figures import all_figures

    return render_page(
        "gatree.report",
        "page.html",
        _SCRIPTS,
        _STYLES,
        **content,
        citation=CITATION,
        papers_figures=all_figures(figures) if paper else [],
        trees=trees(),
        trees_folder=TREES,
        last_run=reading.last_run,
        stand_in_names=set(stand_ins()) if paper else set(),
    )


def _content(reading: Reading) -> dict[str, Any]:
    """Return what the page shows of the records; nothing of it refers to them."""
    records, journal = reading.records, reading.journal
    done = Runs.of(records)
    points = Points.of(done)
    progress = _progress(records, journal)
    failed = [record for record in records if record["status"] == "failed"]
    paper = papers_section(done, journal) if is_papers(done, points.design) else None
    return {
        "name": journal.parent.name,
        "progress": progress,
        "n_missing": sum(study.n_missing for study in progress),
        "provenance": provenance(done),
        "n_done": len(done),
        "failed": [(_described(record), record["error"]) for record in failed[:_MOST_FAILURES]],
        "n_failed": len(failed),
        "design": points.design,
        "varied": varied(points),
        "plots": plots_of(points),
        "plot_data": Markup(plot_data(points)),
        "n_points": len(points.points),
        "n_shown": len(shown_points(points)),
        "best": best_table(points),
        "paper": paper,
        "figures": _figures(done) if paper else {},
        "machines": reading.machines,
        "studies": _studies(done),
    }


def _figures(done: Runs) -> dict[str, Any]:
    from gatree.paper.figures import figures_of_records

    return figures_of_records(done)


def _progress(records: Sequence[Record], journal: Path) -> list[StudyStatus]:
    """Return how far each study is; without a plan that is what has been run."""
    found: Plan = {}
    for record in records:
        found.setdefault(record["cell"]["study"], {})[record["key"]] = 0.0
    counted = {record["key"]: 0.0 if record["status"] == "done" else None for record in records}
    return status_by_plan(counted, read_plan(journal.parent) or found)


def _described(record: Record) -> str:
    return ", ".join(f"{name} {value}" for name, value in record["cell"].items())


def _studies(done: Sequence[Record]) -> list[dict[str, Any]]:
    """Return, per study, the settings of its cells."""
    studies: dict[str, dict[str, dict[str, None]]] = {}
    for record in done:
        cell = record["cell"]
        settings = studies.setdefault(cell["study"], {})
        described = {name: value for name, value in cell.items() if name not in _COUNTED}
        if "population_size" in cell:
            described["size"] = column_of(cell)
        for name, value in described.items():
            settings.setdefault(name, {})[str(value)] = None
    return [
        {"name": name, **{key: list(values) for key, values in settings.items()}}
        for name, settings in studies.items()
    ]


_COUNTED = {"study", "kind", "population_size", "n_generations", "replicate", "repeat", "fold"}
