"""Add the pages of the site that are not in docs/, and rewrite links between documents.

Documents have links that work in the repository. Those outside docs/ become pages with other names, together
with their pictures. The page of examples is generated, the docstrings of all public names are appended to the
Python reference, and the help of all commands to that of the command line. A link to a file that is not a
page becomes plain text.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import gatree
from gatree.cli.main import cli

ROOT = Path(__file__).resolve().parents[1]

OUTSIDE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "results/bench/README.md": "bench.md",
    "results/reference/README.md": "results.md",
    "results/reference/tables/comparison.md": "comparison.md",
    "paper/artifact.md": "artifact.md",
}
"""The documents outside docs/ that become pages, and the names of these."""

FOLDERS = {"results/bench": "bench.md", "results/reference": "results.md", "docs/examples": "examples.md"}
"""Folders that documents link to, and the pages about them."""

WIDTH = 90
"""Columns of the commands' help."""

_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
_PICTURES = (".svg", ".png")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the documents outside docs/, their pictures, and the generated page."""
    for source, name in OUTSIDE.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=text))
    inside = [f"docs/{file.src_uri}" for file in files.documentation_pages() if not file.generated_by]
    for source in (*OUTSIDE, *inside):
        for picture in _pictures(source, (ROOT / source).read_text(encoding="utf-8")):
            if picture not in files.src_uris and not picture.startswith("docs/"):
                files.append(File.generated(config, picture, abs_src_path=str(ROOT / picture)))
    for name in ("site.css", "iframe-worker.js"):
        files.append(File.generated(config, name, abs_src_path=str(ROOT / "website" / name)))
    files.append(File.generated(config, "examples.md", content=_examples()))
    return files


def on_page_markdown(markdown: str, page: Page, files: Files, **_: object) -> str:
    """Rewrite links between files of the repository as links between pages."""
    here = _repository_path(page.file.src_uri)
    known = files.src_uris

    def relinked(link: re.Match[str]) -> str:
        picture, text, target, anchor = link[1], link[2], link[3], link[4] or ""
        if "://" in target:
            return link[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(here), target))
        uri = _site_path(path)
        if uri in known:
            relative = posixpath.relpath(uri, posixpath.dirname(page.file.src_uri) or ".")
            return f"{picture}[{text}]({relative}{anchor or _anchor(path)})"
        return text if (ROOT / path).exists() else link[0]  # mkdocs complains about the latter

    text = _LINK.sub(relinked, markdown)
    appended = {"python.md": _docstrings, "cli.md": _commands}.get(page.file.src_uri)
    return text + appended() if appended else text


def _pictures(source: str, text: str) -> Iterator[str]:
    """Yield the repository paths of the pictures that a document shows."""
    for link in _LINK.finditer(text):
        if link[1] and link[3].endswith(_PICTURES) and "://" not in link[3]:
            yield posixpath.normpath(posixpath.join(posixpath.dirname(source), link[3]))


def _repository_path(uri: str) -> str:
    """Return the repository path of a page's document."""
    return next((source for source, name in OUTSIDE.items() if name == uri), f"docs/{uri}")


def _site_path(path: str) -> str:
    """Return the page, or another file of the site, for a path in the repository."""
    if path in OUTSIDE or path in FOLDERS:
        return OUTSIDE.get(path) or FOLDERS[path]
    return "examples.md" if _is_example(path) else path.removeprefix("docs/")


def _anchor(path: str) -> str:
    return f"#{Path(path).stem}" if _is_example(path) else ""


def _is_example(path: str) -> bool:
    return path.startswith("docs/examples/") and path.endswith(".py")


def _examples() -> str:
    parts = ["# Example programs\n\n*For those who start from working code; the tests run every program.*"]
    for file in sorted((ROOT / "docs" / "examples").glob("*.py")):
        parts.append(f"## {file.name} {{ #{file.stem} }}\n\n```python\n{file.read_text(encoding='utf-8')}```")
    return "\n\n".join(parts)


def _docstrings() -> str:
    public = [getattr(gatree, name) for name in sorted(gatree.__all__) if name != "__version__"]
    return "\n" + "\n\n".join(f"::: {thing.__module__}.{thing.__name__}" for thing in public)


def _commands(group: click.Group = cli, context: click.Context | None = None) -> str:
    """Return a section with the help of every command; the commands of a group follow it."""
    context = context or group.make_context("gatree", [], terminal_width=WIDTH, resilient_parsing=True)
    sections = ""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        own = command.make_context(name, [], context, resilient_parsing=True)
        sections += f"\n## {own.command_path}\n\n```text\n{command.get_help(own)}\n```\n"
        sections += _commands(command, own) if isinstance(command, click.Group) else ""
    return sections
