"""Every table in every format, as golden files, and what each format promises."""

import json
import shutil
import subprocess

import pytest

from gatree.paper.grids import Style, document
from gatree.paper.publish import compared, ours, papers
from gatree.paper.published import TABLES, published
from gatree.paper.tables import paper_table
from gatree.rendering.documents import (
    FORMATS,
    Document,
    PrintedGrid,
    json_records,
    latex,
    markdown,
)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("number", TABLES)
def test_our_tables(number, name, found, matches_golden):
    ending, write = FORMATS[name]
    text = write(ours(number, found, Style()))
    matches_golden(f"table-{number}.{ending}", text)


@pytest.mark.parametrize("number", [3, 6, 8])
def test_compared_tables(number, found, matches_golden):
    text = markdown(compared(number, found, Style()))
    matches_golden(f"compared-{number}.md", text)


@pytest.mark.parametrize("number", TABLES)
def test_json_holds_what_is_published(number):
    read = json.loads(json_records(document(paper_table(number), Style())))
    assert list(read[0]) == ["table", "mutation", "x", "dataset", "column", "metric", "value"]
    values = {
        (r["table"], str(r["mutation"]), r["x"], r["dataset"], r["column"], r["metric"]): r["value"]
        for r in read
    }
    assert values == {tuple(spot): value for spot, value in published().items() if spot.table == number}


AWKWARD = Document(
    caption="Odd & ends: 10^4, 100 %",
    grids=(PrintedGrid((("Dataset", "100"),), 1, (("a|b_c$#{}~^\\<>", "-1.50"), ("d", None)), None),),
    records=(),
    notes=("`gatree run --only x`, 50 %",),
)


def test_awkward_names_are_escaped():
    rows = markdown(AWKWARD).splitlines()
    assert rows[4].startswith("| a\\|b_c$#{}~^\\<> |")
    assert "—" in rows[5]
    text = latex(AWKWARD)
    assert r"a$|$b\_c\$\#\{\}\textasciitilde{}\textasciicircum{}\textbackslash{}$<$$>$ & $-1.50$ \\" in text
    assert r"Odd \& ends: $10^{4}$, 100 \%" in text
    assert r"{-}{-}only" in text


PAGE = r"""\documentclass{article}
\usepackage[utf8]{inputenc}
\usepackage[a4paper,landscape,margin=12mm]{geometry}
\usepackage{booktabs,longtable}
\setlength{\tabcolsep}{4pt}
\begin{document}
\input{fragment}
\end{document}
"""


def test_a_table_is_a_fragment_with_caption_and_label(found):
    text = latex(ours(12, found, Style()))
    assert "documentclass" not in text
    assert (
        r"\caption{An accuracy{-}size{-}time comparison with x in [$10^{4}$..$10^{6}$] (the paper's Table 12)"
        in text
    )
    assert [text.count(part) for part in (r"\label{tab:table-12-1}", r"\label{tab:table-12-2}")] == [1, 1]
    assert [text.count(part) for part in (r"\toprule", r"\midrule", r"\bottomrule", r"\hline")] == [
        2,
        2,
        2,
        0,
    ]


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex here: LaTeX is not compiled")
def test_latex_compiles(found, tmp_path):
    documents = [ours(number, found, Style()) for number in (3, 11, 12)]
    documents += [
        compared(8, found, Style()),
        papers(6, Style()),
        AWKWARD,
    ]
    for number, one in enumerate(documents):
        path = tmp_path / f"{number}.tex"
        (tmp_path / "fragment.tex").write_text(latex(one), encoding="utf-8")
        path.write_text(PAGE, encoding="utf-8")
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", path.name]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=False, errors="replace"
        )
        assert done.returncode == 0, done.stdout
        assert "Overfull" not in done.stdout
