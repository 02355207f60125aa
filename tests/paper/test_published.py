"""The paper's numbers, and that the layouts have a place for each of them."""

import re
from collections import Counter
from pathlib import Path
from statistics import fmean

import pytest
from impossible_numbers import best_shares, impossible, most_accurate
from sample_results import grids_of

from gatree.data.catalog import load_dataset
from gatree.paper.grids import Style, document
from gatree.paper.published import SAVINGS, TABLES, Spot, errata_of, published
from gatree.paper.tables import paper_table
from gatree.rendering.documents import comma_separated, markdown

SIZES = ["100", "200", "300", "400", "500", "600", "700", "800"]
DATASETS = [
    *("balance-scale", "zoo", "credit-a", "lymph", "glass", "soybean"),
    *("vote", "anneal", "crime", "kr-vs-kp", "breast", "multiplexor"),
]


def test_every_number_has_one_place():
    assert Counter(spot.table for spot in published()) == {
        3: 48,
        **dict.fromkeys(range(4, 8), 288),
        **dict.fromkeys(range(8, 12), 360),
        12: 144,
    }
    for number in TABLES:
        places = Counter(TABLES[number].layout().spots)
        assert places == Counter(spot for spot in published() if spot.table == number)


@pytest.mark.parametrize("number", [4, 5, 7])
def test_table_3_holds_the_means(number):
    for name in DATASETS:
        savings = [published()[Spot(number, *SAVINGS[number], name, size, "savings")] for size in SIZES]
        mean = published()[Spot(3, *SAVINGS[number], name, "mean", "savings")]
        assert mean == pytest.approx(fmean(savings), abs=0.0051)


def test_table_6_is_a_copy_of_table_4():
    copied = {spot._replace(table=6, mutation="0.01"): value for spot, value in published().items()}
    table_6 = {spot: value for spot, value in published().items() if spot.table == 6}
    assert all(copied[spot] == value for spot, value in table_6.items())


def test_what_cannot_be_on_kr_vs_kp():
    """The numbers that the errata and docs/reproduction.md state."""
    shares = best_shares("kr-vs-kp")
    page = (Path(__file__).parents[2] / "docs" / "reproduction.md").read_text(encoding="utf-8")
    assert [
        (int(nodes), float(share)) for nodes, share in re.findall(r"^\| (\d) \| (\S+) \|", page, re.M)
    ] == [(nodes, round(share, 3)) for nodes, share in shares[1:]]
    assert [(nodes, round(share, 3)) for nodes, share in shares[1:]] == [
        (3, 0.683),
        (5, 0.778),
        (7, 0.904),
        (9, 0.941),
    ]
    beyond = impossible("kr-vs-kp")
    accuracies = [s for s in published() if s.dataset == "kr-vs-kp" and s.metric == "accuracy"]
    assert (len(beyond), len([spot for spot in accuracies if not spot.column.startswith("J48")])) == (26, 44)
    assert all(published()[spot] > most for spot, most in beyond.items())
    stated = [text for text in errata_of(10) if "are impossible" in text]
    assert "26 of its 44 accuracies" in stated[0]
    assert "68.3 %" in stated[0]
    assert not impossible("vote")
    assert not impossible("zoo")


def test_a_mean_over_sizes_reaches_no_more_than_the_concave_curve():
    shares = [(1, 0.5), (3, 0.6), (5, 0.9)]
    assert most_accurate(shares, 3) == pytest.approx(0.7)  # half of the trees a leaf, half of them 5 nodes
    assert most_accurate(shares, 1) == 0.5
    assert most_accurate(shares, 6) == pytest.approx(0.95)
    assert most_accurate(shares, 50) == 1.0


# The headings and row labels as the paper prints them.
HEADINGS = {
    3: [
        ["Dataset", "x = 10000", "", "x in [10000..100000]", ""],
        ["", "m = 0.5", "m = 0.01", "m = 0.5", "m = 0.01"],
    ],
    **{key: [["Dataset", "", *SIZES]] for key in range(4, 8)},
    **{key: [["Dataset", "", *SIZES, "J48", "J48 (p)"]] for key in range(8, 12)},
}
LABELS = {
    **{key: ["Old (sec)", "New (sec)", "Train Savings"] for key in range(4, 8)},
    **{key: ["Accuracy", "Size", "Time"] for key in range(8, 13)},
}


LINES = {
    3: ["vote", "29.42", "42.78", "37.48", "47.28"],
    4: ["zoo", "Old (sec)", "0.52", "2.33", "5.76", "9.50", "16.06", "23.88", "32.36", "45.58"],
    8: ["", "Size", "9", "11", "11", "13", "13", "14", "16", "13", "17", "13"],
    12: ["kr-vs-kp", "Accuracy", "0.939", "0.950", "0.967", "0.951", "0.982", "0.961", "0.993", "0.989"],
}


@pytest.mark.parametrize("number", range(3, 12))
def test_the_layout_is_the_papers(number):
    [grid] = grids_of(markdown(document(paper_table(number), Style())))
    headings, rows = grid[: len(HEADINGS[number])], grid[len(HEADINGS[number]) :]
    assert headings == HEADINGS[number]
    if number == 3:
        assert [row[0] for row in rows] == DATASETS
    else:
        expected = [
            (name if i == 0 else "", label) for name in DATASETS for i, label in enumerate(LABELS[number])
        ]
        assert [tuple(row[:2]) for row in rows] == expected
    assert {len(row) for row in rows} == {len(headings[0])}
    assert LINES.get(number, grid[0]) in grid


def test_the_layout_of_table_12_is_the_papers():
    halves = grids_of(markdown(document(paper_table(12), Style())))
    assert LINES[12] in halves[0]
    for half, rate in zip(halves, ["50%", "1%"], strict=True):
        assert half[0] == ["Dataset", "", f"Mutation {rate}", *[""] * 5, "J48", "J48 (p)"]
        assert half[1] == ["", "", *SIZES[:6], "", ""]
        assert [row[0] for row in half[2::3]] == ["balance-scale", "anneal", "kr-vs-kp"]
        assert [row[1] for row in half[2:]] == LABELS[12] * 3
    lines = comma_separated(document(paper_table(12), Style())).splitlines()
    assert lines[0] == "Mutation,Dataset,,100,200,300,400,500,600,J48,J48 (p)"
    assert [line.split(",")[0] for line in lines[1:]] == ["50%"] * 9 + ["1%"] * 9


def test_gatree_s_accuracies_show_that_the_remainder_of_the_folds_is_dropped():
    """They are multiples of 1 / (5 floor(n / 5)), all of them, but not of 1 / n; docs/original.md says so."""
    text = (Path(__file__).parents[2] / "docs" / "original.md").read_text(encoding="utf-8")
    stand_ins = ("crime", "multiplexor")
    n_explained, differing = 0, {}
    for name in (name for name in DATASETS if name not in stand_ins):
        n = load_dataset(name).n_instances
        printed = [
            value
            for spot, value in published().items()
            if (spot.dataset, spot.metric) == (name, "accuracy") and not spot.column.startswith("J48")
        ]
        dropped, kept = (_n_multiples(printed, total) for total in (n - n % 5, n))
        assert dropped == len(printed)
        n_explained += dropped
        if kept < len(printed):
            differing[name] = (n, n - n % 5, dropped, kept)
    assert (
        differing
        == {  # instances, those in folds, accuracies, and how many of them are multiples of 1 / n
            "zoo": (101, 100, 32, 1),
            "lymph": (148, 145, 32, 0),
            "glass": (214, 210, 32, 8),
            "soybean": (39, 35, 32, 8),
            "breast": (286, 285, 32, 0),
            "anneal": (898, 895, 44, 37),
        }
    )
    assert f"All {n_explained} published GATree accuracies" in text


def _n_multiples(printed, total):
    shares = {round(k / total, 3) for k in range(total + 1)}
    return sum(value in shares for value in printed)
