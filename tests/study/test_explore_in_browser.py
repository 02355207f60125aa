"""The page in a real browser: the front, edits by hand, downloads, keys, screens, no request."""

import csv
import json
import re
import time
from dataclasses import replace

import browser as browsers
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from odd_data import EVIL, RTL

from gatree import write_arff
from gatree.cli.main import cli
from gatree.data.dataset import Dataset
from gatree.settings.small_tree import SmallTreeSettings
from gatree.study.finding import Request, find, validate
from gatree.study.page import write_page
from gatree.trees.model import DecisionTree

QUICK = SmallTreeSettings(effort=0.002)
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def driver(tmp_path_factory, folder):
    started = browsers.start(tmp_path_factory.mktemp("profile"), folder)
    yield started
    started.quit()


@pytest.fixture(scope="module")
def pages(folder, found, found_numbers):
    for name, explored in (("odd", found), ("numbers", found_numbers)):
        write_page(explored, folder / f"{name}.html")
    write_page(found, folder / "no-rows.html", with_rows=False)
    return folder


def opened(driver, pages, name="odd", width=1280, scheme="light"):
    browsers.visit(driver, "about:blank")
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    driver.get_log("performance")
    browsers.visit(driver, (pages / f"{name}.html").as_uri())
    return driver


def one(page, selector):
    return page.find_element("css selector", selector)


def text(page, selector):
    return page.execute_script("return document.querySelector(arguments[0]).textContent.trim()", selector)


def n_leaves(page):
    return page.execute_script("return document.querySelectorAll('#tree .leaf').length")


def worth_shown(page):
    """Return the number of training rows that the page says its tree gets right."""
    figure = text(page, "#figures div:nth-child(2) dd")
    return int(re.search(r"(\d+) of \d+ right", figure)[1])


def downloaded(page, folder, kind, ending):
    before = set(folder.iterdir())
    page.execute_script("document.querySelector(`[data-save=${arguments[0]}]`).click()", kind)
    for _ in range(100):
        new = [file for file in set(folder.iterdir()) - before if file.suffix == ending]
        if new and new[0].stat().st_size:
            return new[0]
        time.sleep(0.05)
    raise AssertionError(f"nothing was downloaded for {kind}")


def edited(page):
    """Split a leaf as a larger tree does and prune another node; return the leaves before and after."""
    page.execute_script("setSize(2); select(leavesOf(state.root)[0].path); grow(state.selected)")
    grown = n_leaves(page)
    page.execute_script(
        "const inner = [...state.places.values()].filter(p => !p.isLeaf); prune(inner.at(-1).path)"
    )
    return grown, n_leaves(page)


def test_the_slider_changes_the_tree_and_its_figures(driver, pages, found):
    from selenium.webdriver.common.keys import Keys

    page = opened(driver, pages)
    assert n_leaves(page) == found.searched.leaves[found.chosen]
    slider = one(page, "#size")
    page.execute_script("arguments[0].value = 0; arguments[0].dispatchEvent(new Event('input'))", slider)
    for index in (1, 2, 3):
        slider.send_keys(Keys.ARROW_RIGHT)
        assert n_leaves(page) == found.searched.leaves[index]
        tree = found.searched.trees[index]
        right = int((tree.predict(found.dataset) == found.dataset.classes).sum())
        assert worth_shown(page) == right
        assert text(page, "#size-text").startswith(f"{tree.n_leaves} leaves")
    confusion = page.execute_script(
        "return [...document.querySelectorAll('td.right')].map(e => e.textContent)"
    )
    right = found.crossed.sizes[3].n_correct
    assert sum(int(count) for count in confusion if count != "·") == right


def test_the_curve_shows_another_figure_on_request(driver, pages, found):
    page = opened(driver, pages)
    heights = "return [...document.querySelectorAll('#front circle.dot')].map(c => +c.getAttribute('cy'))"
    choose = "const s = document.querySelector('#figure'); s.value = arguments[0]; s.onchange()"
    before = page.execute_script(heights)
    page.execute_script(choose, "log_loss")
    assert text(page, "#front-title").startswith("The front: log loss of held-out rows")
    losses = [each.scores.log_loss for each in found.crossed.sizes]
    drawn = page.execute_script(heights)
    assert np.argsort(losses, kind="stable").tolist() == np.argsort(-np.array(drawn), kind="stable").tolist()
    assert f"log loss {losses[found.chosen]:.4f}" in text(page, "#size-text")
    page.execute_script(choose, "worth")
    assert page.execute_script(heights) == before
    opened(driver, pages, "numbers")
    assert page.execute_script("return document.querySelector('.figure').hidden")


def test_the_page_shows_what_was_found_and_makes_no_request(driver, pages, found):
    page = opened(driver, pages)
    body, crossed = text(page, "#insight-body"), found.crossed
    assert found.dataset.attributes[crossed.importance[0].attribute].name in body
    lost = page.execute_script("return data.procedure.importance[0][1]")
    assert lost == crossed.importance[0].lost > 0
    column, times = crossed.first_tests()[0]
    assert f"{column}{times} of {len(crossed.trees)}" in body
    shown = page.execute_script(
        "return [...document.querySelectorAll('#summary li')].map(e => e.textContent)"
    )
    assert 4 <= len(shown) <= 5
    assert f"{crossed.procedure.accuracy:.1%}" in shown[1]
    area = page.execute_script("return rocOf(data.procedure.roc).area")
    positive = found.dataset.classes[crossed.predicted.rows] == 1
    higher = crossed.scores[positive][:, None] - crossed.scores[~positive][None, :]
    assert area == pytest.approx((higher > 0).mean() + (higher == 0).mean() / 2)
    assert f"(AUC): {area:.4f}" in body

    edited(page)
    page.execute_script("pickRow(3); select('')")
    assert page.execute_script("return window.evil") is None
    assert EVIL in text(page, "#what-if-form")
    assert page.get_log("browser") == []
    requested = [
        message["params"]["request"]["url"]
        for message in (json.loads(entry["message"])["message"] for entry in page.get_log("performance"))
        if message["method"] == "Network.requestWillBeSent"
    ]
    assert {url for url in requested if not url.startswith("data:")} == {(pages / "odd.html").as_uri()}


def test_what_if_follows_a_row_and_typed_values(driver, pages, found):
    page = opened(driver, pages)
    page.execute_script("setSize(3); pickRow(5)")
    tree = found.searched.trees[3]
    given = found.dataset.class_values[tree.predict(found.dataset)[5]]
    assert f"y is {given}" in text(page, "#answer")
    on_path = page.find_elements("css selector", "#tree .branch.on-path")
    assert len(on_path) == len(page.find_elements("css selector", "#verdict ol li")) > 0
    page.execute_script("const r = byId('row-number'); r.value = 9999; r.dispatchEvent(new Event('change'))")
    assert "Row 9999 is not on this page: its rows are 1 to 160." in text(page, "#verdict")


def test_no_rows(driver, pages, found):
    page = opened(driver, pages, "no-rows")
    page.execute_script("setSize(3); prune('')")
    assert n_leaves(page) == 1
    assert worth_shown(page) == found.dataset.class_counts.max()
    page.execute_script("select('')")
    assert "made without" in text(page, "#node")
    assert page.get_log("browser") == []


def test_numbers(driver, pages, folder, found_numbers):
    page = opened(driver, pages, "numbers")
    page.execute_script("setSize(3)")
    shown = float(text(page, "#figures div:nth-child(2) dd b"))
    assert shown == pytest.approx(found_numbers.training[3].worth, abs=6e-5)
    tree, numbers = found_numbers.searched.trees[3], found_numbers.searched.numbers[3]
    model = DecisionTree.from_json(downloaded(page, folder, "json", ".json").read_text())
    expected = numbers[tree.apply(found_numbers.dataset)].tolist()
    assert [model.prediction(leaf) for leaf in model.apply(found_numbers.dataset)] == expected
    assert page.get_log("browser") == []


def test_another_first_test_and_two_trees_side_by_side(driver, pages, found):
    page = opened(driver, pages)
    page.execute_script("const d = document.querySelector('#side-by-side').parentNode; d.open = true")
    page.execute_script(
        "const s = document.querySelectorAll('#side-by-side select')[1]; s.value = '3'; s.onchange?.();"
        "s.dispatchEvent(new Event('change'))"
    )
    counts = """
        const sides = [...document.querySelectorAll('#side-by-side svg.side')];
        return sides.map((side) => side.querySelectorAll('.leaf').length);
    """
    assert page.execute_script(counts) == [found.searched.leaves[found.chosen], found.searched.leaves[3]]
    lines = page.find_elements("css selector", "#firsts tbody tr")
    assert len(lines) == len(found.firsts) > 1
    best = found.firsts[1]
    page.execute_script("setSize(3); document.querySelectorAll('#firsts .first')[1].click()")
    assert page.execute_script("return state.root.attribute") == best.attribute
    assert n_leaves(page) == best.tree.n_leaves
    shown = page.execute_script("return worthOf(state.root, state.stats)")
    assert shown == pytest.approx(best.worth)
    assert "edits=" in page.execute_script("return location.hash")
    name, leaves = found.dataset.attributes[best.attribute].name, best.tree.n_leaves
    assert text(page, "#tree-title") == f"The tree: {leaves} leaves, starting with {name}"
    assert page.execute_script("return state.size") == found.chosen
    assert "edited by hand" not in text(page, "#other-tree")
    page.execute_script("undo()")
    assert page.execute_script("return state.size") == 3
    assert text(page, "#other-tree").startswith("The tree shown below is another one")
    page.execute_script("setSize(data.chosen)")
    assert text(page, "#tree-title").endswith("leaves, chosen")
    assert not one(page, "#other-tree").is_displayed()


def test_another_first_test_that_is_no_worse_is_named(driver, folder, found):
    worse = [replace(first, worth=0.1) for first in found.firsts]
    name = found.dataset.attributes[worse[0].attribute].name
    write_page(replace(found, firsts=tuple(worse)), folder / "worse.html")
    assert "no worse" not in text(opened(driver, folder, "worse"), "#insight-body")
    worse[0] = replace(worse[0], worth=1.0)
    write_page(replace(found, firsts=tuple(worse)), folder / "better.html")
    shown = text(opened(driver, folder, "better"), "#insight-body")
    assert f"Starting with {name} is no worse there." in shown
    assert re.search(r"100\.00 %\+\d+\.\d\d points", shown)


def test_a_narrow_screen_shows_buttons_labels_and_marks(driver, pages, found):
    page = opened(driver, pages, width=400)
    boxes = [button.rect for button in page.find_elements("css selector", ".first")]
    assert boxes
    assert all(box["x"] + box["width"] <= 400 for box in boxes)
    for within in range(1, len(found.searched.trees) - 1):
        is_free, last = page.execute_script(
            """
            data.best = trees.length - 1;
            data.within = arguments[0];
            drawFront(arguments[0]);
            const texts = [...document.querySelectorAll('#front text')];
            const box = texts.find((text) => text.textContent.startsWith('within')).getBBox();
            const curve = document.querySelector('#front path.validated'), long = curve.getTotalLength();
            const points = Array.from({ length: 500 }, (_, i) => curve.getPointAtLength((i / 499) * long));
            const isAside = ({ x }) => x < box.x || x > box.x + box.width;
            const isAbove = ({ y }) => y < box.y + 2;
            const last = document.querySelector('#front').lastElementChild.classList[0];
            const isWhole = box.x + box.width <= document.querySelector('#front').viewBox.baseVal.width;
            return [isWhole && points.every((point) => isAside(point) || isAbove(point)), last];
            """,
            within,
        )
        assert is_free
        assert last == "mark"  # in front of the circles of the current size


def test_edits_survive_a_reload_and_are_undone_and_redone_by_keys(driver, pages):
    from selenium.webdriver.common.keys import Keys

    page = opened(driver, pages)
    page.execute_script("setSize(3); prune(state.root.yes.attribute < 0 ? 'n' : 'y')")
    after = n_leaves(page)
    page.refresh()
    assert n_leaves(page) == after
    assert "training data" in text(page, "#edited")
    body = one(page, "body")
    body.send_keys(Keys.CONTROL, "z")
    assert n_leaves(page) > after
    body.send_keys(Keys.CONTROL, "y")
    assert n_leaves(page) == after
    page.execute_script("location.hash = 'leaves=2&edits=%5B%5B%22p%22%2C%22yyyyyyy%22%5D%5D'")
    page.refresh()
    assert n_leaves(page) == 2  # an edit that does not fit is left out
    assert page.get_log("browser") == []


def test_a_leaf_is_split_with_a_test_of_the_users_choice(driver, pages, found):
    from selenium.webdriver.support.ui import WebDriverWait

    page = opened(driver, pages)
    page.execute_script("setSize(0); select(''); byId('own-tests').open = true")
    several = "return document.querySelectorAll('.own-test').length > 1"
    WebDriverWait(page, 30).until(lambda page: page.execute_script(several))
    attribute = page.execute_script("return testsFor(state.stats.get('').rows)[0].attribute")
    page.execute_script("document.querySelector('.own-test').click()")
    assert n_leaves(page) == 2
    assert page.execute_script("return state.root.attribute") == attribute
    sizes = page.execute_script("return leavesOf(state.root).map(l => state.stats.get(l.path).n)")
    assert sum(sizes) == len(found.dataset.classes)


def test_many_classes_and_a_sample_of_rows(driver, folder, monkeypatch):
    monkeypatch.setattr("gatree.study.content._MOST_ROWS", 100)
    classes = [f"c{i % 45}" for i in range(180)]
    frame = pd.DataFrame({"a": np.arange(180) % 45, "b": np.arange(180) % 7, "y": classes})
    made = validate(find(Dataset.from_frame(frame), Request(QUICK)))
    write_page(made, folder / "many.html")
    page = opened(driver, folder, "many")
    assert len(page.find_elements("css selector", "#mistakes table.heat tbody tr")) == 30
    assert "16 others" in text(page, "#mistakes")
    assert "and 15 others" in text(page, "#classes")
    assert page.execute_script("return state.stats.get('').n") == 180  # all rows, not the sample
    assert "for drawings and for tests that you add" in text(page, "header")


@pytest.mark.parametrize("width", [1280, 400])
def test_large_trees_open_folded_with_their_first_levels_in_view(driver, folder, width):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(600, 3)), columns=list("abc"))
    frame["y"] = rng.choice(["yes", "no"], 600)
    made = find(Dataset.from_frame(frame), Request(QUICK.model_copy(update={"size": 60})))
    write_page(made, folder / "large.html")
    page = opened(driver, folder, "large", width)
    for size in ("data.chosen", "trees.length - 1"):
        page.execute_script(f"setSize({size})")
        edges, *boxes = page.execute_script("""
            const elements = [canvas.frame, ...document.querySelectorAll('#tree .node .box')];
            const edges = elements.map((element) => element.getBoundingClientRect());
            return edges.map(({ left, right, top, bottom }) => [left, right, top, bottom]);
        """)
        assert len(boxes) >= 3
        assert all(edges[0] <= left < right <= edges[1] for left, right, _, _ in boxes)
        root, yes = boxes[:2]
        assert edges[2] <= root[2] < yes[3] <= edges[3]
        centre = (min(box[0] for box in boxes) + max(box[1] for box in boxes)) / 2
        assert centre == pytest.approx((edges[0] + edges[1]) / 2, abs=2)
    page.execute_script("toggle([...state.collapsed][0])")
    assert len(page.find_elements("css selector", "#tree .node")) > len(boxes)
    page.execute_script("pickRow(0)")
    assert page.execute_script("return state.places.get(state.highlighted).isLeaf")
    assert page.execute_script("return at(state.root, state.highlighted).attribute") == -1
    assert len(page.find_elements("css selector", "#tree .node.leaf.on-path")) == 1
    whole = "return (picture().text.match(/class=.node leaf/g) ?? []).length"
    assert page.execute_script(whole) == made.searched.leaves[-1]
    page.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert n_leaves(page) == made.searched.leaves[-1]
    page.execute_script("dispatchEvent(new Event('afterprint'))")
    assert n_leaves(page) < made.searched.leaves[-1]
    assert page.get_log("browser") == []


def test_edits_undo_and_what_is_downloaded_predicts_alike(driver, pages, folder, found, tmp_path):
    page = opened(driver, pages)
    grown, pruned = edited(page)
    assert grown > found.searched.leaves[2] > 1
    assert pruned < grown
    assert "training data" in text(page, "#edited")
    right = worth_shown(page)

    file = downloaded(page, folder, "json", ".json")
    model = DecisionTree.from_json(file.read_text())
    assert model.n_leaves == pruned
    frame = found.dataset.to_frame()
    data = tmp_path / "odd.arff"
    write_arff(found.dataset, data)
    result = CliRunner().invoke(cli, ["predict", str(file), str(data)])
    assert f"{right} of {len(frame)} correct" in result.stderr
    predicted = [line["predicted"] for line in csv.DictReader(result.stdout.splitlines())]
    assert "THEN" in CliRunner().invoke(cli, ["export", str(file), "--to", "rules"]).output

    rows = [
        line["predicted"] for line in csv.DictReader(downloaded(page, folder, "csv", ".csv").open(newline=""))
    ]
    assert rows == predicted
    assert "THEN" in downloaded(page, folder, "rules", ".txt").read_text()
    assert downloaded(page, folder, "sql", ".sql").read_text().endswith("END\n")
    assert "def predict(row):" in downloaded(page, folder, "python", ".py").read_text()
    assert EVIL.encode() not in downloaded(page, folder, "svg", ".svg").read_bytes()
    assert downloaded(page, folder, "png", ".png").read_bytes().startswith(b"\x89PNG")

    one(page, "#undo").click()
    assert n_leaves(page) == grown
    one(page, "#undo").click()
    assert n_leaves(page) == found.searched.leaves[2]
    assert one(page, "#undo").get_attribute("disabled")


def test_the_keyboard_alone(driver, pages):
    from selenium.webdriver.common.keys import Keys

    page = opened(driver, pages)
    page.execute_script("setSize(3); document.querySelector('#tree .node').focus()")
    before = n_leaves(page)
    focused = page.switch_to.active_element
    focused.send_keys(Keys.ARROW_DOWN)
    assert page.execute_script("return document.activeElement.dataset.path") == "y"
    page.switch_to.active_element.send_keys(Keys.ARROW_UP)
    page.switch_to.active_element.send_keys(Keys.SPACE)
    assert n_leaves(page) == 0
    page.switch_to.active_element.send_keys(Keys.SPACE)
    assert n_leaves(page) == before
    page.switch_to.active_element.send_keys(Keys.DELETE)
    assert n_leaves(page) == 1
    page.switch_to.active_element.send_keys(Keys.INSERT)
    assert n_leaves(page) > 1
    assert "Split as in the tree" in text(page, "#said")


def test_changes_are_announced_once_and_leave_no_text(driver, pages):
    page = opened(driver, pages)
    live = "return [...document.querySelectorAll('[aria-live], [role=status]')].map(e => e.id)"
    assert page.execute_script(live) == ["said"]
    assert text(page, "#said") == ""
    heard = """
        const later = [], usual = window.setTimeout, said = byId("said");
        window.setTimeout = (act) => later.push(act);
        const acts = [() => setSize(3, true), () => prune(""), () => undo(), () => pickRow(2)];
        const heard = acts.map((act) => { act(); return said.textContent; });
        later.forEach((act) => act());
        window.setTimeout = usual;
        return [...heard, said.textContent];
    """
    sized, pruned, undone, answer, left = page.execute_script(heard)
    assert "leaves: accuracy" in sized
    assert pruned.startswith("Pruned: ")
    assert undone == "Undone"
    assert answer.startswith("so y is ")
    assert left == ""


@pytest.mark.parametrize(("name", "width", "scheme"), [("odd", 400, "dark"), ("numbers", 1280, "light")])
def test_screens(driver, pages, name, width, scheme):
    page = opened(driver, pages, name, width, scheme)
    page.execute_script("select('')")
    assert page.execute_script("return document.documentElement.scrollWidth") <= width
    colour = page.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (colour == "rgb(18, 22, 28)") == (scheme == "dark")
    assert RTL in text(page, "#what-if-form") or n_leaves(page) < 3


@pytest.mark.parametrize("width", [1280, 400])
def test_long_names_do_not_widen_the_page(driver, folder, width):
    frame = pd.DataFrame({"a" * 300: np.arange(60) % 7, "b " * 150: np.arange(60) % 11})
    frame["y"] = np.where((np.arange(60) % 7 > 3) & (np.arange(60) % 11 > 4), "yes", "no")
    write_page(validate(find(Dataset.from_frame(frame), Request(QUICK))), folder / "long.html")
    page = opened(driver, folder, "long", width)
    page.execute_script("select('')")
    assert page.execute_script("return document.documentElement.scrollWidth") <= width


def test_print_shows_the_whole_tree_and_no_buttons(driver, pages):
    page = opened(driver, pages)
    page.execute_script("setSize(trees.length - 1); dispatchEvent(new Event('beforeprint'))")
    shown = page.execute_script("return document.querySelector('#tree').getAttribute('viewBox')")
    view = [float(x) for x in shown.split()]
    boxes = page.execute_script("return [...state.places.values()].map(p => [p.x, p.y])")
    assert all(view[0] < x < view[0] + view[2] and view[1] <= y < view[1] + view[3] for x, y in boxes)
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    page.execute_script("canvas.apply()")  # as a frame that gets another size does
    assert page.execute_script("return document.querySelector('#tree').getAttribute('viewBox')") == shown
    assert not one(page, "#undo").is_displayed()
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
