"""The paper's trees in the engine: the bounding trees against the exact sums, and Section 3.1."""

from fractions import Fraction

import pytest
from click.testing import CliRunner

from gatree.base.errors import ConfigError
from gatree.cli.main import cli
from gatree.paper.counted import build, count, leaf_sizes, lines, worked_example
from gatree.paper.theory import SHAPES
from gatree.trees.genome import check


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
@pytest.mark.parametrize("k", [1, 2, 7])
def test_the_engine_counts_what_the_theory_says(shape, k):
    counted = count(shape.name, k)
    assert counted.n_nodes == shape.n_nodes(k)
    assert counted.from_root == shape.from_root(k)
    assert counted.below == shape.below(k)


@pytest.mark.no_jit
@pytest.mark.parametrize("shape", ["complete", "linear", "weighted linear"])
def test_small_trees_are_built_as_described(shape):
    problem, tree = build(shape, 3)
    check(tree)
    assert tree.depth == 3
    assert tree.n_leaves == len(leaf_sizes(shape, 3))
    assert problem.n_instances == sum(leaf_sizes(shape, 3))
    assert leaf_sizes("weighted linear", 3) == [4, 2, 1, 1]


def test_deep_trees_are_not_built():
    with pytest.raises(ConfigError, match="depths 1 to 11, not 12"):
        count("complete", 12)
    complete, linear, weighted = lines([12], check=True)
    assert complete.counted is None
    assert linear.counted is not None
    assert weighted.counted is not None


def test_the_command_of_the_theory():
    result = CliRunner().invoke(cli, ["theory", "--depth", "3", "8", "--check"], catch_exceptions=False)
    assert result.exit_code == 0
    rows = [line.split("|") for line in result.stdout.splitlines() if line.startswith("|")]
    numbers = "15 0.2667 0.2667 0.1667 0.1667 83.33 0.2667 0.1667"
    assert [cell.strip() for cell in rows[2]] == ["", "complete", "3", *numbers.split(), "equal", ""]
    assert len(rows) == 2 + 6
    assert "2^(k+1) - 1 nodes, not 2^(k+1) + 1" in result.stdout


def test_the_worked_example():
    """The underlined quantities of the paper: T1's right branch, T2's left branch, and their successors."""
    shown = worked_example()
    trees = (*shown.parents, *shown.children)
    assert [scored.fitness for scored in trees] == [
        *(Fraction(4, 17), Fraction(9, 10), Fraction(4, 17), Fraction(4, 10)),
    ]
    recomputed = [[b.recomputed for b in scored.branches] for scored in trees]
    assert recomputed == [[False, True], [True, False], [False, True], [True, False]]
    parts = [[b.n_correct for b in scored.branches] for scored in trees]
    assert parts == [[0, 2], [2, 1], [0, 2], [1, 1]]
    assert shown.ledger.instances_reclassified == 4
    left_leaf_of_t4 = shown.children[1].tree.left(1)
    assert 0 in shown.children[1].instances[left_leaf_of_t4], "an extra error on the first instance"
    result = CliRunner().invoke(cli, ["example"])
    assert result.exit_code == 0
    assert "F1 = (0 + 2*)^2 * 1 / ((2 + 2*)^2 + 1) = 4/17" in result.stdout
    assert "F4 = (1* + 1)^2 * 1 / ((2* + 1)^2 + 1) = 4/10" in result.stdout
