"""Render the page: one self-contained HTML file that forbids the browser to fetch anything."""

from __future__ import annotations

import html
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from markupsafe import Markup

from gatree.base.errors import DataError
from gatree.base.files import write_whole
from gatree.explore.content import Explored, as_json, content
from gatree.rendering.html import render_page
from gatree.trees.drawing import short

_SCRIPTS = ("words.js", "tree.js", "draw.js", "front.js", "node.js", "mistakes.js", "explore.js")
_STYLES = ("explore.css",)


def page(explored: Explored, with_rows: bool = True) -> str:
    """Return the page as HTML."""
    drawn_from = content(explored, with_rows)
    return render_page(
        "gatree.explore",
        "explore.html",
        _SCRIPTS,
        _STYLES,
        explored=explored,
        dataset=explored.dataset,
        drawn_from=drawn_from,
        is_number=explored.target is not None,
        short=short,
        tree_style=Markup(_tree_style()),
        block=Markup(as_json(drawn_from)),
    )


def write_page(explored: Explored, output: Path, with_rows: bool = True) -> None:
    """Write the page to a file."""
    try:
        write_whole(output, page(explored, with_rows))
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
    return files("gatree.explore").joinpath("templates", "tree.css").read_text(encoding="utf-8")
