"""The comparison of regression trees keeps what it measured of CART, and sums up what it found."""

from __future__ import annotations

import json

import pytest
from sklearn.tree import DecisionTreeRegressor

from bench.regression import CCP, OURS, SMALLEST, Cells, prices, summary
from bench.regression_data import CHOOSING, REPORTING, regression_data


def test_half_of_the_data_sets_helped_to_choose_and_all_can_be_told_apart():
    assert len({*CHOOSING, *REPORTING}) == len(CHOOSING) + len(REPORTING) >= 15
    assert len(REPORTING) >= len(CHOOSING)
    X, y = regression_data("wine")
    assert "alcohol" not in X
    assert len(X) == len(y)


@pytest.mark.long
def test_what_was_measured_of_cart_is_kept(tmp_path):
    path = tmp_path / "cells.jsonl"
    known = {"data": "wine", "regressor": CCP, "seed": 0, "r2": 0.5, "leaves": 4.0, "seconds": 1.0}
    path.write_text(json.dumps(known) + "\n", encoding="utf-8")
    assert Cells(path).at("wine", CCP, 0) == known
    measured = Cells(path).at("wine", SMALLEST, 0)
    assert Cells(path).at("wine", SMALLEST, 0) == measured
    assert len(path.read_text(encoding="utf-8").splitlines()) == 2


def test_prices_lie_between_the_steps_of_pruning():
    X, y = regression_data("wine")
    cart = DecisionTreeRegressor(random_state=0)
    tried = prices(cart, X, y)
    assert tried[0] == 0
    assert max(tried) < cart.cost_complexity_pruning_path(X, y).ccp_alphas.max()


def test_the_summary_ranks_and_compares_with_the_better_cart():
    def row(ours, ccp, smallest):
        found = zip((OURS, CCP, SMALLEST), (ours, ccp, smallest), strict=True)
        return {label: {"r2": r2, "leaves": leaves} for label, (r2, leaves) in found}

    found = summary([row((0.9, 10), (0.8, 20), (0.7, 99)), row((0.5, 10), (0.4, 5), (0.6, 40))])
    assert found["mean rank"] == "1.50 / 2.50 / 2.00"
    assert found["R2 above the best CART"] == 0.0
    assert found["share of its leaves"] == round((10 / 20 * 10 / 40) ** 0.5, 2)
    assert found["of all leaves"] == round(20 / 60, 2)
    assert found["share of pruned CART's"] == 1.0
