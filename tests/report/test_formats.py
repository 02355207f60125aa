"""Every table in every format, as golden files, and what each format promises."""

import io
import json
import shutil
import subprocess

import pandas as pd
import pytest
from sample_results import grids_of

from gatree.experiments.frame import Results
from gatree.paper.grids import Style, document
from gatree.paper.publish import compared, ours, papers
from gatree.paper.published import TABLES, published
from gatree.paper.tables import our_table, paper_table
from gatree.rendering.documents import (
    FORMATS,
    Document,
    PrintedGrid,
    comma_separated,
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


@pytest.fixture(scope="module")
def papers_own(records):
    def is_papers(dataset, population_size=100, **_):
        return dataset != "own" and population_size == 100

    return Results.of([record for record in records if is_papers(**record["cell"])])


@pytest.mark.parametrize("number", TABLES)
def test_our_markdown_has_the_layout_of_the_published_table(number, papers_own):
    """The same headings, row labels and number of cells, for a journal of the paper's own grid."""
    mine = grids_of(markdown(document(our_table(number, papers_own), Style())))
    theirs = grids_of(markdown(papers(number, Style())))
    n_headings = 2 if number in (3, 12) else 1
    n_labels = 1 if number == 3 else 2
    assert [grid[:n_headings] for grid in mine] == [grid[:n_headings] for grid in theirs]
    assert [[row[:n_labels] for row in grid] for grid in mine] == [
        [row[:n_labels] for row in g] for g in theirs
    ]
    assert [[len(row) for row in grid] for grid in mine] == [[len(row) for row in grid] for grid in theirs]


@pytest.mark.parametrize("number", TABLES)
def test_json_holds_what_is_published(number):
    read = json.loads(json_records(document(paper_table(number), Style())))
    assert list(read[0]) == ["table", "mutation", "x", "dataset", "column", "metric", "value"]
    values = {
        (r["table"], str(r["mutation"]), r["x"], r["dataset"], r["column"], r["metric"]): r["value"]
        for r in read
    }
    assert values == {tuple(spot): value for spot, value in published().items() if spot.table == number}


def test_csv_is_read_by_pandas(found):
    text = comma_separated(document(our_table(4, found), Style()))
    frame = pd.read_csv(io.StringIO(text))
    assert frame.shape == (5 * 39, 12)
    means = frame[frame["Statistic"] == "mean"]
    assert means[means["Dataset"] == "zoo"]["100"].notna().all()
    assert means[means["Dataset"] == "vote"]["100"].isna().all()


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
        path.write_text(latex(one), encoding="utf-8")
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", path.name]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=False, errors="replace"
        )
        assert done.returncode == 0, done.stdout
        assert "Overfull" not in done.stdout
