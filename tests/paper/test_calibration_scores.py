"""The scores of a calibration, against their definitions and hand-made matches."""

from __future__ import annotations

from itertools import product
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration_scores import Match, Place, Score, chosen, crps, held_out

NUMBERS = st.floats(-100, 100)


def naive_crps(runs: list[float], value: float) -> float:
    n = len(runs)
    apart = sum(abs(a - b) for a, b in product(runs, runs))
    return fmean(abs(run - value) for run in runs) - (apart / (2 * n * (n - 1)) if n > 1 else 0)


@given(st.lists(NUMBERS, min_size=1, max_size=12), NUMBERS)
def test_crps_is_its_definition(runs, value):
    assert crps(runs, value) == pytest.approx(naive_crps(runs, value), abs=1e-9)


def match(dataset: str, published: float, *ours: float, table: int = 4) -> Match:
    return Match(Place("savings", table, dataset, "100", "savings"), (published,), ours)


def test_a_score_has_deviation_bias_and_share_inside():
    score = Score.of([match("vote", 30.0, 28.0, 34.0), match("zoo", 60.0, 50.0, 52.0)])
    assert score == Score(
        n=2, crps=pytest.approx((0.0 + 8.0) / 2), deviation=5.0, bias=-4.0, share_inside=0.5
    )


def test_what_is_held_out_does_not_choose():
    near_on_vote = [match("vote", 30.0, 30.0), match("zoo", 60.0, 90.0), match("glass", 50.0, 70.0)]
    near_elsewhere = [match("vote", 30.0, 55.0), match("zoo", 60.0, 60.0), match("glass", 50.0, 52.0)]
    candidates = {"a": near_on_vote, "b": near_elsewhere}
    assert chosen(candidates, lambda _: True) == "b"
    results = {result.group: result for result in held_out(candidates, lambda place: place.dataset)}
    assert {group: result.candidate for group, result in results.items()} == {
        "vote": "b",
        "zoo": "a",
        "glass": "b",
    }
    assert results["vote"].score.bias == 25.0
    assert held_out({"a": near_on_vote}, lambda _: "one") == []
    without_zoo = held_out(candidates, lambda place: None if place.dataset == "zoo" else place.dataset)
    assert [result.group for result in without_zoo] == ["glass", "vote"]
