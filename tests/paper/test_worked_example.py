"""Section 3.1, exactly."""

from __future__ import annotations

from fractions import Fraction

import pytest
from click.testing import CliRunner

from gatree.cli.main import cli
from gatree.paper.counted import worked_example


def test_the_four_fitnesses():
    shown = worked_example()
    fitness = [scored.fitness for scored in (*shown.parents, *shown.children)]
    assert fitness == [Fraction(4, 17), Fraction(9, 10), Fraction(4, 17), Fraction(4, 10)]


def test_what_had_to_be_recomputed():
    """The underlined quantities of the paper: T1's right branch, T2's left branch, and their successors."""
    shown = worked_example()
    recomputed = [[b.recomputed for b in scored.branches] for scored in (*shown.parents, *shown.children)]
    assert recomputed == [[False, True], [True, False], [False, True], [True, False]]
    parts = [[b.n_correct for b in scored.branches] for scored in (*shown.parents, *shown.children)]
    assert parts == [[0, 2], [2, 1], [0, 2], [1, 1]]
    assert shown.ledger.instances_reclassified == 4


def test_t4_has_an_extra_error_on_the_first_instance():
    shown = worked_example()
    left_leaf_of_t4 = shown.children[1].tree.left(1)
    assert 0 in shown.children[1].instances[left_leaf_of_t4]


@pytest.mark.parametrize(
    "line", ["F1 = (0 + 2*)^2 * 1 / ((2 + 2*)^2 + 1) = 4/17", "F4 = (1* + 1)^2 * 1 / ((2* + 1)^2 + 1) = 4/10"]
)
def test_it_prints_as_the_paper_derives(line):
    result = CliRunner().invoke(cli, ["example"])
    assert result.exit_code == 0
    assert line in result.stdout
