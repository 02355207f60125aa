"""Print the words in documents and code that the glossary of CONTRIBUTING.md excludes, and lines too long.

`make check` runs it; mkdocs checks links.
"""

from __future__ import annotations

import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("*.md", "docs/**/*.md", "tests/*.md", "paper/**/*.md")
CODE = ("gatree/**/*.py", "bench/**/*.py", "website/*.py", "paper/**/*.py", "docs/**/*.py", "tests/**/*.py")
LINE_LENGTH = 100


def main() -> int:
    """Print a line per finding and return the exit code."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    text, _, glossary = page.partition("\n## Glossary\n")
    rows = [line.split("|")[1] for line in glossary.splitlines() if line.startswith("|")]
    phrases = [phrase for row in rows for phrase in re.findall("`([^`]+)`", row)]
    excluded = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, phrases))})(?![\w-])", re.IGNORECASE)
    n_findings = 0
    for path, line, prose in lines_of_prose():
        if path.name == "CONTRIBUTING.md" and line > text.count("\n"):
            continue
        plain = re.sub(r"`[^`]*`", "", prose)
        messages = [f"'{found[0]}' is out: see the glossary" for found in excluded.finditer(plain)]
        length = len(re.sub(r"\]\([^)]*\)", "]", prose))
        if path.suffix == ".md" and length > LINE_LENGTH and not prose.startswith(("|", "    ")):
            messages.append(f"{length} characters, at most {LINE_LENGTH}")
        for message in messages:
            print(f"{path.relative_to(ROOT)}:{line}: {message}")
        n_findings += len(messages)
    return int(n_findings > 0)


def lines_of_prose() -> Iterator[tuple[Path, int, str]]:
    """Yield the lines of the documents without their code, and of the comments and texts of the code."""
    for path in sorted({path for pattern in PAGES for path in ROOT.glob(pattern)}):
        is_code = is_generated = False
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            is_code ^= line.startswith("```")
            if line.startswith("<!-- "):
                is_generated = line != "<!-- end -->"
            if not is_code and not is_generated:
                yield path, number, line
    for path in sorted({path for pattern in CODE for path in ROOT.glob(pattern)}):
        with tokenize.open(path) as file:
            for token in tokenize.generate_tokens(file.readline):
                if token.type in (tokenize.COMMENT, tokenize.STRING) and " " in token.string:
                    for offset, line in enumerate(token.string.splitlines()):
                        yield path, token.start[0] + offset, line


if __name__ == "__main__":
    sys.exit(main())
