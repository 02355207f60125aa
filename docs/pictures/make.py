"""Make the pictures of the documents from the real thing: `make pictures`."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import crossover
import imports

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


if __name__ == "__main__":
    crossover.draw(HERE / "crossover.svg")
    imports.draw(HERE / "imports.svg")
    photograph_explore(HERE / "explore.png")
