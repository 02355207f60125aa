"""The page's answers to the next questions, and edits that stay, in a real browser."""

import numpy as np
import pandas as pd
import pytest
from test_explore_in_browser import driver, folder, n_leaves, one, opened, pages, text

from gatree.data.dataset import Dataset
from gatree.explore.finding import Request, find, validated
from gatree.explore.page import write_page
from gatree.front.settings import FrontSettings

QUICK = FrontSettings(n_folds=2, most_repeats=1, work=2e5, most_offspring=5, polished=(4,))
__all__ = ["driver", "folder", "pages"]
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


def test_importance_stability_and_the_summary_are_those_of_the_finding(driver, pages, found):
    page = opened(driver, pages)
    body, crossed = text(page, "#insight-body"), found.crossed
    first = found.dataset.attributes[crossed.importance[0].attribute].name
    assert first in body
    lost = page.execute_script("return data.procedure.importance[0][1]")
    assert lost == crossed.importance[0].lost > 0
    column, times = crossed.first_tests()[0]
    assert f"{column}{times} of {len(crossed.trees)}" in body
    shown = page.execute_script(
        "return [...document.querySelectorAll('#summary li')].map(e => e.textContent)"
    )
    assert 4 <= len(shown) <= 5
    assert f"{crossed.procedure.accuracy:.1%}" in shown[1]


def test_the_area_under_the_curve_is_that_of_the_ranks(driver, pages, found):
    area = opened(driver, pages).execute_script("return rocOf(data.procedure.roc).area")
    scores = found.crossed.scores
    positive = found.dataset.classes[found.crossed.predicted.rows] == 1
    higher = scores[positive][:, None] - scores[~positive][None, :]
    assert area == pytest.approx((higher > 0).mean() + (higher == 0).mean() / 2)
    assert f"(AUC): {area:.4f}" in text(driver, "#insight-body")


def test_a_tree_with_another_first_test_is_shown(driver, pages, found):
    page = opened(driver, pages)
    lines = page.find_elements("css selector", "#firsts tbody tr")
    assert len(lines) == len(found.firsts) > 1
    best = found.firsts[1]
    page.execute_script("document.querySelectorAll('#firsts .first')[1].click()")
    assert page.execute_script("return state.root.attribute") == best.attribute
    assert n_leaves(page) == best.tree.n_leaves
    shown = page.execute_script("return worthOf(state.root, state.stats)")
    assert shown == pytest.approx(best.worth)
    assert "edits=" in page.execute_script("return location.hash")


def test_two_trees_side_by_side(driver, pages, found):
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
    before = n_leaves(page)
    assert before > after
    body.send_keys(Keys.CONTROL, "y")
    assert n_leaves(page) == after
    page.execute_script("location.hash = 'leaves=2&edits=%5B%5B%22p%22%2C%22yyyyyyy%22%5D%5D'")
    page.refresh()
    assert n_leaves(page) == 2  # an edit that does not fit is left out
    assert page.get_log("browser") == []


def test_a_leaf_is_split_with_a_test_of_one_s_own(driver, pages, found):
    page = opened(driver, pages)
    page.execute_script("setSize(0); select('')")
    page.execute_script("byId('own-tests').open = true")
    browsers_wait(page, "return document.querySelectorAll('.own-test').length > 1")
    gains = page.execute_script("return testsFor(state.stats.get('').rows).map(t => t.gain)")
    assert gains == sorted(gains, reverse=True)
    attribute = page.execute_script("return testsFor(state.stats.get('').rows)[0].attribute")
    page.execute_script("document.querySelector('.own-test').click()")
    assert n_leaves(page) == 2
    assert page.execute_script("return state.root.attribute") == attribute
    assert sum(page.execute_script("return leavesOf(state.root).map(l => state.stats.get(l.path).n)")) == len(
        found.dataset.classes
    )


def browsers_wait(page, script):
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(page, 30).until(lambda page: page.execute_script(script))


def test_an_unknown_row_gets_a_message(driver, pages):
    page = opened(driver, pages)
    page.execute_script("const r = byId('row-number'); r.value = 9999; r.dispatchEvent(new Event('change'))")
    assert "Row 9999 is not on this page: its rows are 1 to 160." in text(page, "#verdict")


def test_leaves_that_are_made_by_hand_are_shrunk_as_those_of_the_trees(driver, pages, found_numbers):
    page = opened(driver, pages, "numbers")
    page.execute_script("setSize(3); prune('y')")
    tree, numbers = found_numbers.searched.trees[3], found_numbers.searched.numbers[3]
    label = page.execute_script("return at(state.root, 'y').label")
    assert label == pytest.approx(numbers[tree.tree.left(0)], rel=1e-6)


def test_many_classes_and_a_sample_of_rows(driver, folder, monkeypatch):
    monkeypatch.setattr("gatree.explore.page._MOST_ROWS", 100)
    classes = [f"c{i % 45}" for i in range(450)]
    frame = pd.DataFrame({"a": np.arange(450) % 45, "b": np.arange(450) % 7, "y": classes})
    made = validated(find(Dataset.from_frame(frame), Request(QUICK)))
    write_page(made, folder / "many.html")
    page = opened(driver, folder, "many")
    assert len(page.find_elements("css selector", "#mistakes table.heat tbody tr")) == 30
    assert "16 others" in text(page, "#mistakes")
    assert "and 15 others" in text(page, "#classes")
    counts = page.execute_script("return state.stats.get('').n")
    assert counts == 450  # all rows, not the sample
    assert "for drawings and for tests that you add" in text(page, "header")
    page.execute_script("setSize(trees.length - 1)")
    assert n_leaves(page) <= 40  # large trees open folded
