"""Make the pictures of the README from the real thing: `make pictures`.

The live view in the middle of an evolution, a tree, Figure 5 and, where there are results and a
browser, the savings of the experiment and its report page.
"""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import crossover
import imports
from rich.console import Console

from gatree import load_dataset, plot_tree
from gatree.cli.live import frame
from gatree.evolution.evolve import Evolution
from gatree.evolution.problem import Problem
from gatree.evolution.warm_up import warm_up
from gatree.experiments.frame import Results
from gatree.paper.figures import write_figure
from gatree.report.page import write_page
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.trees.model import DecisionTree

HERE = Path(__file__).resolve().parent
PAPER = HERE.parents[1] / "results" / "reference"


def evolving(dataset: str, **settings: Any) -> Evolution:
    """Return an evolution that has not begun."""
    chosen = EvolutionSettings(mutation_rate=0.5, evaluator="bitset", **settings)
    problem = Problem.of(load_dataset(dataset))
    warm_up(problem, chosen)
    return Evolution(problem, chosen)


def live_view() -> None:
    """Draw the terminal in the middle of `gatree evolve glass`."""
    evolution = evolving("glass", population_size=400, n_generations=2000)
    started = time.monotonic()
    while evolution.generation < 1200:
        evolution.step()
    left = (time.monotonic() - started) / 1200 * 800
    console = Console(record=True, width=84, file=io.StringIO(), force_terminal=True)
    heading = "glass: 214 instances, population 400, mutation rate 0.5, x 1e4"
    console.print(frame(heading, evolution, left, console))
    command = "gatree evolve glass --population 400 --generations 2000 --mutation-rate 0.5"
    without_web_fonts = re.sub(
        r"@font-face \{.*?\}\s*", "", console.export_svg(title=command), flags=re.DOTALL
    )
    (HERE / "live-view.svg").write_text(without_web_fonts, encoding="utf-8")


def tree() -> None:
    """Draw the tree of `gatree evolve zoo --population 400 --generations 400 --mutation-rate 0.5`."""
    evolution = evolving("zoo", population_size=400, n_generations=400)
    while evolution.generation < 400:
        evolution.step()
    problem = evolution.problem
    plot_tree(DecisionTree.of(evolution.best, problem.coding, problem.dataset), file=HERE / "tree.svg")


def figure(name: str, results: Results | None) -> None:
    """Draw a figure of `gatree figure`, as SVG only."""
    for path in write_figure(name, results, HERE):
        if path.suffix != ".svg":
            path.unlink()


def results() -> None:
    """Draw our savings against the paper's, and photograph the report page."""
    figure("savings", Results.read(PAPER))
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print("no chromium here, so no picture of the report page")
        return
    with tempfile.TemporaryDirectory() as folder:
        page = write_page(PAPER, Path(folder) / "report.html")
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars"]
        where = [
            f"--user-data-dir={folder}/profile",
            f"--screenshot={HERE / 'report.png'}",
            "--window-size=1400,1000",
        ]
        subprocess.run([browser, *flags, *where, page.as_uri()], check=True, capture_output=True)


def main() -> None:
    """Make all pictures that can be made."""
    live_view()
    tree()
    crossover.draw(HERE / "crossover.svg")
    imports.draw(HERE / "imports.svg")
    figure("5", None)
    if (PAPER / "cells.jsonl.gz").is_file():
        results()
    else:
        print("no results/reference here, so no pictures of its results")


if __name__ == "__main__":
    main()
