"""Draw which packages of gatree import which: a dot in a row's column.

Part of `make pictures`. Packages are in the order of the layers that import-linter checks, highest first, so
no dot is left of the diagonal.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_CELL, _LABELS, _HEAD = 22, 90, 80


def packages() -> list[str]:
    """Return the packages in the order of their layers."""
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    return [name.strip() for layer in linter["contracts"][0]["layers"] for name in layer.split("|")]


def imports_of(package: str) -> set[str]:
    """Return the other packages that a package imports anything of, also inside functions."""
    trees = [
        ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT / "gatree" / package).rglob("*.py")
    ]
    return {name.split(".")[1] for tree in trees for name in _imported(tree)} - {package}


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{name}" for name in names]
        yield from (name for name in names if name.startswith("gatree."))


def draw(file: Path) -> None:
    """Write the picture as SVG."""
    names = packages()
    side = _CELL * len(names)
    width, height = _LABELS + side + 4, _HEAD + side + 4
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"',
        'font-family="sans-serif" font-size="12">',
        "<title>Imports between the packages of gatree: a row imports the columns with a dot</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for k, name in enumerate(names):
        x, y = _LABELS + k * _CELL, _HEAD + k * _CELL
        lines += [
            f'<path d="M{_LABELS} {y}h{side}M{x} {_HEAD}v{side}" stroke="#dde3e6"/>',
            f'<rect x="{x}" y="{y}" width="{_CELL}" height="{_CELL}" fill="#c9d3d7"/>',
            f'<text x="{_LABELS - 6}" y="{y + 15}" text-anchor="end">{name}</text>',
            f'<text transform="translate({x + 15} {_HEAD - 6}) rotate(-90)">{name}</text>',
        ]
        for other in sorted(imports_of(name) & set(names)):
            middle = _LABELS + names.index(other) * _CELL + _CELL // 2
            lines.append(f'<circle cx="{middle}" cy="{y + _CELL // 2}" r="5" fill="#0072b2"/>')
    file.write_text("\n".join([*lines, "</svg>"]) + "\n", encoding="utf-8")
