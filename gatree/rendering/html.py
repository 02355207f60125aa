"""Self-contained HTML pages: templates, scripts and styles of a package, all in one file.

A template escapes all text, and its content security policy allows the page's own script alone, by its hash.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Iterable, Sequence
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from gatree.base.errors import visible


def render_page(
    package: str, template: str, scripts: Sequence[str], styles: Sequence[str], **content: object
) -> str:
    """Return a page from the folder ``templates`` of a package.

    The template gets the content, and as ``script``, ``script_hash`` and ``style`` the files to include; the
    script and the style begin with the theme of all pages.
    """
    environment = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    script = _joined("gatree.rendering", ["theme.js"]) + _joined(package, scripts)
    return environment.get_template(template).render(
        **content,
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        style=Markup(_joined("gatree.rendering", ["theme.css"]) + _joined(package, styles)),
    )


def html_table(title: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a title and a table as notebooks show them."""
    head = "".join(f"<th>{_escaped(cell)}</th>" for cell in heads)
    body = "".join(f"<tr>{''.join(f'<td>{_escaped(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<p>{_escaped(title)}</p><table><tr>{head}</tr>{body}</table>"


def _escaped(value: object) -> str:
    return html.escape(visible(str(value)))


def _joined(package: str, names: Sequence[str]) -> str:
    folder = files(package).joinpath("templates")
    return "".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)
