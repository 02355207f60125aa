"""One self-contained HTML page with all that a journal tells: the grid's plots, trees, and what was run.

An experiment that is the paper's is compared with it, too. Everything is inside the file, and its content
security policy forbids the browser to fetch anything. The template escapes all text; data sets have the names
that their users gave them.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from markupsafe import Markup

from gatree.base.errors import ResultError
from gatree.base.files import write_whole
from gatree.base.progress import SILENT, Listener
from gatree.experiments.design import in_order
from gatree.experiments.estimate import status_of
from gatree.experiments.frame import EVOLUTION, Results, evolutions, plain, plain_rows
from gatree.experiments.record import Setting
from gatree.experiments.setting_grid import FIRST
from gatree.paper.figures import page_figures
from gatree.paper.publish import CITATION, papers_section
from gatree.paper.published import stand_ins
from gatree.paper.tables import is_papers
from gatree.rendering.html import render_page
from gatree.report.best_trees import BestTree, best_keys, page_trees
from gatree.report.comparison_document import comparison_documents
from gatree.report.points import Points, best_table, plot_data, plots_of, shown_points, varied

_SCRIPTS = ("page.js", "explore.js")
_STYLES = ("page.css", "explore.css")
_MOST_FAILURES = 20
TREES = "trees"
"""The folder, next to the page, of the pages on which to explore the best trees."""


def write_page(folder: Path, output: Path | None = None, listener: Listener = SILENT) -> Path:
    """Write the page of an experiment, next to its journal by default, and return where it is."""
    listener.progress("reading the journal")
    results = Results.read(folder)
    if results.frame.empty and not results.failed:
        raise ResultError(
            f"{results.journal}: no cell has been run yet; run the experiment first: gatree run"
        )
    path = output or results.journal.parent / "report.html"
    if not path.parent.is_dir():
        raise ResultError(f"{path}: cannot be written: there is no such folder")
    content, trees = page_and_trees(results, listener)
    try:
        write_whole(path, content)
        for tree in trees:
            if tree.explored:
                (path.parent / TREES).mkdir(exist_ok=True)
                write_whole(path.parent / TREES / tree.file, tree.explored)
    except OSError as error:
        raise ResultError(f"{error.filename or path}: cannot be written ({error.strerror})") from error
    return path


def page_and_trees(results: Results, listener: Listener = SILENT) -> tuple[str, list[BestTree]]:
    """Return the page of results, and the best trees."""
    trees = page_trees(best_keys(results.frame), results.journal, listener)
    listener.progress("tables and figures")
    points = Points.of(results)
    shown = points.comparable
    progress = status_of(results.journal)
    paper = papers_section(results) if is_papers(results, points.design) else None
    failed = [
        (", ".join(f"{name} {value}" for name, value in record.cell.fields.items()), record.error)
        for record in results.failed
    ]
    content = render_page(
        "gatree.report",
        "page.html",
        _SCRIPTS,
        _STYLES,
        name=results.journal.parent.name,
        progress=progress,
        n_missing=sum(study.n_missing for study in progress),
        provenance=_provenance(results),
        n_done=results.frame["key"].nunique(),
        failed=failed[:_MOST_FAILURES],
        n_failed=len(failed),
        design=points.design,
        varied=varied(points),
        plots=plots_of(shown),
        plot_data=Markup(plot_data(shown)),
        n_points=len(shown.rows),
        n_shown=len(shown_points(shown)),
        best=best_table(shown),
        comparisons=comparison_documents(results.frame),
        other_folds=len(shown.rows) < len(points.rows),
        paper=paper,
        papers_figures=page_figures(results) if paper else [],
        machines=results.machines,
        studies=_studies(results.frame),
        citation=CITATION,
        trees=trees,
        trees_folder=TREES,
        last_run=results.last_run,
        stand_in_names=set(stand_ins()) if paper else set(),
    )
    return content, trees


def _provenance(results: Results) -> dict[str, object]:
    """Return what the finished cells tell about their experiment: seeds, settings that are fixed, data."""
    values: dict[str, dict[str, Setting]] = {}
    for settings in results.settings:
        for name, value in settings.items():
            values.setdefault(name, {}).setdefault(repr(value), value)
    fixed = {
        name.replace("_", " "): next(iter(found.values()))
        for name, found in values.items()
        if len(found) == 1
    }
    seeds = in_order(plain(results.frame["replicate"]))
    per_study = evolutions(results.frame).groupby("study")["replicate"].nunique()
    checksums = dict(plain_rows(results.frame[["dataset", "checksum"]].drop_duplicates()))
    return {
        "n_cells": results.frame["key"].nunique(),
        "n_seeds": len(seeds),
        "fewest_seeds": f"{per_study.min()} to " if per_study.nunique() > 1 else "",
        "settings": {"seeds": ", ".join(map(str, seeds)), **fixed},
        "datasets": {name: (checksum or "unknown")[:16] for name, checksum in checksums.items()},
    }


def _studies(frame: pd.DataFrame) -> list[dict[str, str]]:
    """Return, per study, its data sets, its baselines and what it varies."""
    studies = []
    for name, study in frame.groupby("study", sort=False):
        baselines = study.loc[study["method"] != EVOLUTION, "method"]
        columns = {"dataset": study["dataset"], "baseline": baselines}
        columns |= {name.replace("_", " "): study[name] for name in (*FIRST, "folds", "drop_remainder")}
        values = {key: dict.fromkeys(map(str, plain(some.dropna()))) for key, some in columns.items()}
        studies.append({"study": str(name), **{key: ", ".join(some) for key, some in values.items() if some}})
    return studies
