"""Tables ready to print, and their formats: Markdown, CSV, LaTeX and JSON.

A `Document` is one table: its caption, its grids of texts (None where a number is missing), the same numbers
as records, and the notes that belong under it.
In Markdown and LaTeX a missing number is an em dash and a label is printed once, as in the paper; in CSV
a missing number is an empty field and every row has all its labels; in JSON it has no record.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tabulate import tabulate

MISSING = "—"

Texts = tuple[str | None, ...]


@dataclass(frozen=True)
class PrintedGrid:
    """One grid: the first `n_labels` columns are labels, the others numbers.

    Headings are one or two lines; an empty one in the upper line continues its left neighbour.
    """

    headings: tuple[tuple[str, ...], ...]
    n_labels: int
    rows: tuple[Texts, ...]
    title: tuple[str, str] | None = None
    repeats_labels: bool = False  # also where people read it


@dataclass(frozen=True)
class Document:
    """One table, ready to be written in any format."""

    caption: str
    grids: tuple[PrintedGrid, ...]
    records: tuple[dict[str, Any], ...]
    notes: tuple[str, ...] = ()
    statistics: tuple[PrintedGrid, ...] = ()  # the same where there is room for more than the mean
    lead: tuple[str, ...] = ()  # sentences before the table


def rounded(value: float | None) -> float | None:
    """Return a number for JSON: unrounded, but without the noise of floating point."""
    return None if value is None else round(value, 6)


def printed_rows(grid: PrintedGrid) -> Iterator[list[str]]:
    """Yield the rows as people read them: no label twice in a row, dashes for missing numbers."""
    above: tuple[str | None, ...] = ()
    for row in grid.rows:
        shown = [MISSING if text is None else text for text in row]
        for column in range(0 if grid.repeats_labels else grid.n_labels):
            if row[: column + 1] == above[: column + 1] and column < grid.n_labels - 1:
                shown[column] = ""
        above = row[: grid.n_labels]
        yield shown


# --- Markdown ---------------------------------------------------------------------------------------


def markdown(document: Document) -> str:
    """Return the table in Markdown, under its caption and what leads to it, above its notes."""
    grids = [markdown_grid(grid) for grid in document.grids]
    return "\n\n".join([document.caption, *document.lead, *grids, *document.notes]) + "\n"


def markdown_grid(grid: PrintedGrid) -> str:
    """Return one grid in Markdown."""
    first, *second = grid.headings
    rows = [_piped(row) for row in [*second, *printed_rows(grid)]]
    align = ["left"] * grid.n_labels + ["right"] * (len(first) - grid.n_labels)
    return tabulate(rows, _piped(first), tablefmt="pipe", disable_numparse=True, colalign=align)


def _piped(row: Sequence[str]) -> list[str]:
    return [text.replace("|", "\\|") for text in row]


# --- CSV --------------------------------------------------------------------------------------------


def comma_separated(document: Document) -> str:
    """Return the table as CSV, with one line of headings and without notes; ours with n, sd, min and max."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    grids = document.statistics or document.grids
    writer.writerow(_flat_headings(grids[0]))
    for grid in grids:
        title = grid.title[1:] if grid.title else ()
        writer.writerows([*title, *row] for row in grid.rows)
    return text.getvalue()


def _flat_headings(grid: PrintedGrid) -> list[str]:
    """Return the headings as one line; the title of a grid becomes a column of its own."""
    if len(grid.headings) == 1:
        return list(grid.headings[0])
    if grid.title:
        return [grid.title[0], *(lower or upper for upper, lower in zip(*grid.headings, strict=True))]
    flat, above = [], ""
    for upper, lower in zip(*grid.headings, strict=True):
        above = upper or above
        flat.append(f"{above}, {lower}" if lower else above)
    return flat


# --- LaTeX ------------------------------------------------------------------------------------------

_PREAMBLE = r"""\documentclass{article}
\usepackage[utf8]{inputenc}
\usepackage[a4paper,landscape,margin=12mm]{geometry}
\pagestyle{empty}
\setlength{\parindent}{0pt}
\setlength{\tabcolsep}{4pt}
\begin{document}
\footnotesize
"""
_ROWS_ON_A_PAGE = 45


def latex(document: Document) -> str:
    """Return the table as a LaTeX document of its own; its tabulars can be copied into another."""
    tabulars = [tabular for grid in document.grids for tabular in _latex_grid(grid)]
    separate = "\n\n\\bigskip\n" if len(tabulars) == len(document.grids) else "\n\\clearpage\n"
    title = f"{_tex(document.caption)}\n\n\\medskip\n"
    notes = "".join(f"{_tex(note)}\\par\n" for note in document.notes)
    lead = "".join(f"{_tex(sentence)}\\par\n" for sentence in document.lead)
    body = f"{lead}\\begin{{center}}\n{title}{separate.join(tabulars)}\n\\end{{center}}\n"
    return f"{_PREAMBLE}{body}{notes}\\end{{document}}\n"


def _latex_grid(grid: PrintedGrid) -> Iterator[str]:
    """Yield the grid as one tabular, or as several if it is longer than a page."""
    columns = "l" * grid.n_labels + "r" * (len(grid.headings[0]) - grid.n_labels)
    rows = [_tex_line(map(_tex, row)) for row in printed_rows(grid)]
    for start in range(0, len(rows), _ROWS_ON_A_PAGE):
        page = rows[start : start + _ROWS_ON_A_PAGE]
        lines = [r"\hline", *_latex_headings(grid), r"\hline", *page, r"\hline"]
        yield "\n".join([rf"\begin{{tabular}}{{{columns}}}", *lines, r"\end{tabular}"])


def _latex_headings(grid: PrintedGrid) -> list[str]:
    """Return the lines of headings, an upper one centred over the columns that it spans."""
    if len(grid.headings) == 1:
        return [_tex_line(map(_tex, grid.headings[0]))]
    upper, lower = grid.headings
    spans: list[tuple[str, int]] = []
    for column, (above, below) in enumerate(zip(upper, lower, strict=True)):
        if not above and below and column > grid.n_labels:
            spans[-1] = (spans[-1][0], spans[-1][1] + 1)
        else:
            spans.append((above, 1))
    texts = (_tex(text) if n == 1 else rf"\multicolumn{{{n}}}{{c}}{{{_tex(text)}}}" for text, n in spans)
    return [_tex_line(texts), _tex_line(map(_tex, lower))]


def _tex_line(texts: Sequence[str] | Iterator[str]) -> str:
    return " & ".join(texts) + r" \\"


_TEX_SIGNS = {
    "\\": r"\textbackslash{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    "—": "---",
    "±": r"$\pm$",
    "‡": r"\ddag{}",
    "-": "{-}",  # so that two stay two
}


def _tex(text: str) -> str:
    """Escape a text; powers such as 10^4 are set as powers, signed numbers with a true minus."""
    if re.fullmatch(r"[+-][\d.,]+", text):
        return f"${text.replace(',', '{,}')}$"
    parts = re.split(r"(\d+\^\d+)", text)
    return "".join(
        "${}^{{{}}}$".format(*part.split("^")) if index % 2 else "".join(_TEX_SIGNS.get(c, c) for c in part)
        for index, part in enumerate(parts)
    )


# --- JSON -------------------------------------------------------------------------------------------


def json_records(document: Document) -> str:
    """Return the numbers as records with the columns of published.csv, one to a line."""
    return "[\n" + ",\n".join(json.dumps(record) for record in document.records) + "\n]\n"


FORMATS: dict[str, tuple[str, Callable[[Document], str]]] = {
    "md": ("md", markdown),
    "csv": ("csv", comma_separated),
    "latex": ("tex", latex),
    "json": ("json", json_records),
}
"""By the name of a format: the ending of its files, and what writes it."""
