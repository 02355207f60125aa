"""The report page: what is in it and missing, that it needs nothing else, and that it can be read."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from html import escape
from html.parser import HTMLParser
from importlib.resources import files

import pytest
from click.testing import CliRunner
from own_experiment import ODD_NAME
from records import a_record, read, results_of
from sample_results import EVIL_NAME

from gatree.base.errors import ResultError
from gatree.cli.main import cli
from gatree.experiments.cell import run_cell
from gatree.experiments.experiment import Experiment
from gatree.experiments.places import reference_folder
from gatree.experiments.run import Plan, run_plan
from gatree.experiments.sources import recorded_sources
from gatree.paper.published import TABLES, published
from gatree.paper.tables import our_table
from gatree.report.best_trees import best_keys, best_trees
from gatree.report.page import _provenance, write_page


class Elements(HTMLParser):
    """All elements of a page, and the text in them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text.append(data)


def trees_of(records):
    """The best tree of each data set among some records."""
    by_key = {record["key"]: read(record) for record in records}
    best = best_keys(results_of(records).frame)
    return best_trees({name: by_key[key] for name, key in best.items()})


@pytest.fixture(scope="module")
def text(odd_page) -> str:
    return odd_page.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(text) -> Elements:
    return Elements(text)


def test_names_errors_and_what_is_missing_are_shown_as_text(text, page):
    assert EVIL_NAME not in text
    assert escape(EVIL_NAME) in text
    assert "MemoryError: &lt;b&gt;too large&lt;/b&gt;" in text
    scripts = [attributes.get("type") for tag, attributes in page.elements if tag == "script"]
    assert scripts == ["application/json", None]
    shown = " ".join(page.text)
    assert "This experiment is not finished: 135 cells are done, 1 failed" in shown
    assert "numbers are missing" in shown
    assert "Its data are not among those that come with gatree" in shown
    summary = text[text.index('id="summary"') : text.index('id="tables"')]
    assert "Soft Computing 14(9):973-993, 2010, doi 10.1007/s00500-009-0489-y" in summary
    assert "135 cells of 4 studies on 5 data sets, each evolution once" in summary
    assert "The paper does not print the settings of its genetic algorithm" in summary
    assert len(text.encode()) < 600_000
    assert (reference_folder() / "report.html").stat().st_size < 2_000_000


def test_nothing_is_fetched(text, page):
    for tag, attributes in page.elements:
        for name in ("src", "href", "xlink:href", "data", "srcset", "action"):
            target = attributes.get(name) or "#"
            if (tag, name) == ("a", "href") and target.startswith("trees/"):
                continue  # a page to go to
            assert target.startswith(("#", "data:")), (tag, name, target)
    assert "@import" not in text
    assert not re.search(r"url\((?!#)", text)


def test_trees_whose_data_are_here_have_a_page_to_explore_them(page, odd_page, best):
    links = [a["href"] for tag, a in page.elements if tag == "a" and a["href"].startswith("trees/")]
    assert len(links) == sum(one.tree is not None for one in best) > 0
    assert len(set(links)) == len(links)
    for link in links:
        assert re.fullmatch(r"trees/[A-Za-z0-9-]+\.html", link)
        assert "Predicting <bdi>" in (odd_page.parent / link).read_text(encoding="utf-8")


def test_ids_are_unique_references_lead_somewhere_and_tables_can_be_read_aloud(text, page):
    ids = Counter(attributes["id"] for _, attributes in page.elements if "id" in attributes)
    assert [name for name, count in ids.items() if count > 1] == []
    targets = re.findall(r'(?:href="|url\()#([^")]+)', text)
    assert set(targets) <= set(ids)
    described = [a["aria-labelledby"] for _, a in page.elements if "aria-labelledby" in a]
    assert set(described) <= set(ids)
    assert all("scope" in attributes for tag, attributes in page.elements if tag == "th")
    tags = Counter(tag for tag, _ in page.elements)
    assert tags["caption"] == tags["table"]
    assert all(a.get("aria-label") for tag, a in page.elements if tag == "svg")


def test_every_number_is_there(text, found):
    cells = re.findall(r'<td data-paper="([^"]*)" data-difference="([^"]*)">([^<]*)</td>', text)
    tables = [our_table(number, found) for number in TABLES]
    spots = [spot for table in tables for spot in table.layout.spots]
    assert len(cells) == len(spots)
    known = {spot for table in tables for spot in table.numbers}
    assert sum(ours != "—" for _, _, ours in cells) == sum(spot in known for spot in spots)
    assert sum(paper != "—" for paper, _, _ in cells) == sum(spot in published() for spot in spots)


@pytest.fixture(scope="module")
def best(records):
    return trees_of(records)


def test_best_trees_have_the_recorded_numbers(best):
    shown = {one.dataset: one for one in best if one.tree is not None}
    assert set(shown) == {"zoo", "kr-vs-kp", "crime"}
    for one in shown.values():
        tree, outcome = one.tree, one.record.outcome
        leaves = [node for node in range(tree.n_nodes) if tree.tree.is_leaf(node)]
        assert tree.n_nodes == outcome.n_nodes
        assert sum(tree.counts[node, tree.tree.value[node]] for node in leaves) == outcome.n_correct


@pytest.mark.parametrize(
    ("part", "number"),
    [("attribute", 99), ("value", 10**6)],
)
def test_a_tree_that_does_not_fit_the_data_is_not_shown(records, part, number):
    changed = json.loads(json.dumps([r for r in records if r["cell"]["dataset"] == "zoo"]))
    for record in changed:
        if record["cell"]["kind"] == "savings":
            record["outcome"]["best"][part][0] = number
    (best,) = trees_of(changed)
    assert best.tree is None
    assert "have changed" in best.why_not


# --- an experiment that is not the paper's ----------------------------------------------------------


@pytest.fixture(scope="module")
def own_text(own_page) -> str:
    return own_page.read_text(encoding="utf-8")


def test_a_page_of_ones_own_shows_what_varies_and_nothing_of_the_paper(own_text):
    elements = Elements(own_text)
    assert [a["id"] for tag, a in elements.elements if tag == "section"] == [
        *("summary", "plots", "best", "comparisons", "trees", "setting"),
    ]
    shown = " ".join(" ".join(elements.text).split())
    assert "Accuracy on test instances, %, by generation_gap" in shown
    assert "Over the 2 data sets, each the mean of its rows" in shown
    assert "50 cells of 2 studies on 2 data sets, each evolution with 2 seeds; baselines: j48" in shown
    assert "generation gap 0.1, 0.5" in shown
    assert "leaf class majority, random" in shown
    visible = own_text[: own_text.index('<script type="application/json"')]
    for word in ("Table 3", "published", "Kalles", "†"):
        assert word not in visible, word
    assert ODD_NAME not in own_text, "it would end a script"
    block = own_text.partition('<script type="application/json" id="points">')[2].partition("</script>")[0]
    assert ODD_NAME in json.loads(block)["datasets"]
    ids = Counter(a["id"] for _, a in elements.elements if "id" in a)
    assert max(ids.values()) == 1


def test_the_policy_allows_no_script_but_the_pages_own(own_text):
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', own_text)
    (script,) = re.findall(r"<script>(.*?)</script>", own_text, flags=re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    allowed = f"script-src 'sha256-{digest}'; img-src data:"
    assert policy == f"default-src 'none'; style-src 'unsafe-inline'; {allowed}"


# --- bad input --------------------------------------------------------------------------------------


def report(*arguments: object):
    return CliRunner().invoke(cli, ["report", *map(str, arguments)])


@pytest.mark.parametrize(
    ("results", "options", "message"),
    [
        ("gone", [], "no such folder; run an experiment first"),
        (".", [], "no results here"),
        ("empty", [], "no cell has been run yet"),
        ("sample", ["--output", "gone/report.html"], "cannot be written: there is no such folder"),
    ],
)
def test_nothing_to_report_and_nowhere_to_write_it(sample, tmp_path, monkeypatch, results, options, message):
    monkeypatch.chdir(tmp_path)
    for name, content in (("empty", b""), ("sample", (sample / "cells.jsonl").read_bytes())):
        if results == name:
            (tmp_path / name).mkdir()
            (tmp_path / name / "cells.jsonl").write_bytes(content)
    result = report("--results", results, *options)
    assert isinstance(result.exception, ResultError)
    assert message in str(result.exception)


def test_only_failed_cells(odd_results, tmp_path):
    lines = (odd_results / "cells.jsonl").read_text().splitlines()
    (tmp_path / "cells.jsonl").write_text(lines[-1] + "\n")
    result = report("--results", tmp_path)
    assert (result.exit_code, result.stdout) == (0, f"{tmp_path / 'report.html'}\n")
    text = (tmp_path / "report.html").read_text()
    assert "0 cells are done, 1 failed" in text
    sections = [a["id"] for tag, a in Elements(text).elements if tag == "section"]
    assert sections == ["summary", "setting"]


def test_trees_of_ones_own_files_are_shown_as_long_as_the_files_are_the_same(tmp_path):
    rows = [f"{number},{number % 3},{'yes' if number % 3 else 'no'},{number // 7}" for number in range(60)]
    file = tmp_path / "data" / "orders.csv"
    file.parent.mkdir()
    file.write_text("\n".join(["id,colour,bought,week", *rows]) + "\n")
    source = {"data": str(file), "class": "bought", "drop": "id", "name": "my orders"}
    study = {"name": "s", "kind": "cross-validation", "n_folds": 3, "grid": {"size": [30]}}
    about = {"name": "shop", "seed": 5, "datasets": [source], "studies": [study]}
    plan = Plan.of(Experiment.model_validate(about))
    run_plan(plan, tmp_path, lambda cells, data: (run_cell(cell, data[cell.checksum]) for cell in cells))
    shown = write_page(plan.folder(tmp_path)).read_text(encoding="utf-8")
    trees = shown[shown.index('id="trees"') : shown.index('id="setting"')]
    assert "my orders" in trees
    assert "; fold " in trees
    assert "<pre>colour" in trees
    file.write_text(file.read_text() + "60,1,no,9\n")
    assert "The data have changed" in write_page(plan.folder(tmp_path)).read_text(encoding="utf-8")
    file.unlink()
    assert "nor where they were" in write_page(plan.folder(tmp_path)).read_text(encoding="utf-8")


def test_a_plan_that_does_not_say_where_data_are(tmp_path):
    for note in ("{}", '{"data": 1}', '{"data": [[]]}', '{"data": [{"data": "gone.csv"}]}'):
        (tmp_path / "plan.json").write_text(note)
        assert recorded_sources(tmp_path) == {}


def test_settings_seeds_and_data_are_told():
    records = [
        {**a_record(f"{n}", replicate=n), "settings": {"generation_gap": 0.12, "mutation_rate": rate}}
        for n, rate in enumerate((0.5, 0.5, 0.01))
    ]
    provenance = _provenance(results_of(records))
    assert (provenance["n_cells"], provenance["n_seeds"]) == (3, 3)
    assert provenance["settings"] == {"seeds": "0, 1, 2", "generation gap": 0.12, "payoff": "eq-1"}
    assert provenance["datasets"] == {"zoo": "c" * 16}


SERIES = [f"series-{n}" for n in range(8)]
PAIRS = [
    *((text, ground) for text in ("text", "dim", "accent", "warn") for ground in ("page", "card")),
    ("warn", "warn-page"),
    ("text", "heat-full"),
    ("card", "text"),  # the box that tells what a point is
    *((colour, "card") for colour in (*SERIES, "baseline-0", "baseline-1")),
]


def themes():
    """Return the colours in light, in dark and in print."""
    css = files("gatree.rendering").joinpath("templates", "theme.css").read_text(encoding="utf-8")
    pairs = re.findall(r"--([\w-]+): light-dark\((#\w+), (#\w+)\)", css)
    light, dark = ({name: colours[at] for name, *colours in pairs} for at in (0, 1))
    on_paper = dict(re.findall(r"--([\w-]+): (#\w+)", css.partition("@media print")[2]))
    return {"light": light, "dark": dark, "print": {**light, **on_paper}}


def luminance(colour):
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    shares = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return sum(weight * share for weight, share in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", themes())
def test_contrast(theme):
    colours = themes()[theme]
    found = {(one, other): contrast(colours[one], colours[other]) for one, other in PAIRS}
    assert {pair: ratio for pair, ratio in found.items() if ratio < 4.5} == {}


def test_series_can_be_told_apart():
    for colours in themes().values():
        assert len({colours[name] for name in SERIES}) == len(SERIES)
