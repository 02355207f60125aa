"""The page itself: one HTML file that needs nothing else, and whose browser may fetch nothing."""

from __future__ import annotations

import base64
import hashlib
import html
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from gatree.base.atomic_write import write_whole
from gatree.base.errors import DataError
from gatree.explore.content import Explored, as_json, content

_SCRIPTS = ("words.js", "tree.js", "draw.js", "front.js", "node.js", "mistakes.js", "explore.js")
_STYLES = ("theme.css", "explore.css", "tree.css")


def page(explored: Explored, with_rows: bool = True) -> str:
    """Return the page of what was found."""
    script = "".join(map(_asset, _SCRIPTS))
    environment = Environment(
        loader=PackageLoader("gatree.explore"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    drawn_from = content(explored, with_rows)
    return environment.get_template("explore.html").render(
        explored=explored,
        dataset=explored.dataset,
        drawn_from=drawn_from,
        is_number=explored.target is not None,
        tree_style=Markup(_asset("tree.css")),
        block=Markup(as_json(drawn_from)),
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        style=Markup("".join(map(_asset, _STYLES[:2]))),
    )


def write_page(explored: Explored, output: Path, with_rows: bool = True) -> None:
    """Write the page into a file."""
    try:
        write_whole(output, page(explored, with_rows))
    except OSError as error:
        raise DataError(f"{output}: cannot be written ({error.strerror})") from error


@dataclass(frozen=True)
class NotebookPage:
    """A page that a notebook shows in a frame of its own; ``save`` writes it into a file."""

    text: str
    height: int = 900

    def _repr_html_(self) -> str:
        """Return the page as notebooks show it."""
        style = f"width:100%;height:{self.height}px;border:0"
        allowed = "allow-scripts allow-downloads"
        page = html.escape(self.text, quote=True)
        return f'<iframe srcdoc="{page}" style="{style}" sandbox="{allowed}"></iframe>'

    def __repr__(self) -> str:
        return f"<page of {len(self.text):,} characters; save(path) writes it>"

    def save(self, path: str | Path) -> None:
        """Write the page into a file."""
        write_whole(Path(path), self.text)


def _asset(name: str) -> str:
    return files("gatree.explore").joinpath("templates", name).read_text(encoding="utf-8")
