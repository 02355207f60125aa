"""The page: one self-contained HTML file that fetches nothing, in a file or in a notebook."""

from __future__ import annotations

import html
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from markupsafe import Markup

from gatree.base.errors import DataError
from gatree.base.files import write_whole
from gatree.study.content import as_json, content
from gatree.study.finding import Finding
from gatree.trees.numbers import grouped

TEXT_SCRIPTS = ("words.js", "tree.js", "flips.js")
"""What the page computes and writes, without touching it; they need its content as ``data``."""
_SCRIPTS = (
    "content.js",
    *TEXT_SCRIPTS,
    *("draw.js", "front.js", "node.js", "mistakes.js", "insight.js", "downloads.js", "explore.js"),
)
_STYLES = ("explore.css",)


def page(finding: Finding, with_rows: bool = True) -> str:
    """Return the page as HTML."""
    from gatree.rendering.html import render_page  # imported here: `gatree evolve` needs no jinja2

    drawn_from = content(finding, with_rows)
    return render_page(
        "gatree.study",
        "explore.html",
        _SCRIPTS,
        _STYLES,
        finding=finding,
        dataset=finding.dataset,
        drawn_from=drawn_from,
        is_number=finding.tree.is_regression,
        grouped=grouped,
        tree_style=Markup(_tree_style()),
        block=Markup(as_json(drawn_from)),
    )


def write_page(finding: Finding, output: Path, with_rows: bool = True) -> None:
    """Write the page to a file."""
    try:
        write_whole(output, page(finding, with_rows))
    except OSError as error:
        raise DataError(f"{output}: cannot be written ({error.strerror})") from error


@dataclass(frozen=True)
class NotebookPage:
    """A page that a notebook shows in a separate frame; ``save`` writes it to a file."""

    text: str
    height: int = 900

    def _repr_html_(self) -> str:
        """Return the frame that a notebook shows."""
        style = f"width:100%;height:{self.height}px;border:0"
        allowed = "allow-scripts allow-downloads"
        page = html.escape(self.text, quote=True)
        return f'<iframe srcdoc="{page}" style="{style}" sandbox="{allowed}"></iframe>'

    def __repr__(self) -> str:
        return f"<page of {len(self.text):,} characters; save(path) writes it>"

    def save(self, path: str | Path) -> None:
        """Write the page to a file."""
        write_whole(Path(path), self.text)


def _tree_style() -> str:
    """Return the style of trees, which downloaded pictures include."""
    return files("gatree.study").joinpath("templates", "tree.css").read_text(encoding="utf-8")
