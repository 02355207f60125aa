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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tabulate import tabulate

from gatree.base.json_values import Json

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
    records: tuple[Mapping[str, Json], ...]
    notes: tuple[str, ...] = ()
    statistics: tuple[PrintedGrid, ...] = ()  # the same where there is room for more than the mean
    lead: tuple[str, ...] = ()  # sentences before the table
    below: tuple[PrintedGrid, ...] = ()  # tables under it in Markdown and on a terminal


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
    grids = [markdown_grid(grid) for grid in (*document.grids, *document.below)]
    return "\n\n".join([document.caption, *document.lead, *grids, *document.notes]) + "\n"


def markdown_grid(grid: PrintedGrid) -> str:
    """Return one grid in Markdown."""
    return _tabulated(grid, "pipe", lambda text: text.replace("|", "\\|"))


def _tabulated(grid: PrintedGrid, tablefmt: str, escape: Callable[[str], str]) -> str:
    """Return a grid as one of tabulate's formats has it; a second line of headings is its first row."""
    first, *rows = [list(map(escape, row)) for row in (*grid.headings, *printed_rows(grid))]
    align = ["left"] * grid.n_labels + ["right"] * (len(first) - grid.n_labels)
    return tabulate(rows, first, tablefmt=tablefmt, disable_numparse=True, colalign=align)


# --- CSV --------------------------------------------------------------------------------------------


def comma_separated(document: Document) -> str:
    """Return the table as CSV, with one line of headings and without notes; ours with n, sd, min and max."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    grids = document.statistics or document.grids
    title = grids[0].title[:1] if grids[0].title else ()
    writer.writerow([*title, *flat_headings(grids[0].headings, joined=not title)])
    for grid in grids:
        title = grid.title[1:] if grid.title else ()
        writer.writerows([*title, *row] for row in grid.rows)
    return text.getvalue()


def flat_headings(headings: Sequence[Sequence[str]], joined: bool) -> list[str]:
    """Return one or two lines of headings as one: an upper one before all under it, or left out."""
    if len(headings) == 1:
        return list(headings[0])
    flat, above = [], ""
    for upper, lower in zip(*headings, strict=True):
        above = (upper or above) if joined else upper
        flat.append(f"{above}, {lower}" if lower and joined else lower or above)
    return flat


# --- LaTeX ------------------------------------------------------------------------------------------


def latex(document: Document) -> str:
    """Return the table as a fragment to \\input: a caption, a label, and booktabs' rules; notes below it."""
    lead, notes = (
        "".join(f"{_tex(text)}\\par\n" for text in some) for some in (document.lead, document.notes)
    )
    needs = "% \\input this; it needs \\usepackage{booktabs,longtable}\n"
    grids = [_latex_grid(grid, document, number) for number, grid in enumerate(document.grids, start=1)]
    return f"{needs}{{\\footnotesize\n{lead}{''.join(grids)}\\noindent {notes}}}\n"


def _latex_grid(grid: PrintedGrid, document: Document, number: int) -> str:
    """Return the grid as a longtable, which may go on over pages, with the headings on each."""
    begin, headings, rows = _tabulated(grid, "latex_raw", _tex).split("\\hline\n", 2)
    rows, end = rows.rsplit("\\hline\n", 1)
    numbered = re.fullmatch(r"(Table \d+)\. (.*)", document.caption)
    caption = f"{numbered[2]} (the paper's {numbered[1]})" if numbered else document.caption
    if grid.title:
        caption += f", {' '.join(grid.title).lower()}"
    label = "-".join(re.findall(r"[a-z0-9]+", document.caption.lower())[:2])
    label += f"-{number}" if len(document.grids) > 1 else ""
    top = f"\\caption{{{_tex(caption)}}}\\label{{tab:{label}}}\\\\\n\\toprule\n"
    text = f"{begin}{top}{headings}\\midrule\n\\endhead\n\\bottomrule\n\\endfoot\n{rows}{end}\n"
    return text.replace("{tabular}", "{longtable}")


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
