"""Published numbers among our runs, on journals made by hand."""

from statistics import stdev

import pytest
from records import LEDGER, a_record
from scipy import stats

from gatree.paper.placement import (
    IMPOSSIBLE,
    Placed,
    Placement,
    placement,
    placement_rows,
    verdicts,
)
from gatree.paper.published import SAVINGS, Spot, published

ZOO = Spot(4, *SAVINGS[4], "zoo", "100", "savings")


def runs(dataset, savings, setting=SAVINGS[4]):
    """One savings cell at size 100, a replicate for each of these savings."""
    return [
        a_record(
            f"{dataset}{number}",
            outcome={
                "ledger": {**LEDGER, "instances_reclassified": round(1e6 - 1e4 * s), "instances_total": 10**6}
            },
            dataset=dataset,
            mutation_rate=float(setting.mutation),
            x_factor=setting.x,
            replicate=number,
        )
        for number, s in enumerate(savings)
    ]


def test_the_range_is_the_prediction_interval():
    number = Placed(ZOO, 0.0, (1.0, 2.0, 3.0, 6.0))
    reach = stats.t.ppf(0.975, 3) * stdev(number.runs) * (1 + 1 / 4) ** 0.5
    assert number.range == pytest.approx((3 - reach, 3 + reach), abs=1e-3)
    assert not number._replace(paper=3 + reach + 0.01).is_inside
    assert number._replace(paper=3 + reach).is_inside
    assert number._replace(paper=2.5).n_below == 2


def test_runs_that_are_all_alike_meet_the_printed_number_only():
    alike = Placed(ZOO, 55.48, (55.4823, 55.4823, 55.4823))
    assert alike.is_inside, "it is printed with two decimals"
    assert not alike._replace(paper=55.49).is_inside


def test_deviation_and_noise_floor_by_hand():
    placed = Placement((Placed(ZOO, 10.0, (10.0, 12.0, 14.0)), Placed(ZOO, 20.0, (19.0, 19.0, 16.0))))
    assert placed.mean_absolute == pytest.approx(2)
    assert placed.bias == pytest.approx(0)
    assert placed.noise_floor == pytest.approx(((2 + 4 + 2) / 3 + (0 + 3 + 3) / 3) / 2)
    assert placed.floor_of_means == pytest.approx(((3 + 0 + 3) / 3 + (1.5 + 1.5 + 3) / 3) / 2)


def test_numbers_are_placed_on_the_papers_own_data():
    paper = {name: published()[ZOO._replace(dataset=name)] for name in ("zoo", "vote", "crime")}
    records = [
        *runs("zoo", [paper["zoo"] - 1, paper["zoo"] + 1]),
        *runs("vote", [paper["vote"] + 20, paper["vote"] + 20.1, paper["vote"] + 20.2]),
        *runs("crime", [1, 2]),  # a stand-in
        *runs("glass", [50]),  # one run has no place
    ]
    placed = placement([4], "savings", records)
    assert [number.spot.dataset for number in placed.numbers] == ["zoo", "vote"]
    assert (placed.n_inside, placed.outside) == (1, {"vote": 1})
    assert placed.bias == pytest.approx(20.1 / 2, abs=0.01)
    rows = {(row["table"], row["dataset"]): row for row in placement_rows(records)}
    assert (rows[4, "zoo"]["inside"], rows[4, "zoo"]["runs_below"], rows[4, "zoo"]["n"]) == (True, 1, 2)
    assert rows[4, "vote"]["runs_below"] == 0


def test_the_verdict_is_given_with_and_without_what_cannot_be():
    both = [*runs("zoo", [50, 51]), *runs(IMPOSSIBLE, [10, 11])]
    [with_it, without_it] = verdicts(both, [4])
    assert "1 of 2 lie inside the 95 % range of our runs; outside: kr-vs-kp 1" in with_it
    assert without_it.startswith("The same without kr-vs-kp: our means deviate by 4.98 points (bias -4.98)")
    assert "where two single runs of ours deviate by 1.00" in without_it
    assert "1 of 1 lie inside" in without_it
    assert verdicts(runs("zoo", [50]), [4]) == []
