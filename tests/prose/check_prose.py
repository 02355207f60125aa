"""Check the prose of the documents, of the package with its pages, and of the tests; `make check` runs it.

    python tests/prose/check_prose.py                     # everything
    python tests/prose/check_prose.py gatree/evolution    # the words of a folder or file

Words in backticks in the left column of CONTRIBUTING.md's glossary are out: in Markdown, in comments,
docstrings and messages of Python, and in the templates of pages. Markdown is also checked for line length,
headings, links and anchors, and a page under docs/ has to begin with a line that says who needs it.
"""

from __future__ import annotations

import re
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = (
    *("*.md", "docs/**/*.md", "tests/*.md", "paper/**/*.md", "results/reference/README.md"),
    *("gatree/**/*.py", "bench/**/*.py", "website/*.py", "paper/**/*.py", "docs/**/*.py", "tests/**/*.py"),
    *("gatree/**/templates/*.*", "website/*.js"),
)
NOT_CHECKED = ROOT / "tests" / "prose"  # where the words are examples
LINE_LENGTH = 100

_FENCE = re.compile(r"^(```+).*?^\1\s*$", re.MULTILINE | re.DOTALL)
_GENERATED = re.compile(r"<!-- \w+ -->\n.*?<!-- end -->", re.DOTALL)
_LINK = re.compile(r"!?\[([^\]]*)\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)
_TEXT_TOKENS = {"COMMENT", "STRING", "FSTRING_MIDDLE"}


def main(arguments: list[str]) -> int:
    """Print a line per finding and return the exit code."""
    findings = sorted(found_in(arguments) if arguments else found_everywhere())
    for path, line, message in findings:
        print(f"{path.relative_to(ROOT)}:{line}: {message}")
    print(f"prose: {len(findings)} findings" if findings else "prose: ok")
    return int(bool(findings))


Finding = tuple[Path, int, str]


def found_everywhere() -> Iterator[Finding]:
    """Yield the findings in all files."""
    for path in {path for pattern in FILES for path in ROOT.glob(pattern)}:
        if not path.is_relative_to(NOT_CHECKED):
            yield from found_in_file(path)


def found_in(names: list[str]) -> Iterator[Finding]:
    """Yield the findings in the given files and folders."""
    for path in (Path(name).resolve() for name in names):
        files = [path] if path.is_file() else sorted((*path.rglob("*.md"), *path.rglob("*.py")))
        if not files:
            sys.exit(f"{path}: neither a file nor a folder with Markdown or Python in it")
        for file in files:
            yield from found_in_file(file)


def found_in_file(path: Path) -> Iterator[Finding]:
    """Yield the findings in a document, a program or a template."""
    if path.suffix == ".md":
        return found_in_page(path)
    return found_in_code(path) if path.suffix == ".py" else found_in_template(path)


def found_in_page(path: Path) -> Iterator[Finding]:
    """Yield the findings in a Markdown document."""
    text = path.read_text(encoding="utf-8")
    prose = _GENERATED.sub(_blanked, _FENCE.sub(_blanked, text))
    if path != ROOT / "CONTRIBUTING.md":
        yield from found_words(path, prose)
    else:
        yield from found_words(path, prose.replace(_glossary(), _blanked(_glossary())))
    yield from ((path, line, message) for line, message in long_lines(prose))
    yield from ((path, line, message) for line, message in bad_headings(prose))
    yield from ((path, line, message) for line, message in broken_links(path, prose))
    if path.is_relative_to(ROOT / "docs") and not re.match(r"# .+\n\n\*For ", text):
        yield path, 3, "begin with who needs this page, under its title: *For ...*"


def found_in_code(path: Path) -> Iterator[Finding]:
    """Yield the words that are out in the comments and texts of a Python file."""
    with tokenize.open(path) as file:
        for token in tokenize.generate_tokens(file.readline):
            if tokenize.tok_name[token.type] in _TEXT_TOKENS and " " in token.string:
                text = re.sub(r"\{[^{}\n]*\}", "x", token.string)  # expressions of f-strings
                yield from found_words(path, text, first=token.start[0])


def found_in_template(path: Path) -> Iterator[Finding]:
    """Yield the words that are out in a template of a page: in its text, its comments and its scripts."""
    yield from found_words(path, re.sub(r"<[^<>]*>", _blanked, path.read_text(encoding="utf-8")))


def found_words(path: Path, text: str, first: int = 1) -> Iterator[Finding]:
    """Yield the words of a text that the glossary excludes; code between backticks may use them."""
    text = re.sub(r"(`+)[^`]+\1", _blanked, text)
    for found in _excluded().finditer(text):
        words = " ".join(found[0].split())
        yield path, first + text.count("\n", 0, found.start()), f"'{words}' is out: see the glossary"


def long_lines(prose: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that are too long; tables, indented code and link targets do not count."""
    for number, line in enumerate(prose.splitlines(), start=1):
        length = len(_LINK.sub(r"[\1]", line))
        if length > LINE_LENGTH and not line.lstrip().startswith("|") and not line.startswith("    "):
            yield number, f"{length} characters, at most {LINE_LENGTH}"


def bad_headings(prose: str) -> Iterator[tuple[int, str]]:
    """Yield headings that skip a level, and a document that has not one title on top."""
    above = 0
    for found in _HEADING.finditer(prose):
        line, level = prose.count("\n", 0, found.start()) + 1, len(found[1])
        if level > above + 1:
            yield line, f"heading of level {level} below one of level {above}"
        if level == 1 and above:
            yield line, "second title"
        above = level
    if not above:
        yield 1, "no title"


def broken_links(path: Path, prose: str) -> Iterator[tuple[int, str]]:
    """Yield relative links to files or anchors that do not exist."""
    for found in _LINK.finditer(prose):
        target, _, anchor = found[2].partition("#")
        if "://" in target or target.startswith("mailto:"):
            continue
        line, file = prose.count("\n", 0, found.start()) + 1, (path.parent / target) if target else path
        if not file.exists():
            yield line, f"no such file: {target}"
        elif anchor and file.suffix == ".md" and anchor not in _anchors(file):
            yield line, f"no such heading: {found[2]}"


@cache
def _anchors(page: Path) -> set[str]:
    titles = [title for _, title in _HEADING.findall(_FENCE.sub("", page.read_text(encoding="utf-8")))]
    plain = [re.sub(r"[^\w\- ]", "", _LINK.sub(r"\1", title).lower()) for title in titles]
    return {title.strip().replace(" ", "-") for title in plain}


@cache
def _glossary() -> str:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return re.split(r"^## ", text.partition("\n## Glossary\n")[2], maxsplit=1, flags=re.MULTILINE)[0]


@cache
def _excluded() -> re.Pattern[str]:
    rows = [line.split("|")[1] for line in _glossary().splitlines() if line.startswith("|")]
    phrases = [phrase for row in rows for phrase in re.findall(r"`([^`]+)`", row)]
    if not phrases:
        sys.exit("CONTRIBUTING.md: no words in backticks in the table under '## Glossary'")
    words = "|".join(r"\s+".join(map(re.escape, phrase.split())) for phrase in phrases)
    return re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE)


def _blanked(found: re.Match[str] | str) -> str:
    """Return the line breaks of a text, which keep the numbers of the lines behind it."""
    return "\n" * (found if isinstance(found, str) else found[0]).count("\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
