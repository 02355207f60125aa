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

from rich.console import Console

from gatree import load_dataset, plot_tree
from gatree.cli.live import frame
from gatree.config import EvolutionSettings
from gatree.evolution.evolve import Evolution
from gatree.evolution.problem import Problem
from gatree.evolution.warm_up import warm_up
from gatree.experiments.journal import read_journal
from gatree.report.figures import write_figure
from gatree.report.page import write_page
from gatree.trees.model import DecisionTree

HERE = Path(__file__).resolve().parent
PAPER = HERE.parents[1] / "results" / "paper"


def live_view() -> None:
    """Draw the terminal in the middle of `gatree evolve glass`."""
    settings = EvolutionSettings(
        population_size=400, n_generations=2000, mutation_rate=0.5, evaluator="bitset"
    )
    problem = Problem.of(load_dataset("glass"))
    warm_up(problem, settings)
    evolution = Evolution(problem, settings)
    started = time.monotonic()
    while evolution.generation < 1200:
        evolution.step()
    left = (time.monotonic() - started) / 1200 * 800
    console = Console(record=True, width=84, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    heading = "glass: 214 instances, population 400, mutation rate 0.5, x 1e4"
    console.print(frame(heading, evolution, left, console))
    svg = console.export_svg(title="gatree evolve glass --population 400 --generations 2000 --mutation-rate 0.5")
    without_web_fonts = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    (HERE / "live-view.svg").write_text(without_web_fonts, encoding="utf-8")


def tree() -> None:
    """Draw what `gatree evolve zoo --picture tree.svg` draws, with a larger population."""
    settings = EvolutionSettings(population_size=400, n_generations=400, mutation_rate=0.5, evaluator="bitset")
    problem = Problem.of(load_dataset("zoo"))
    evolution = Evolution(problem, settings)
    for _ in range(settings.n_generations):
        evolution.step()
    plot_tree(DecisionTree.of(evolution.best, problem.coding, problem.dataset), file=HERE / "tree.svg")


def results() -> None:
    """Draw our savings against the paper's, and photograph the report page."""
    write_figure("savings", read_journal(PAPER / "cells.jsonl"), HERE)
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print("no chromium here, so no picture of the report page")
        return
    with tempfile.TemporaryDirectory() as folder:
        page = write_page(PAPER, Path(folder) / "report.html")
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars"]
        where = [f"--user-data-dir={folder}/profile", f"--screenshot={HERE / 'report.png'}", "--window-size=1400,1000"]
        subprocess.run([browser, *flags, *where, page.as_uri()], check=True, capture_output=True)


def main() -> None:
    """Make all pictures that can be made."""
    live_view()
    tree()
    write_figure("5", [], HERE)
    if (PAPER / "cells.jsonl").is_file():
        results()
    else:
        print("no results/paper here, so no pictures of its results")


if __name__ == "__main__":
    main()
