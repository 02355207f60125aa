"""The closed forms against sums over every node, and the paper's claims against both."""

from fractions import Fraction

import printed_equations as printed
import pytest
from click.testing import CliRunner

from gatree.base.errors import ConfigError
from gatree.cli.main import cli
from gatree.paper import theory
from gatree.paper.theory import SHAPES
from gatree.paper.theory_check import build, count, leaf_sizes, lines, worked_example
from gatree.trees.genome import check

DEPTHS = range(1, 41)


def reached_by_level(leaf_shares):
    """(level, share of the instances) of every node of a linear tree, from its leaves' shares top down."""
    nodes = [(0, Fraction(1))]
    left = Fraction(1)
    for level, share in enumerate(leaf_shares, start=1):
        left -= share
        nodes += [(level, share), (level, left)]
    assert left == leaf_shares[-1]
    return nodes


def naive_ratios(nodes, below):
    """R and R' of a tree, summed over its (level, share) nodes; `below(j)` is what the j-th one costs."""
    whole = sum(share for _, share in nodes)
    from_root = sum(below(j) + level * share for j, (level, share) in enumerate(nodes))
    return from_root / whole / len(nodes), sum(below(j) for j in range(len(nodes))) / whole / len(nodes)


def linear_tree_ratios(leaf_shares):
    nodes = reached_by_level(leaf_shares)

    def below(j):
        is_leaf = j % 2 == 1 or j == len(nodes) - 1
        return nodes[j][1] if is_leaf else sum(share for _, share in nodes[j + 1 :]) + nodes[j][1]

    return naive_ratios(nodes, below)


@pytest.mark.parametrize("k", range(1, 10))
def test_complete_trees(k):
    levels = [i for i in range(k + 1) for _ in range(2**i)]
    nodes = [(i, Fraction(1, 2**i)) for i in levels]
    ratios = naive_ratios(nodes, lambda j: Fraction(k - levels[j] + 1, 2 ** levels[j]))
    assert ratios == (theory.eq_2(k), theory.complete_below(k))
    assert len(nodes) == theory.complete_nodes(k)


def test_linear_and_weighted_linear_trees():
    for k in DEPTHS:
        ratios = linear_tree_ratios([Fraction(1, k + 1)] * k)
        assert ratios == (theory.linear_from_root(k), theory.linear_below(k))
    for k in range(1, 21):
        ratios = linear_tree_ratios([Fraction(1, 2**i) for i in range(1, k + 1)])
        assert ratios == (theory.weighted_from_root(k), theory.weighted_below(k))


def test_cost_of_whole_trees():
    for k in DEPTHS:
        assert printed.eq_3(k) == Fraction(1, k + 1) * (k + 1 + sum(i + 1 for i in range(1, k + 1)))
        weighted = Fraction(k + 1, 2**k) + sum(Fraction(i + 1, 2**i) for i in range(1, k + 1))
        assert theory.weighted_cost(k) == weighted < min(3, printed.eq_10(k))


@pytest.mark.parametrize("shape", theory.SHAPES, ids=lambda shape: shape.name)
def test_every_shape(shape):
    for k in DEPTHS:
        assert shape.from_root(k) == 2 * shape.below(k) - Fraction(1, shape.n_nodes(k))
        for exact, paper in ((shape.from_root, shape.paper_from_root), (shape.below, shape.paper_below)):
            assert paper is None or exact(k) <= paper(k)


def test_the_limits():
    far = 10**6
    assert theory.eq_2(3) < Fraction("0.27")
    assert theory.eq_2(9) < Fraction("0.01")
    assert float(theory.linear_from_root(far)) == pytest.approx(1 / 3, abs=1e-5)
    assert float(theory.linear_below(far)) == pytest.approx(1 / 6, abs=1e-5)
    assert float(theory.eq_8_bound(far)) == pytest.approx(3 / 4, abs=1e-5)
    assert float(theory.eq_9_bound(far)) == pytest.approx(1 / 4, abs=1e-5)
    assert float(theory.eq_15_bound(far)) == pytest.approx(1 / 2, abs=1e-5)
    k = 200
    assert float(theory.weighted_from_root(k) * (2 * k + 1)) == pytest.approx(11 / 3)
    assert float(theory.weighted_below(k) * (2 * k + 1)) == pytest.approx(7 / 3)


def test_the_papers_algebra():
    """What holds of the paper's chain of estimates, and what `THEORY_ERRATA` says does not."""
    assert (printed.eq_10(3), printed.eq_11(3, 1)) == (Fraction(4, 8) + 5, Fraction(3, 2))
    assert printed.eq_12(3, 1) == Fraction(3, 4) + 4
    for k in DEPTHS:
        slip = Fraction(8 * k, 2 * (k**2 + 5 * k + 2)) / (2 * k + 1)
        assert printed.eq_7(k) - printed.eq_8(k) == slip
        assert printed.eq_8(k) <= theory.eq_8_bound(k)
        assert (printed.eq_7(k) > theory.eq_8_bound(k)) == (k <= 2)
        assert printed.eq_6(k) <= printed.eq_7(k)
        assert printed.eq_15(k) <= theory.eq_15_bound(k)
        for i in range(1, k + 1):
            assert printed.eq_11(k, i) / printed.eq_10(k) <= printed.eq_13(k, i)
            assert printed.eq_12(k, i) / printed.eq_10(k) <= printed.eq_14(k, i)
            assert theory.weighted_cost(k - i) <= printed.eq_12(k, i)


def test_the_cost_of_an_inner_node_falls_with_its_level():
    k = 12
    exact = [Fraction(k - i + 1, k + 1) * (printed.eq_9(k, i) + i) for i in range(1, k + 1)]
    assert exact == sorted(exact, reverse=True)


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
