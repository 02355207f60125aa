"""Make the pictures of the README from the real thing: `make pictures`.

A tree, Figure 5 and, where there are results and a browser, the savings of the experiment and its report
page.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import crossover
import imports

from gatree import load_dataset, plot_tree
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
