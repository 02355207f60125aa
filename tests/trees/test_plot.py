"""The picture of a tree: what it shows, and that nothing overlaps."""

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from example_trees import animal_tree, animals
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle

from gatree.data.attribute import Attribute
from gatree.data.catalog import dataset_names, load_dataset
from gatree.j48 import J48Settings, fit
from gatree.trees.genome import Tree
from gatree.trees.numbers import NodeNumbers, grouped, short
from gatree.trees.picture import _KEY_HEIGHT, _KEY_STEPS, _KEY_WIDTH, KEY_TO_BRANCHES
from gatree.trees.plot import plot_tree
from gatree.trees.render import FAILED, PASSED


def captions_of(ax):
    """Return the texts of boxes."""
    return [text for text in ax.texts if text.get_text() not in (PASSED, FAILED, KEY_TO_BRANCHES)]


def shown(ax):
    return [text.get_text() for text in ax.texts]


def bushy(levels: int) -> object:
    """A tree of about 30 nodes that leans to both sides."""
    return (
        levels % 3 if levels == 0 else (levels % 3, levels % 2, bushy(levels - 1), bushy((levels - 1) // 2))
    )


def test_about_thirty_nodes_are_readable():
    """No box overlaps another, and no text is wider than its box."""
    ax = plot_tree(animal_tree(bushy(6)))
    boxes = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    assert 25 <= len(boxes) == Tree.nested(bushy(6)).n_nodes <= 35
    frames = [box.get_window_extent() for box in boxes]
    assert not any(one.overlaps(other) for one, other in combinations(frames, 2))
    captions = captions_of(ax)
    assert len(captions) == len(boxes)
    for frame, caption in zip(frames, captions, strict=True):
        extent = caption.get_window_extent()
        assert frame.x0 <= extent.x0
        assert extent.x1 <= frame.x1
        assert extent.y1 <= frame.y1
        assert caption.get_fontsize() >= 8


def test_shows_tests_counts_classes_and_answers():
    ax = plot_tree(animal_tree((0, 1, 1, 0)))
    assert sorted(shown(ax)) == sorted(
        ["legs <= 3\n2 / 2 / 4", "bird\n0 / 2 / 2", "mammal\n2 / 0 / 2", PASSED, FAILED, KEY_TO_BRANCHES]
    )
    assert "or the value is missing" in KEY_TO_BRANCHES
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["mammal", "bird", "fish"]
    assert legend.get_title().get_text() == "kind"
    _, bird, mammal = (patch for patch in ax.patches if isinstance(patch, FancyBboxPatch))
    strong = [patch.get_facecolor()[:3] for patch in legend.get_patches()]
    for leaf, legends in ((bird, strong[1]), (mammal, strong[0])):
        assert leaf.get_facecolor()[:3] == pytest.approx([(part + 2) / 3 for part in legends])


def test_names_may_be_long_wide_or_look_like_formulas(tmp_path: Path):
    tree = animal_tree((1, 1, 1, 2))
    long = Attribute("the-skin-of-the-animal-in-question", "nominal", ("fur", "feathers", "scales"))
    wide = Attribute("$kind", "nominal", ("$\\frac$", "WWWWWWWWWWMMMMMMMMMM", "mmmmmmmmmmmmmmmmmmmm"))
    attributes = (tree.attributes[0], long, tree.attributes[2])
    tree = replace(tree, attributes=attributes, class_attribute=wide)
    ax = plot_tree(tree)
    assert "the-skin-of-the-animal-…\n= feathers\n2 / 2 / 4" in shown(ax)
    boxes = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    for box, caption in zip(boxes, captions_of(ax), strict=True):
        frame, extent = box.get_window_extent(), caption.get_window_extent()
        assert frame.x0 <= extent.x0 < extent.x1 <= frame.x1
    plot_tree(tree, file=tmp_path / "tree.svg")
    assert (tmp_path / "tree.svg").stat().st_size > 1000


def test_a_single_leaf_and_decimals():
    leaf = replace(animal_tree(1), class_attribute=Attribute("$kind", "nominal", ("$1_", "$^", "$")))
    ax = plot_tree(leaf, ax=Figure().subplots())
    ax.figure.canvas.draw()
    assert "$^\n2 / 2 / 4" in shown(ax)
    assert KEY_TO_BRANCHES not in shown(ax)
    assert "weight <= 0.500\n2 / 2 / 4" in shown(plot_tree(animal_tree((2, 1, 1, 0)), decimals=3))


def test_the_legend_shows_the_classes_that_occur():
    """Two of 22 have instances, and one more is a leaf's."""
    counts = np.zeros((3, 22), dtype=np.int64)
    counts[:, [3, 0]] = [[5, 4], [5, 0], [0, 4]]
    names = tuple(f"a long name of class {index}" for index in range(22))
    many = Attribute("kind", "nominal", names)
    ax = plot_tree(
        replace(animal_tree(), tree=Tree.nested((0, 0, 20, 0)), class_attribute=many, counts=counts)
    )
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == [names[index] for index in (0, 3, 20)]
    assert "legs <= 3\n4 / 5 / 0" in [text.get_text() for text in ax.texts]
    FigureCanvasAgg(ax.figure).draw()
    extents = [text.get_window_extent() for text in legend.get_texts()]
    assert not any(one.overlaps(other) for one, other in combinations(extents, 2))
    assert max(extent.x1 for extent in extents) <= ax.get_window_extent().x1


@pytest.fixture
def pyplot():
    import matplotlib.pyplot

    yield matplotlib.pyplot
    matplotlib.pyplot.close("all")


def test_without_axes_it_is_in_pyplots_current_figure_or_axes(pyplot):
    current = pyplot.figure()
    first = plot_tree(animal_tree())
    assert first.figure is plot_tree(animal_tree()).figure is current is pyplot.gcf()
    assert current.axes != [first]
    figure, (left, right) = pyplot.subplots(1, 2)
    pyplot.sca(left)
    assert plot_tree(animal_tree()) is left
    assert figure.axes == [left, right]


def houses():
    rng = np.random.default_rng(3)
    district = rng.choice(["centre", "north", "harbour"], 120)
    built = pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.integers(0, 25_000, 120), unit="D")
    X = pd.DataFrame({"district": district, "built": built, "rooms": rng.integers(1, 7, 120)})
    y = pd.Series(X["rooms"] * 30_000.0 + (district == "centre") * 90_000.0, name="price")
    return X, y


@pytest.fixture(scope="module")
def regressor():
    from gatree import SmallTreeRegressor

    return SmallTreeRegressor(random_state=0, effort=0.1, shrinkage=0.0, size=6).fit(*houses())


def fill_of(patch):
    return tuple(patch.get_facecolor()[:3])


def test_numbers_have_one_colour_scale_and_n_mean_and_spread(regressor, pyplot):
    X, y = houses()
    ax = plot_tree(regressor)
    tree = regressor.tree_
    texts = [text.get_text() for text in captions_of(ax)]
    assert texts.count("price") == 1
    reached, means = regressor.apply(X), {}
    for node in np.flatnonzero(tree.tree.attribute == -1).tolist():
        here = y[reached == node]
        assert f"{short(here.mean())}\nsd {short(here.std(ddof=0))}, n = {len(here)}" in texts
        means[node] = here.mean()
    root = f"\nmean {short(y.mean())}, sd {short(y.std(ddof=0))}, n = 120"
    assert any(text.endswith(root) for text in texts)
    boxes = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    blueness = {node: fill_of(boxes[node])[0] for node in means}
    assert sorted(means, key=means.__getitem__) == sorted(means, key=blueness.__getitem__, reverse=True)
    assert ax.get_legend() is None
    key = sorted(p.get_x() for p in ax.patches if isinstance(p, Rectangle) and p.get_height() == _KEY_HEIGHT)
    assert np.diff(key) == pytest.approx(_KEY_WIDTH / _KEY_STEPS)


def test_simplified_numbers(regressor):
    tree = regressor.tree_
    merged = tree.numbers.merged([[0], [1, 2]])
    two = NodeNumbers.of(Tree.nested(0), np.zeros(120, dtype=np.int32), houses()[1].to_numpy())
    assert merged.n[0] == two.n[0] == 120
    left, right = tree.tree.left(0), tree.tree.right(0)
    again = tree.numbers.merged([[left, right]])
    assert again.mean[0] == pytest.approx(two.mean[0])
    assert again.errors[0] == pytest.approx(two.errors[0])


@pytest.mark.parametrize("exponent", [-990, 510, 1000])
def test_numbers_whose_squares_are_no_floats(regressor, exponent):
    tree, X = regressor.tree_, houses()[0]
    target, reached = houses()[1].to_numpy(), regressor.apply(X)
    one = NodeNumbers.of(tree.tree, reached, target)
    other = NodeNumbers.of(tree.tree, reached, np.ldexp(target, exponent))
    for here, there in ((one, other), (one.merged([[0], [1, 2]]), other.merged([[0], [1, 2]]))):
        np.testing.assert_allclose(np.ldexp(there.mean, -exponent), here.mean, rtol=1e-12)
        np.testing.assert_allclose(np.ldexp(there.deviation, -exponent), here.deviation, rtol=1e-9)
        np.testing.assert_allclose(there.errors / there.errors[0], here.errors / here.errors[0], rtol=1e-9)


DRAWN = ("credit-a",)  # numbers and names


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in DRAWN else pytest.mark.long) for name in dataset_names()],
)
def test_shipped_data_sets_are_drawn_without_overlaps(name: str):
    dataset = load_dataset(name)
    tree = fit(dataset, J48Settings(min_instances=4)).to_decision_tree()
    ax = plot_tree(tree)
    boxes = [patch.get_window_extent() for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    assert len(boxes) == tree.n_nodes
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    inside = [text for text in ax.texts if text.get_zorder() == 4]
    extents = [text.get_window_extent() for text in inside]
    for extent in extents:
        assert any(box.x0 <= extent.x0 and extent.x1 <= box.x1 for box in boxes if box.overlaps(extent))


def test_a_tree_is_drawn_into_given_axes_with_smaller_text():
    left, right = Figure(figsize=(4, 3)).subplots(1, 2)
    assert plot_tree(animal_tree(), left) is left
    assert max(text.get_fontsize() for text in left.texts) < 6
    boxes = [patch.get_window_extent() for patch in left.patches if isinstance(patch, FancyBboxPatch)]
    assert all(left.get_window_extent().containsx(x) for box in boxes for x in (box.x0, box.x1))
    assert not right.texts


def test_notebooks_show_trees_and_data_sets():
    shown = animal_tree()._repr_html_()
    assert shown.startswith("<svg")
    assert shown.rstrip().endswith("</svg>")
    page = replace(animals(), name="<animals>")._repr_html_()
    assert "&lt;animals&gt;" in page
    assert "<td>skin</td><td>nominal</td><td>2</td><td>3</td><td>fur: 2, feathers: 2, scales: 2</td>" in page
    assert "<td>legs</td><td>numeric</td><td>1</td><td>4</td><td>0 to 6</td>" in page


@pytest.mark.parametrize("blank", ["", "\u3000"])
def test_names_and_values_may_be_blank(blank):
    tree = animal_tree()
    kind = replace(tree.class_attribute, name=blank, values=(blank, f"{blank}b", "c"))
    legs, skin, weight = tree.attributes
    odd = (replace(legs, name=blank), replace(skin, name=f"{blank}x", values=(blank, "b", "c")), weight)
    for shape in (tree, animal_tree(0)):
        assert replace(shape, class_attribute=kind, attributes=odd)._repr_html_().startswith("<svg")


@pytest.mark.parametrize(
    ("x", "digits", "text"),
    [
        (267618.4, 4, "267,618"),
        (8834.23, 4, "8,834"),
        (8834.23, 5, "8,834.2"),
        (-25500.0, 4, "-25,500"),
        (999.94, 4, "999.9"),
        (0.72111, 5, "0.72111"),
        (1.5e17, 4, "1.5e+17"),
        (np.nan, 4, "nan"),
    ],
)
def test_numbers_for_people_have_separators(x, digits, text):
    assert grouped(x, digits) == text
