"""What a page is drawn from: numbers that agree with the trees, rows that fit, text that stays text."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from odd_data import odd_frame
from sklearn.datasets import load_diabetes
from sklearn.metrics import log_loss, roc_auc_score

import gatree.study.content as contents
from gatree import GATreeClassifier, SmallTreeClassifier, SmallTreeRegressor
from gatree.base.errors import DataError
from gatree.base.progress import SILENT
from gatree.data.dataset import Dataset
from gatree.data.screen import screened
from gatree.learners.cross_validation import Importance
from gatree.learners.measures import Judged, measure_of
from gatree.learners.small_trees import FrontSearch, thinned
from gatree.settings.small_tree import SmallTreeSettings
from gatree.study.content import as_json, content
from gatree.study.finding import Finding, Request, find, of_one_tree, validate
from gatree.study.page import NotebookPage, page
from gatree.study.text import as_dict, smaller_lines, summary
from gatree.trees.render import brief_text


def test_sizes_rise_and_cross_validation_counts_every_row_once(found):
    made = content(found)
    leaves, train = ([size[key] for size in made["sizes"]] for key in ("leaves", "train"))
    assert leaves == sorted(set(leaves))
    assert leaves == [(len(tree["attribute"]) + 1) // 2 for tree in made["trees"]]
    assert train == sorted(train)
    assert len(made["judged"]) == len(leaves) > 3
    n = 2 * found.dataset.n_instances  # up to 250 rows are held out twice
    for judged in made["judged"]:
        cells = [
            (actual, given, count)
            for given, *pairs in judged["confusion"]
            for actual, count in zip(pairs[::2], pairs[1::2], strict=True)
        ]
        assert sum(count for *_, count in cells) == n == judged["n"]
        right = sum(count for actual, given, count in cells if actual == given)
        assert judged["worth"] == pytest.approx(right / n)
        assert sum(n for *_, n in judged["calibration"]) == n
        assert all(made["rows"]["target"][row] != given for row, given, _ in judged["worst"])
        confidence = [each[2] for each in judged["worst"]]
        assert confidence == sorted(confidence, reverse=True)


def test_sizes_have_the_scores_of_their_probabilities_on_held_out_rows(found, found_numbers):
    data, sizes = found.dataset, found.searched.leaves
    losses, areas, weights = [], [], []
    trees = FrontSearch(found.request.settings)
    for train, test in found.crossed.folds.rows(data):
        tree = trees(data.take(train), SILENT, sizes)
        tree = tree.trees[tree.at_most(sizes[3])]
        held_out = data.take(test)
        shares = tree.probabilities[tree.apply(held_out)]
        present = [c for c in range(data.n_classes) if 0 < (held_out.classes == c).sum() < len(test)]
        losses.append(log_loss(held_out.classes, shares, labels=range(data.n_classes)))
        areas.append(np.mean([roc_auc_score(held_out.classes == c, shares[:, c]) for c in present]))
        weights.append(len(test))
    judged = content(found)["judged"][3]
    assert judged["log_loss"] == pytest.approx(np.average(losses, weights=weights))
    assert judged["roc_auc"] == pytest.approx(np.average(areas, weights=weights))
    assert "log_loss" not in content(found_numbers)["judged"][0]
    assert as_dict(found)["cross_validation"]["log_loss"] > 0


def test_no_text_ends_the_block_or_leaves_the_frame(found):
    text, written = as_json(content(found)), page(found)
    assert not set("<>&") & set(text)
    assert json.loads(text)["name"] == "odd </script>"
    assert written.count("</script>") == 2
    shown = NotebookPage(written)._repr_html_()
    assert "<script" not in shown
    assert 'sandbox="allow-scripts allow-downloads"' in shown


def test_without_rows_no_cell_of_the_data_is_in_the_page(found):
    made = content(found, with_rows=False)
    assert made["rows"] is None
    counted, tree = np.zeros(found.dataset.n_classes, dtype=int), made["trees"][-1]
    for written, attribute in zip(tree["counts"], tree["attribute"], strict=True):
        assert bool(written) == (attribute < 0)  # inner nodes have the sums of their leaves
        for label, count in zip(written[::2], written[1::2], strict=True):
            counted[label] += count
    assert np.array_equal(counted, found.dataset.class_counts)
    cells = {repr(float(cell)) for cell in found.dataset.columns[1] if not np.isnan(cell)}
    thresholds = {repr(value) for tree in made["trees"] for value in tree["value"]}
    text = as_json(made)
    assert not [cell for cell in cells - thresholds if f",{cell}," in text]


def test_whoever_sends_a_page_is_told_how_many_rows_it_holds():
    root = Path(__file__).parents[2]
    for name in ("README.md", "docs/explore.md", "gatree/cli/commands/explore.py"):
        assert f"up to {contents._MOST_ROWS:,} rows" in (root / name).read_text(encoding="utf-8"), name


def test_many_rows_are_sampled_and_mistakes_stay_in_reach(found, monkeypatch):
    monkeypatch.setattr(contents, "_MOST_ROWS", 20)
    made = content(found)
    rows = made["rows"]
    assert rows["n"] == 20 < len(rows["numbers"])
    assert rows["numbers"][:20] == sorted(rows["numbers"][:20])
    for judged in made["judged"]:
        for row, given, _ in judged["worst"]:
            assert found.dataset.classes[rows["numbers"][row] - 1] == rows["target"][row] != given
    assert "This page holds 20 of the 160 rows" in page(found)


def test_numbers(found_numbers):
    made = content(found_numbers)
    assert made["target"]["mean"] == pytest.approx(found_numbers.dataset.answer.values.mean())
    assert made["sizes"][made["chosen"]]["train"] > 0.6
    assert made["judged"][made["chosen"]]["worth"] > 0.5
    assert {rival["name"] for rival in made["rivals"]} == {"gatree", "mean", "CART"}


def test_infinite_and_missing_cells():
    frame = pd.DataFrame({"a": [np.inf, -np.inf, np.nan, 1.5] * 5, "y": list("abab") * 5})
    dataset = Dataset.from_frame(frame)
    tree = find(dataset, Request(SmallTreeSettings(effort=0.001))).tree
    cells = content(of_one_tree(tree, dataset))["rows"]["columns"]["0"][:4]
    assert cells == [1.7976931348623157e308, -1.7976931348623157e308, None, 1.5]


def test_rows_keep_their_numbers_where_some_have_no_class():
    frame = pd.DataFrame({"a": [1, 2, 3, 4, 5, 6] * 3, "y": ["a", None, "b", "a", "b", "b"] * 3})
    made = find(Dataset.from_frame(frame), Request(SmallTreeSettings(effort=0.001)))
    assert made.n_without_class == 3
    assert content(made)["rows"]["numbers"][:3] == [1, 3, 4]


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        ({"a": [1, 2, 3], "y": ["x"] * 3}, "'y' has the same value in all rows"),
        ({"a": [1, 2, 3], "y": [None] * 3}, "no row has a value of 'y'"),
    ],
)
def test_nothing_to_tell_apart(frame, words):
    with pytest.raises(DataError, match=words):
        find(Dataset.from_frame(pd.DataFrame(frame, dtype=object)))


def test_a_thousand_rows_of_thirty_columns_are_at_most_a_megabyte():
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(1_000, 30))
    frame = pd.DataFrame(numbers).add_prefix("column ")
    wrong = rng.random(1_000) < 0.2
    frame["y"] = np.where((numbers[:, 0] > 0) ^ (numbers[:, 1] > 0.5) ^ wrong, "yes", "no")
    made = find(Dataset.from_frame(frame), Request(SmallTreeSettings(effort=0.001, size=40)))
    assert made.searched.leaves[-1] > 20
    assert len(page(made).encode()) <= 1_000_000


def test_thinned_keeps_small_sizes_and_the_chosen_one():
    leaves = [*range(1, 33), 40, 50, 60, 80, 100, 130, 170]
    shown = thinned(leaves, chosen=36, most_leaves=64, most_trees=20)
    assert shown[:10] == list(range(10))
    assert 36 in shown
    assert max(shown) == 36
    assert len(shown) <= 20


def test_a_single_tree_has_a_page_without_a_cross_validation(found):
    made = of_one_tree(found.searched.trees[2], found.dataset)
    assert isinstance(made, Finding)
    assert content(made)["judged"] == []
    assert "without a cross-validation" in page(made)


@pytest.mark.parametrize("make", [partial(SmallTreeClassifier, effort=0.05), GATreeClassifier])
def test_the_page_of_a_fitted_classifier(tmp_path, make):
    frame = odd_frame()[:60]
    X, y = frame.drop(columns=["y"]), frame["y"].rename("who & what")
    shown = make(random_state=0).fit(X, y).explore(X, y)
    assert shown._repr_html_().startswith("<iframe srcdoc=")
    shown.save(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert "Predicting <bdi>who &amp; what</bdi>" in text
    assert text.count("</script>") == 2


def test_the_page_of_a_fitted_regressor():
    X, y = (part[:60] for part in load_diabetes(return_X_y=True, as_frame=True))
    fitted = SmallTreeRegressor(size=4, effort=0.01, random_state=0).fit(X, y)
    text = fitted.explore(X, y)._repr_html_()
    assert "target" in text


def test_smaller_sizes_are_the_smallest_that_lose_at_most_so_much(found):
    judged = replace(found.crossed.sizes[0], worth=0.0)
    worths = [0.5, 0.85, 0.882, 0.895, 0.897, 0.91, 0.9, 0.92]
    crossed = replace(found.crossed, sizes=tuple(replace(judged, worth=worth) for worth in worths))
    assert [index for index, _ in crossed.smaller(6)] == [5, 3, 2, 1]
    assert [lost for _, lost in crossed.smaller(6)] == pytest.approx([-0.01, 0.005, 0.018, 0.05])
    assert crossed.smaller(0) == crossed.smaller(1) == []


def test_text_json_and_page_say_what_smaller_trees_lose(found):
    steps = found.crossed.smaller(found.chosen)
    assert steps
    lines, made = [*smaller_lines(found)], content(found)
    assert lines[0][1].endswith(f" (a smaller tree: --leaves {found.searched.leaves[steps[0][0]]})")
    assert [index for index, _ in made["smaller"]] == [index for index, _ in steps]
    written = as_dict(found)["cross_validation"]["smaller"]
    assert [each["lost"] for each in written] == [lost for _, lost in steps]
    assert all(words in line[1] for line, (_, words) in zip(lines, made["smaller"], strict=True))


def test_a_fold_has_trees_of_the_sizes_that_are_judged(odd_data):
    search = FrontSearch(SmallTreeSettings(effort=0.001, n_jobs=1))
    sizes = [1, 3, 6]
    trees = search(odd_data, SILENT, sizes)
    assert [trees.leaves[trees.at_most(size)] for size in sizes] == sizes
    assert set(trees.leaves) == {*sizes, trees.leaves[trees.chosen]}


def test_importance_lists_every_column_that_the_tree_tests(found):
    root = found.tree.tree.attribute[0]
    without = [each for each in found.crossed.importance if each.attribute != root]
    made = replace(found.crossed, importance=tuple(without)).with_columns_of(found.tree)
    assert made.importance == (*without, Importance(int(root), 0.0, 0.0))
    assert found.crossed.with_columns_of(found.tree) == found.crossed


def test_the_rows_of_a_page_keep_identifiers():
    frame = pd.DataFrame({"id": [f"n{i}" for i in range(40)], "x": [1.0, 2.0] * 20, "y": list("ab") * 20})
    frame.loc[3, "y"] = None
    dataset, left_out = screened(Dataset.from_frame(frame.assign(number=range(40)), target="y"))
    made = content(find(dataset, Request(SmallTreeSettings(effort=0.001), left_out=left_out)))
    expected = [i for i in range(40) if i != 3]
    assert made["rows"]["others"] == [
        {"name": "id", "cells": [f"n{i}" for i in expected]},
        {"name": "number", "cells": expected},
    ]
    dropped = screened(Dataset.from_frame(frame, target="y"), drop=["id"])[1]
    assert (
        content(find(dataset, Request(SmallTreeSettings(effort=0.001), left_out=dropped)))["rows"]["others"]
        == []
    )


def test_trees_with_another_first_test_do_not_start_as_the_shown_tree(found, found_numbers):
    for made in (found, found_numbers):
        assert made.firsts
        assert int(made.tree.tree.attribute[0]) not in {first.attribute for first in made.firsts}


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (None, "the answer is always a, which is right for 60.0% of the rows."),
        (np.array([1.0, 2.0, 3.0, 4.0, 5.0] * 4), "the answer is always 3, which is off by 1.2 on average."),
    ],
)
def test_the_summary_of_a_single_leaf_is_one_sentence(target, words):
    frame = pd.DataFrame({"b": np.arange(20) % 4, "y": list("aaabb") * 4})
    request = Request(SmallTreeSettings(effort=0.001, max_leaves=1))
    dataset = Dataset.from_frame(frame)
    made = validate(find(dataset if target is None else dataset.with_numbers(target, "y"), request))
    assert made.tree.n_leaves == 1
    assert summary(made) == [f"The chosen tree tests no column: for y, {words}"]


def test_large_numbers_have_separators_in_texts_and_on_the_page(found_numbers):
    target = found_numbers.dataset.answer.values * 10_000
    measure = measure_of(found_numbers.dataset.with_numbers(target, "y"))
    judged = Judged(0.5, 0.1, 100, 100, rmse=109342.1, mae=8834.23)
    made = replace(
        found_numbers, measure=measure, training=(judged,) * len(found_numbers.training), crossed=None
    )
    assert measure.text(judged) == "errors: root mean square 109,342, mean absolute 8,834.2"
    assert "a prediction is off by 8,834 on average" in " ".join(summary(made))
    assert f"a mean of {target.mean():,.0f} and a standard deviation of {target.std():,.0f}" in page(made)


def test_long_names_and_categories_are_truncated_in_the_printed_tree():
    long = "x" * 300
    frame = pd.DataFrame({long: list("ab") * 10, "b": [long, "z" * 300, "y", "y"] * 5, "y": list("pqrr") * 5})
    made = find(Dataset.from_frame(frame), Request(SmallTreeSettings(effort=0.001, max_leaves=3)))
    printed = brief_text(made.tree)
    assert "x" * 60 + "..." in printed
    assert max(map(len, [*printed.splitlines(), *summary(made)])) < 200
    assert long in made.tree.to_text()


def test_the_summary_says_if_most_searches_found_no_test(found):
    first, *_ = found.crossed.first_tests()
    n = len(found.crossed.trees)
    assert summary(found)[-1].startswith(
        f"The first question is about {first[0]} in {first[1]} of {n} searches"
    )
    made = replace(found, crossed=replace(found.crossed, trees=(found.searched.only(0),) * n))
    assert summary(made)[-1] == f"There is no question at all in {n} of {n} searches on parts of the rows."
