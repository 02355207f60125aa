"""The points of a grid: their means, their front, and whether the grid is the paper's."""

import json
from collections import defaultdict
from dataclasses import replace
from statistics import fmean, stdev

import pytest
from own_experiment import DATASETS, GAPS, LEAVES, own_records
from records import results_of

from gatree.experiments.design import Axis
from gatree.paper.tables import is_papers
from gatree.report.points import Points, best_table, front, plot_data, plots_of, shown_points


@pytest.fixture(scope="module")
def own():
    return list(own_records())


@pytest.fixture(scope="module")
def points(own):
    return Points.of(results_of(own))


def of_kind(points, *kinds):
    """The points of some kinds, as mappings."""
    return points.records(points.rows[points.rows["kind"].isin(kinds)])


def test_a_point_per_data_set_setting_and_kind(points):
    assert [axis.name for axis in points.design.axes] == ["generation_gap", "leaf_class"]
    assert points.design.datasets == tuple(sorted(DATASETS))
    n_settings = len(GAPS) * len(LEAVES)
    assert len(of_kind(points, "savings")) == len(of_kind(points, "cross-validation")) == 2 * n_settings
    assert [p["method"] for p in of_kind(points, "baseline")] == ["j48", "j48"]
    assert (points.rows["n_runs"][points.rows["is_ours"]] == 2).all()


def test_numbers_are_the_means_of_the_rows(own, points):
    """The same from the tidy rows, in the most obvious way."""
    rows = defaultdict(list)
    frame = results_of(own).frame
    for row in frame[~frame["repeats_outcome"]].to_dict("records"):
        rows[row["kind"], row["dataset"], row["generation_gap"], row["leaf_class"]].append(row)
    for point in points.records(points.rows):
        settings = (point["settings"].get("generation_gap"), point["settings"].get("leaf_class"))
        if not point["is_ours"]:
            settings = (0.5, None)  # what the record has, and what the point does not show
        mine = rows[point["kind"], point["dataset"], *settings]
        assert point["size"] == pytest.approx(fmean(row["n_nodes"] for row in mine))
        assert point["train_accuracy"] == pytest.approx(fmean(row["train_accuracy"] for row in mine))
        if point["kind"] == "cross-validation":
            by_seed = [
                sum(row["accuracy"] * row["n_test"] for row in mine if row["replicate"] == seed) / 100
                for seed in (0, 1)
            ]
            assert point["accuracy"] == point["best"] == pytest.approx(fmean(by_seed))
            assert point["accuracy_error"] == pytest.approx(stdev(by_seed) / 2**0.5)
            assert point["savings"] == pytest.approx(50)
        if point["kind"] == "savings":
            assert point["seconds"] >= 1.0, "bitset's 0.1 s of the second seed is not a time of new"
            assert point["speed_up"] == pytest.approx(2.0 / point["seconds"])
            assert point["best"] == point["train_accuracy"]


def test_the_front_is_what_no_other_point_beats(own, records):
    for some in (own, records):
        rows = Points.of(results_of(some)).rows
        points = rows[rows["kind"] != "savings"]
        pairs = set(zip(points["size"], points["accuracy"], strict=True))
        naive = {
            (size, accuracy)
            for size, accuracy in pairs
            if not any(a <= size and b >= accuracy for a, b in pairs - {(size, accuracy)})
        }
        found = front(points)
        assert set(zip(found["size"], found["accuracy"], strict=True)) == naive
        assert found["size"].is_monotonic_increasing


def test_whether_an_experiment_is_the_papers(own, records):
    done = [record for record in records if record["status"] == "done"]
    design = Points.of(results_of(done)).design
    assert is_papers(results_of(done), design)
    names = ("study", "mutation_rate", "x_factor", "population_size", "n_generations")
    assert is_papers(results_of(done), replace(design, axes=tuple(Axis(name, (1, 2)) for name in names)))
    assert not is_papers(results_of(own), Points.of(results_of(own)).design)
    one_rate = [r for r in done if r["cell"].get("mutation_rate") == 0.5]
    assert not is_papers(results_of(one_rate), Points.of(results_of(one_rate)).design)
    gaps = [{**r, "settings": {**r["settings"], "generation_gap": i % 2}} for i, r in enumerate(done)]
    assert not is_papers(results_of(gaps), Points.of(results_of(gaps)).design)
    other = json.loads(json.dumps(done).replace('"1e4..1e6"', '"1e4..1e7"'))
    assert not is_papers(results_of(other), Points.of(results_of(other)).design)


def test_the_plots_have_the_kinds_of_cells_that_have_the_number(own):
    plots = {plot.name: plot.kinds for plot in plots_of(Points.of(results_of(own)))}
    assert plots == {
        "accuracy": ("cross-validation", "baseline"),
        "train_accuracy": ("savings",),
        "savings": ("savings",),
        "seconds": ("savings", "baseline"),
        "speed_up": ("savings",),
    }
    folds = [record for record in own if record["cell"]["study"] == "folds"]
    assert [plot.name for plot in plots_of(Points.of(results_of(folds)))] == [
        "accuracy",
        "savings",
        "seconds",
    ]
    assert plots_of(Points.of(results_of([]))) == []


def test_the_data_of_the_plots(points):
    text = plot_data(points)
    assert "<" not in text, "or a name could end the block"
    data = json.loads(text)
    assert len(data["accuracy"]) == len(points.rows)
    for index, point in enumerate(points.records(points.rows)):
        assert data["datasets"][data["dataset"][index]] == point["dataset"]
        assert data["methods"][data["method"][index]] == point["method"]
        assert data["size"][index] == pytest.approx(point["size"], abs=0.05)
        shown = point["settings"]
        for axis, places in zip(data["axes"], data["at"], strict=True):
            expected = axis["values"].index(str(shown[axis["name"]])) if shown else -1
            assert places[index] == expected


def test_of_very_many_points_the_fronts_stay(points, monkeypatch):
    monkeypatch.setattr("gatree.report.points.MOST_POINTS", 6)
    kept = shown_points(points)
    assert len(kept) < len(points.rows)
    for dataset in DATASETS:
        best = front(points.rows[points.rows["dataset"] == dataset])
        assert set(best.index) <= set(kept.index)


def test_the_best_of_each_data_set(own, points):
    table = best_table(points)
    for row in table.rows:
        rivals = [p for p in of_kind(points, "cross-validation") if p["dataset"] == row.dataset]
        assert row.point["accuracy"] == max(p["accuracy"] for p in rivals)
        assert row.baselines[0]["method"] == "j48"
        assert row.setting.startswith("generation gap ")
    wins = sum(row.point["accuracy"] > 0.85 for row in table.rows)
    assert f"more accurate than j48 on {wins} of 2 data sets" in table.verdict[0]
    only_savings = [record for record in own if record["cell"]["study"] == "savings"]
    assert best_table(Points.of(results_of(only_savings))).is_training
    assert best_table(Points.of(results_of([]))) is None
