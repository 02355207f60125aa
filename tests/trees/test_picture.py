"""The picture of a tree with its data: what it shows, and that nothing overlaps."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from example_trees import animal_tree, animals
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle

from gatree.data.attribute import Attribute
from gatree.data.catalog import dataset_names, load_dataset
from gatree.data.dataset import Dataset
from gatree.j48 import J48Settings, fit
from gatree.trees.genome import LEAF
from gatree.trees.histograms import histograms
from gatree.trees.plot import plot_tree


def test_histograms_count_the_instances_at_a_test():
    found = histograms(animal_tree(), animals())
    legs = found[0]  # 0, 2, 4 and 6 legs, and one missing
    assert legs.counts.tolist() == [[0, 0, 2], [0, 2, 0], [2, 0, 0], [0, 0, 1], [0, 0, 1]]
    assert (legs.cut, legs.n_missing, legs.ends) == (2, 1, (0, 6))
    skin = found[1]  # at most three legs: feathers first, then scales, and one missing
    assert skin.counts.tolist() == [[0, 2, 0], [0, 0, 1], [0, 0, 1]]
    assert (skin.cut, skin.n_missing, skin.ends) == (1, 1, None)


def test_the_names_of_values_are_below_their_bars():
    ax = plot_tree(animal_tree(), data=animals())
    middles = [bar.get_x() + bar.get_width() / 2 for bar in ax.patches if isinstance(bar, Rectangle)]
    names = [text for text in ax.texts if text.get_text() in ("feathers", "fur", "scales")]
    assert len(names) == 4
    for name in names:
        assert min(abs(middle - name.get_position()[0]) for middle in middles) < 1e-9


DRAWN = ("zoo", "credit-a", "soybean")  # many classes, numbers and names, many branches


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in DRAWN else pytest.mark.long) for name in dataset_names()],
)
def test_shipped_data_sets_are_drawn_without_overlaps(name: str):
    dataset = load_dataset(name)
    tree = fit(dataset, J48Settings(min_instances=4)).to_decision_tree()
    ax = plot_tree(tree, data=dataset)
    boxes = [patch.get_window_extent() for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    assert len(boxes) == tree.n_nodes
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    inside = [text for text in ax.texts if text.get_zorder() == 4]
    extents = [text.get_window_extent() for text in inside]
    for extent in extents:
        assert any(box.x0 <= extent.x0 and extent.x1 <= box.x1 for box in boxes if box.overlaps(extent))
    counts = histograms(tree, dataset)
    for node in np.flatnonzero(tree.tree.attribute != LEAF).tolist():
        assert counts[node].counts.sum(axis=0).tolist() == tree.with_counts(dataset).counts[node].tolist()


def test_many_and_huge_numbers_are_binned():
    values = np.concatenate([np.linspace(-1, 1, 100) * 1.7e308, [np.nan]])
    classes = np.array([0] * 50 + [1] * 51, dtype=np.int32)
    attributes = (Attribute("x", "numeric"),)
    dataset = Dataset("d", attributes, (values,), Attribute("c", "nominal", ("a", "b")), classes, 1)
    tree = fit(dataset).to_decision_tree()
    found = histograms(tree, dataset)[0]
    assert found.counts.sum() == 101
    assert len(found.counts) == 21
    assert found.cut == pytest.approx(10, abs=0.2)
    plot_tree(tree, data=dataset)


def test_awkward_names_and_files(tmp_path: Path):
    tree, dataset = animal_tree(), animals()
    odd = Attribute("$kind_with_a_very_long_name_indeed", "nominal", ("$\\frac$", "<b>", "fish" * 20))
    tree = replace(tree, class_attribute=odd, counts=None)
    named = replace(dataset, class_attribute=odd)
    for suffix in ("svg", "png", "pdf"):
        plot_tree(tree, file=tmp_path / f"tree.{suffix}", data=named)
        assert (tmp_path / f"tree.{suffix}").stat().st_size > 1000


def test_data_are_drawn_into_given_axes():
    left, right = Figure(figsize=(5, 3)).subplots(1, 2)
    assert plot_tree(animal_tree(), left, data=animals()) is left
    boxes = [patch.get_window_extent() for patch in left.patches if isinstance(patch, FancyBboxPatch)]
    assert all(left.get_window_extent().containsx(x) for box in boxes for x in (box.x0, box.x1))
    assert not right.patches


def test_notebooks_show_trees_and_data_sets():
    shown = animal_tree()._repr_html_()
    assert shown.startswith("<svg")
    assert shown.rstrip().endswith("</svg>")
    page = replace(animals(), name="<animals>")._repr_html_()
    assert "&lt;animals&gt;" in page
    assert "<td>skin</td><td>nominal</td><td>2</td><td>3</td><td>fur: 2, feathers: 2, scales: 2</td>" in page
    assert "<td>legs</td><td>numeric</td><td>1</td><td>4</td><td>0 to 6</td>" in page


@pytest.mark.parametrize("blank", ["", " ", "\t", "\u3000"])
def test_names_and_values_may_be_blank(blank):
    tree = animal_tree()
    kind = replace(tree.class_attribute, name=blank, values=(blank, f"{blank}b", "c"))
    legs, skin, weight = tree.attributes
    odd = (replace(legs, name=blank), replace(skin, name=f"{blank}x", values=(blank, "b", "c")), weight)
    for shape in (tree, animal_tree(0)):
        assert replace(shape, class_attribute=kind, attributes=odd)._repr_html_().startswith("<svg")
