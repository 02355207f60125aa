"""The figures, compared by their data; drawn once to see that they draw, and always to the same bytes."""

import json
from statistics import fmean

import pytest
from records import results_of

from gatree.base.errors import ResultError
from gatree.experiments.frame import Results
from gatree.paper import theory
from gatree.paper.figures import (
    FIGURES,
    figure_5_data,
    figure_6,
    figure_6_data,
    savings_data,
    speed_up_data,
    times_data,
    write_figure,
)
from gatree.paper.tables import our_table


def test_figure_5(monkeypatch):
    data = figure_5_data()
    monkeypatch.setattr("gatree.paper.figures.figure_5_data", lambda: data)
    (axes,) = FIGURES["5"](None).axes
    lines = {line.get_label(): list(line.get_ydata()) for line in axes.lines}
    assert [label for label in lines if "bound" in label] == ["linear: the paper's bound"]
    assert set(data["tree"]) == {"complete", "linear"}
    for name, below, paper in (
        ("complete", theory.complete_below, theory.complete_below),
        ("linear", theory.linear_below, theory.eq_9_bound),
    ):
        tree = data[data["tree"] == name].set_index("depth")
        assert {1, 8, 1000} <= set(tree.index)
        assert lines[f"{name}: exact"] == tree["exact"].tolist()
        for k in tree.index:
            assert tree["exact"][k] == float(1 - below(int(k)))
            assert tree["paper"][k] == float(1 - paper(int(k)))
        counted = tree.dropna(subset="counted")
        assert len(counted) >= 8
        assert (counted["counted"] == counted["exact"]).all()
        assert lines[f"{name}: counted by the engine"] == counted["counted"].tolist()


def test_figure_6(records, sample):
    data = figure_6_data(Results.read(sample))
    folds = [record for record in records if "history" in record["outcome"]]
    assert len(folds) == 5
    assert list(data["step"]) == list(range(1, 151))
    for record in folds:
        fold = data[data["fold"] == record["cell"]["fold"]]
        assert list(fold["accuracy"]) == record["outcome"]["history"]["accuracy"]
        assert list(fold["size"]) == record["outcome"]["history"]["size"]
    assert data.attrs["title"] == "multiplexor: m = 0.01, x = 1e4..1e5, size 30"


def test_savings_against_the_papers(found):
    data = savings_data(found)
    assert len(data) == 3 * 3, "not the lost Table 6, of which one size is not enough"
    assert set(data[data["stand_in"]]["dataset"]) == {"crime"}
    table = our_table(3, found)
    for spot, paper in table.papers.items():
        row = data[
            (data["dataset"] == spot.dataset) & (data["mutation"] == spot.mutation) & (data["x"] == spot.x)
        ]
        if spot in table.numbers:
            assert row[["ours", "paper"]].to_numpy().tolist() == [[table.numbers[spot], paper]]


def test_times_and_speed_up(records, found):
    times = times_data(found)
    savings = [record for record in records if record["cell"]["kind"] == "savings"]
    assert len(times) == len(savings) == 32
    zoo = [r for r in savings if r["cell"]["dataset"] == "zoo" and r["cell"]["mutation_rate"] == 0.5]
    cpu = [[min(record["timing"][name]["cpu"]) for name in ("old", "new")] for record in zoo]
    speed = speed_up_data(found).set_index(["dataset", "mutation"]).loc[("zoo", "0.5")]
    assert speed["n_instances"] == 101
    assert speed["speed_up"] == pytest.approx(fmean(old / new for old, new in cpu))


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long if name != "speed-up" else []) for name in FIGURES]
)
def test_figures_draw_the_same_bytes_twice(name, sample, tmp_path):
    results = Results.read(sample)
    first, second = (write_figure(name, results, tmp_path / folder) for folder in "ab")
    assert [path.suffix for path in first] == [".svg", ".png"]
    for one, other in zip(first, second, strict=True):
        assert one.stat().st_size > 5_000
        assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("name", ["savings", "times", "speed-up", "6"])
def test_figures_without_points_say_what_they_need(name, tmp_path):
    with pytest.raises(ResultError, match="history: true" if name == "6" else "needs a savings study"):
        write_figure(name, results_of([]), tmp_path)


def test_figure_6_has_a_band_over_the_seeds(records, tmp_path):
    fold = next(r for r in records if "history" in r["outcome"])
    history = fold["outcome"]["history"]
    other = {**fold, "cell": {**fold["cell"], "replicate": 1}}
    other["outcome"] = {**fold["outcome"], "history": {**history, "size": [n + 2 for n in history["size"]]}}
    other["key"] += "1"
    lines = [json.dumps(record) for record in (fold, other)]
    (tmp_path / "cells.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    data = figure_6_data(Results.read(tmp_path))
    assert len(data) == len(history["size"])
    assert data["size_low"].tolist() == history["size"]
    assert data["size"].tolist() == [n + 1 for n in history["size"]]
    assert (data["size_high"] - data["size_low"] == 2).all()
    (legend,) = figure_6(Results.read(tmp_path)).legends
    assert [text.get_text() for text in legend.get_texts()] == ["mean over the seeds", "lowest to highest"]


def test_figure_6_of_one_seed_has_no_legend(sample):
    figure = figure_6(Results.read(sample))
    assert figure.legends == []
    assert [axes.get_legend() for axes in figure.axes] == [None, None]
    assert all(not axes.collections for axes in figure.axes)


def test_savings_have_bars_of_the_standard_error(records):
    cell = next(r for r in records if r["cell"]["kind"] == "savings" and r["cell"]["dataset"] == "zoo")
    ledger = {**cell["outcome"]["ledger"], "instances_reclassified": 0}
    other = {
        **cell,
        "cell": {**cell["cell"], "replicate": 1},
        "outcome": {**cell["outcome"], "ledger": ledger},
    }
    (alone,), (both,) = (
        savings_data(results_of(some)).to_dict("records") for some in ([cell], [cell, other])
    )
    assert alone["error"] == 0
    assert both["error"] == pytest.approx(abs(100 - alone["ours"]) / 2), "half the difference of two seeds"
