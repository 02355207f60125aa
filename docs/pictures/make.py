"""Make the pictures of the documents from the real thing: `make pictures`."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from io import StringIO
from pathlib import Path

import crossover
import imports
from rich.console import Console

from gatree import load_dataset
from gatree.cli.watch import LiveView
from gatree.evolution.evolve import Evolution
from gatree.settings.evolution_settings import EvolutionSettings

HERE = Path(__file__).resolve().parent


def photograph_explore(to: Path) -> None:
    """Photograph the page of `gatree explore zoo`."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print("no chromium here, so no picture of the page of gatree explore")
        return
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "zoo.html"
        command = [sys.executable, "-m", "gatree", "explore", "zoo", "--output", str(page)]
        subprocess.run(command, check=True)
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars"]
        where = [f"--user-data-dir={folder}/profile", f"--screenshot={to}", "--window-size=1265,1330"]
        subprocess.run([browser, *flags, *where, page.as_uri()], check=True, capture_output=True)


def photograph_watch(to: Path) -> None:
    """Save what `gatree evolve kr-vs-kp --watch` shows after 150 generations of 400 trees."""
    settings = EvolutionSettings(population_size=400, n_generations=400, mutation_rate=0.05)
    evolution, view = Evolution(load_dataset("kr-vs-kp"), settings), LiveView("kr-vs-kp", lambda: False)
    evolution.advance(150)
    console = Console(record=True, width=80, height=24, file=StringIO())
    console.print(view.picture(evolution, 80, 24))
    drawn = console.export_svg(title="gatree evolve kr-vs-kp --watch", unique_id="watch")
    to.write_text(re.sub(r"@font-face \{.*?\}", "", drawn, flags=re.DOTALL))  # fonts that would be fetched


if __name__ == "__main__":
    crossover.draw(HERE / "crossover.svg")
    imports.draw(HERE / "imports.svg")
    photograph_watch(HERE / "watch.svg")
    photograph_explore(HERE / "explore.png")
