"""One self-contained HTML page with all that a journal tells: tables, figures, maps, trees, notes.

Everything is inside the file, and its content security policy forbids the browser to fetch anything. The
template escapes all text; data sets have the names that their users gave them.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from gatree.data.catalog import load_dataset
from gatree.errors import ResultError
from gatree.experiments.journal import Plan, find_journal, read_journal, read_plan
from gatree.experiments.measured import measured
from gatree.experiments.record import Record
from gatree.experiments.status import StudyStatus, status_by_plan
from gatree.report.accuracy_size import accuracy_size_figure
from gatree.report.agreement import summary
from gatree.report.best_trees import BestTree, best_trees
from gatree.report.errata import TABLE_ERRATA, stand_in_notes, stand_ins
from gatree.report.figures import FIGURES
from gatree.report.grids import Style
from gatree.report.heat_map import heat_maps
from gatree.report.inline_svg import inline_svg
from gatree.report.layout import TABLES
from gatree.report.missing import missing_notes, table_3_notes
from gatree.report.placement import verdicts
from gatree.report.provenance import CAVEATS, CITATION, provenance
from gatree.report.runs import Runs, column_of
from gatree.report.switch_table import SwitchGrid, switch_grids
from gatree.report.tables import our_table
from gatree.trees.plot import plot_tree
from gatree.written import write_whole

_CAPTIONS = {
    "savings": "Mean savings per data set, ours against the paper's. On the line both are equal.",
    "times": "Seconds of an evolution with inheritance (new) against without (old), one point per cell.",
    "speed-up": "How many times faster inheritance makes a whole evolution, by number of instances.",
    "5": "Figure 5: share of node-instance-checks saved, by depth of the tree: theory, and as counted.",
    "6": "Figure 6: accuracy and size of the best tree over the generations of a cross-validation.",
    "accuracy-size": "Accuracy in cross-validation against size: all points of Tables 8-11, and J48's.",
}
_MOST_FAILURES = 20


@dataclass(frozen=True)
class PageTable:
    """A table with the remarks that belong under it."""

    number: int
    grids: list[SwitchGrid]
    summary: list[str]
    missing: list[str]
    footnotes: list[int]


@dataclass(frozen=True)
class PageFigure:
    """A drawing, or what is missing to draw it."""

    name: str
    caption: str
    svg: Markup | None
    why_not: str = ""


@dataclass(frozen=True)
class PageTree:
    """A data set's best tree as a picture and as text, or why it is not shown."""

    best: BestTree
    svg: Markup | None
    text: str


def write_page(results: Path, output: Path | None = None) -> Path:
    """Write the page of an experiment, beside its journal by default, and return where it is."""
    journal = find_journal(results)
    records = read_journal(journal)
    if not records:
        raise ResultError(f"{journal}: no cell has been run yet; run the experiment first: gatree run")
    path = output or journal.parent / "report.html"
    if not path.parent.is_dir():
        raise ResultError(f"{path}: cannot be written: there is no such folder")
    content = page(records, journal)
    try:
        write_whole(path, content)
    except OSError as error:
        raise ResultError(f"{path}: cannot be written ({error.strerror})") from error
    return path


def page(records: Sequence[Record], journal: Path) -> str:
    """Return the page of these records, the newest of each cell."""
    done = Runs.of(records)
    progress = _progress(records, journal)
    failed = [record for record in records if record["status"] == "failed"]
    script = _asset("page.js")
    environment = Environment(
        loader=PackageLoader("gatree.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html").render(
        name=journal.parent.name,
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        style=Markup(_asset("page.css")),
        progress=progress,
        n_missing=sum(study.n_missing for study in progress),
        provenance=provenance(done),
        citation=CITATION,
        caveats=CAVEATS,
        n_done=len(done),
        failed=[(_described(record), record["error"]) for record in failed[:_MOST_FAILURES]],
        n_failed=len(failed),
        highlights=_highlights(done),
        tables=[_page_table(number, done, journal) for number in TABLES],
        figures=[_page_figure(name, draw, done) for name, draw in FIGURES.items()],
        heat_maps=heat_maps(done),
        accuracy_size=_page_figure("accuracy-size", accuracy_size_figure, done),
        trees=[_page_tree(index, best) for index, best in enumerate(best_trees(done))],
        machines=_machines(done),
        last_run=max((record["machine"]["utc"] for record in done), default=""),
        studies=_studies(done),
        errata=[erratum.text for erratum in TABLE_ERRATA],
        stand_ins=stand_in_notes(stand_ins()),
        stand_in_names=set(stand_ins()),
    )


def _asset(name: str) -> str:
    return files("gatree.report").joinpath("templates", name).read_text(encoding="utf-8")


def _progress(records: Sequence[Record], journal: Path) -> list[StudyStatus]:
    """Return how far each study is; without a plan that is what has been run."""
    found: Plan = {}
    for record in records:
        found.setdefault(record["cell"]["study"], {})[record["key"]] = 0.0
    return status_by_plan(measured(records), read_plan(journal.parent) or found)


def _described(record: Record) -> str:
    return ", ".join(f"{name} {value}" for name, value in record["cell"].items())


def _highlights(done: Sequence[Record]) -> list[str]:
    """Return the few sentences that sum up the whole experiment."""
    j48 = [line for line in summary(our_table(8, done), done) if line.startswith("J48")]
    return [*summary(our_table(3, done), done), *verdicts(done)[2:], *j48]


def _page_table(number: int, done: Sequence[Record], journal: Path) -> PageTable:
    table = our_table(number, done)
    return PageTable(
        number=number,
        grids=switch_grids(table, Style()),
        summary=summary(table, done),
        missing=table_3_notes(done, journal) if number == 3 else missing_notes(table, journal),
        footnotes=[index for index, erratum in enumerate(TABLE_ERRATA, start=1) if number in erratum.tables],
    )


def _page_figure(name: str, draw: Callable[[Sequence[Record]], Any], done: Sequence[Record]) -> PageFigure:
    caption = _CAPTIONS[name]
    try:
        svg = inline_svg(lambda: draw(done), f"figure-{name}", caption)
    except ResultError as error:
        return PageFigure(name, caption, None, str(error))
    return PageFigure(name, caption, svg)


def _page_tree(index: int, best: BestTree) -> PageTree:
    tree = best.tree
    if tree is None:
        return PageTree(best, None, "")
    label = f"The best tree on {best.dataset}: {tree.n_nodes} nodes. The same as text follows."

    def draw() -> Any:
        return plot_tree(tree, data=load_dataset(best.dataset)).get_figure(root=True)

    return PageTree(best, inline_svg(draw, f"tree-{index}", label), tree.to_text())


def _machines(done: Sequence[Record]) -> list[dict[str, Any]]:
    """Return the machines that the cells ran on, each once, without the time."""
    found = {}
    for record in done:
        machine = {name: value for name, value in record["machine"].items() if name != "utc"}
        found[repr(machine)] = machine
    return list(found.values())


def _studies(done: Sequence[Record]) -> list[dict[str, Any]]:
    """Return, per study, the settings of its cells."""
    studies: dict[str, dict[str, dict[str, None]]] = {}
    for record in done:
        cell = record["cell"]
        settings = studies.setdefault(cell["study"], {})
        described = {
            name: cell[name] for name in ("dataset", "mutation_rate", "x_factor", "baseline") if name in cell
        }
        if "population_size" in cell:
            described["size"] = column_of(cell)
        for name, value in described.items():
            settings.setdefault(name, {})[str(value)] = None
    return [
        {"name": name, **{key: list(values) for key, values in settings.items()}}
        for name, settings in studies.items()
    ]
