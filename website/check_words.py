"""Print the lines of documents and scripts that are too long; ruff checks those of the code.

`make check` runs it; mkdocs checks links.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("*.md", "docs/**/*.md", "tests/*.md", "paper/**/*.md")
SCRIPTS = "gatree/*/templates/*.js"
LINE_LENGTH, SCRIPT_LENGTH = 100, 110


def main() -> int:
    """Print a line per finding and return the exit code."""
    found = [*long_lines(), *long_lines_of_scripts()]
    for path, number, length in found:
        most = SCRIPT_LENGTH if path.suffix == ".js" else LINE_LENGTH
        print(f"{path.relative_to(ROOT)}:{number}: {length} characters, at most {most}")
    return int(bool(found))


def long_lines_of_scripts() -> Iterator[tuple[Path, int, int]]:
    """Yield the long lines of the pages' scripts."""
    for path in sorted(ROOT.glob(SCRIPTS)):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if len(line) > SCRIPT_LENGTH:
                yield path, number, len(line)


def long_lines() -> Iterator[tuple[Path, int, int]]:
    """Yield the long lines of the documents, without code, tables, generated blocks and targets of links."""
    for path in sorted({path for pattern in PAGES for path in ROOT.glob(pattern)}):
        is_code = is_generated = False
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            is_code ^= line.startswith("```")
            if line.startswith("<!-- "):
                is_generated = line != "<!-- end -->"
            length = len(re.sub(r"\]\([^)]*\)", "]", line))
            is_prose = not (is_code or is_generated or line.startswith(("|", "    ")))
            if is_prose and length > LINE_LENGTH:
                yield path, number, length


if __name__ == "__main__":
    sys.exit(main())
