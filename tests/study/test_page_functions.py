"""The page's trees, texts and edits are those of Python; node runs its scripts, without a browser."""

import sqlite3

import numpy as np
import pandas as pd
import pytest
from page_in_node import evaluated

from gatree.data.dataset import Dataset
from gatree.settings.small_tree import SmallTreeSettings
from gatree.study.finding import Request, find
from gatree.trees.export.registry import EXPORTS
from gatree.trees.flips import Flips
from gatree.trees.model import DecisionTree


@pytest.fixture(params=["found", "found_numbers"])
def either(request):
    """A finding of classes, and one of numbers."""
    return request.getfixturevalue(request.param)


def test_without_edits_the_page_writes_what_export_writes(either):
    written = evaluated(
        either,
        """return trees.map((tree) => {
            const stats = measured(tree);
            return { rules: toRules(tree, stats), sql: toSql(tree), python: toPython(tree),
                json: toJson(tree, stats) };
        });""",
    )
    for tree, texts in zip(either.searched.trees, written, strict=True):
        assert texts == {form: EXPORTS[form].write(tree) for form in texts}


def test_changes_that_flip_a_row_are_those_of_python(either):
    shown = evaluated(
        either,
        """return rows.numbers.slice(0, 40).map((_, row) =>
            flipsOf(trees[3], (i) => rows.columns[i][row]).map((flip) => [flip.n, flip.far]));""",
    )
    flips, columns = Flips(either.tree_at(3)), [column.tolist() for column in either.dataset.columns]
    for row, changes in enumerate(shown):
        expected = flips.of([column[row] for column in columns])
        assert [n for n, _ in changes] == [len(flip.changes) for flip in expected]
        assert [far for _, far in changes] == pytest.approx([flip.distance for flip in expected])


def test_every_node_counts_the_rows_that_reach_it(found):
    counts = evaluated(found, "return trees.map((tree) => [...measured(tree)].map(([, s]) => s.counts))")
    assert counts == [tree.counts.tolist() for tree in found.searched.trees]


@pytest.mark.parametrize("with_rows", [True, False])
def test_the_page_measures_trees_as_python_does(either, with_rows):
    worth = evaluated(either, "return trees.map((tree) => worthOf(tree, measured(tree)))", with_rows)
    assert worth == pytest.approx([judged.worth for judged in either.training], abs=1e-9)


def test_a_missing_value_passes_no_test(found):
    assert set(evaluated(found, "return pathOf(trees[3], () => null)")) <= {"n"}


def test_a_leaf_says_how_many_of_its_rows_are_right(found):
    shown = evaluated(
        found,
        """const stats = measured(trees[3]);
        return leavesOf(trees[3]).map(({ node, path }) => leafWords(node, stats.get(path)));""",
    )
    tree = found.searched.trees[3]
    counts, labels = tree.counts[tree.tree.attribute < 0], tree.tree.value[tree.tree.attribute < 0]
    for words, here, label in zip(shown, counts.tolist(), labels.tolist(), strict=True):
        n, right = sum(here), here[label]
        assert (
            words in (f"all {n} rows", f"all {n} row")
            if right == n
            else words.startswith(f"{right} of {n} (")
        )


def test_a_pruned_node_predicts_the_number_that_the_tree_has_there(found_numbers):
    label = evaluated(found_numbers, "return at(pruned(trees[3], measured(trees[3]), 'y'), 'y').label")
    tree = found_numbers.searched.trees[3].tree
    assert label == pytest.approx(found_numbers.searched.numbers[3][tree.left(0)], rel=1e-6)


def test_a_leaf_that_is_split_as_in_a_larger_tree_predicts_its_shrunk_numbers():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((80, 2)), columns=["a", "b"])
    data = Dataset.from_frame(frame.assign(y="z"), "y").with_numbers(frame["a"] * 5 + rng.random(80))
    found = find(data, Request(SmallTreeSettings(effort=0.002, shrinkage=20.0)))
    labels = evaluated(
        found,
        """const whole = growing(trees[0], measured(trees[0]), "", trees[3]);
        return leavesOf(whole).map(({ node }) => node.label);""",
    )
    tree, numbers = found.searched.trees[3].tree, found.searched.numbers[3]
    assert labels == pytest.approx(numbers[tree.attribute < 0].tolist(), rel=1e-6)


def test_tests_of_a_users_choice_are_in_the_order_of_their_gains(found):
    gains = evaluated(found, "return testsFor(measured(trees[0]).get('').rows).map((test) => test.gain)")
    assert len(gains) > 1
    assert gains == sorted(gains, reverse=True)


EDITED = """
    let root = trees[2], stats = measured(root);
    const { path } = leavesOf(root)[0];
    root = grown(root, stats, path, 2).root;
    const n_grown = leavesOf(root).length;
    const inner = [...measured(root).keys()].filter((path) => at(root, path).attribute >= 0);
    root = pruned(root, measured(root), inner.at(-1));
    stats = measured(root);
    const leaf = leavesOf(root).at(-1);
"""


@pytest.fixture
def edited(found):
    """A tree after a leaf was split as in a larger tree, and a test pruned, as the page writes it."""
    return evaluated(
        found,
        EDITED
        + """return { n_leaves: [trees[2], root].map((tree) => leavesOf(tree).length), n_grown,
            json: toJson(root, stats), python: toPython(root), sql: toSql(root),
            where: whereSql(leaf.steps), n_here: stats.get(leaf.path).n,
            predicted: rows.numbers.map((_, row) =>
                labelText(at(root, pathOf(root, (i) => rows.columns[i][row])).label)) };""",
    )


def test_an_edited_tree_predicts_in_python_what_the_page_shows(found, edited):
    (before, after), grown = edited["n_leaves"], edited["n_grown"]
    assert before < grown > after
    model = DecisionTree.from_json(edited["json"])
    assert model.n_leaves == after
    assert model.counts.tolist() == model.with_counts(found.dataset).counts.tolist()
    given = np.array(model.class_values)[model.predict(found.dataset)].tolist()
    assert given == edited["predicted"]
    names = {}
    exec(edited["python"], names)
    cells = [
        {name: None if cell != cell else cell for name, cell in row.items()}
        for row in found.dataset.to_frame().to_dict("records")
    ]
    assert [names["predict"](row) for row in cells] == given


def test_an_edited_tree_predicts_in_sql_what_the_page_shows(found, edited):
    frame = found.dataset.to_frame()
    days = frame.assign(day=frame["day"].dt.strftime("%Y-%m-%d"))  # as the page writes whole days in SQL
    database = sqlite3.connect(":memory:")
    pd.DataFrame(days).astype({"label": str}).to_sql("t", database, index=False)
    rows = database.execute(f"SELECT {edited['sql']} FROM t ORDER BY rowid")
    assert [label for (label,) in rows] == edited["predicted"]
    assert (
        database.execute(f"SELECT COUNT(*) FROM t WHERE {edited['where']}").fetchone()[0] == edited["n_here"]
    )
