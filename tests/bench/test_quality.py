"""The comparison of trees goes on where it was stopped, and sums up what it found."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from bench.common import RESULTS
from bench.contenders import CCP, FAST, J48, LEAVES, OURS, contenders, data_of
from bench.defaults import PARTS
from bench.quality import Cells, main, scores_of
from bench.quality_report import against_ours, below_the_rest, probabilities, summary
from bench.unseen import read_dat


@pytest.mark.long
def test_what_is_measured_is_kept_and_not_measured_again(tmp_path, capsys):
    asked = ["iris", "--seeds", "1", "--output", str(tmp_path), "--only", FAST, J48]
    main(asked)
    assert capsys.readouterr().err.count("bench: iris") == 2
    main(asked)
    assert "bench: iris" not in capsys.readouterr().err
    cells = Cells(tmp_path / "quality-cells.jsonl")
    assert 0.85 < cells.at("iris", FAST, 0)["accuracy"] < 1
    stale = json.loads((tmp_path / "quality-cells.jsonl").read_text().splitlines()[0])
    (tmp_path / "quality-cells.jsonl").write_text(json.dumps({**stale, "fingerprint": "another"}) + "\n")
    assert Cells(tmp_path / "quality-cells.jsonl").at("iris", FAST, 0) is None


def test_a_part_can_be_left_out():
    X, y = data_of("glass")
    greedy, default = contenders(["gatree, greedy only", "gatree"]).values()
    fronts = [made(0).fit(X, y).fronts_["evolved"] for made in (greedy, default)]
    assert fronts[0].accuracy.tolist() != fronts[1].accuracy.tolist()


def test_the_summary_ranks_against_the_three_others():
    def at(accuracy, leaves, seeds=2):
        return {"accuracy": accuracy, "leaves": leaves, "seeds": seeds}

    others = {CCP: at(0.6, 10), LEAVES: at(0.75, 4), J48: at(0.65, 20)}
    rows = [
        {"data": "a", "gatree": at(0.9, 5), CCP: at(0.8, 10), LEAVES: at(0.8, 8), J48: at(0.7, 20)},
        {"data": "b", "gatree": at(0.7, 6), **others},
        {"data": "c", **others},
        {"data": "of fewer seeds", "gatree": at(0.1, 9, seeds=1), **others},
    ]
    rows = [{**row, "seeds": 2} for row in rows]
    found = summary(rows, "gatree")
    assert found["data sets"] == 2
    assert found["mean rank"].startswith("1.50 / ")
    assert found["points above the best"] == pytest.approx((10 - 5) / 2)
    assert found["a point below"] == {"b": -5.0}
    assert found["share of leaves"] == pytest.approx((5 / 8 + 6 / 4) / 2)
    assert found["of all leaves"] == pytest.approx(11 / 12)


def test_every_classifier_is_held_against_the_best_of_the_other_three():
    def row(ours, ccp, leaves, j48, seeds=5):
        found = {"gatree": ours, CCP: ccp, LEAVES: leaves, J48: j48}
        return {"seeds": seeds, **{label: {"accuracy": accuracy} for label, accuracy in found.items()}}

    rows = [row(0.9, 0.8, 0.895, 0.7), row(0.6, 0.65, 0.6, 0.645), {"data": "not measured", "seeds": 0}]
    expected = {"gatree": (1, 5), CCP: (1, 10), LEAVES: (1, 5), J48: (1, 20)}
    for label, (n_below, points) in expected.items():
        found = below_the_rest(rows, label)
        assert (found["data sets"], found["a point below"]) == (2, n_below)
        assert found["most points"] == pytest.approx(points)
    assert below_the_rest([], J48) == {}


def test_probabilities_are_scored_where_a_classifier_and_ours_have_them():
    shares = np.array([[0.5, 0.5], [1.0, 0.0], [0.2, 0.8]])
    is_class = np.array([[True, False], [False, False], [False, True]])  # the second: not trained on
    brier, log_loss, area = scores_of(shares, is_class)
    assert brier == pytest.approx((0.5 + 2 + 0.08) / 3)
    assert log_loss == pytest.approx(-(np.log(0.5) + np.log(np.finfo(float).eps) + np.log(0.8)) / 3)
    assert area == pytest.approx((0.5 + 1) / 2)
    found = {"Brier score": 0.25, "log loss": 0.5, "AUC": 0.75}
    rows = [dict.fromkeys((OURS, CCP), found), {OURS: found, J48: {"accuracy": 0.9}}]
    expected = {"data sets": 1, "Brier score": "0.250", "log loss": "0.500", "AUC": "0.750"}
    assert probabilities(rows, CCP) == expected
    assert probabilities([], CCP) == {}


def test_files_without_names_are_read_as_numbers_and_categories():
    X, y = read_dat(b"@relation of something\n1.5, a ,<null>,yes\n?,b, 3, no\n2,a,4,yes\n")
    assert list(X.columns) == ["x0", "x1", "x2"]
    assert X["x0"].tolist()[::2] == [1.5, 2.0]
    assert X["x1"].astype(str).tolist() == ["a", "b", "a"]
    assert X["x1"].dtype == "category"
    assert X.isna().sum().tolist() == [1, 0, 1]
    assert y.tolist() == ["yes", "no", "yes"]


def test_of_many_instances_the_same_ones_are_drawn():
    content = b"\n".join(b"%d,%d" % (number, number) for number in range(2000))
    X, y = read_dat(content)
    assert len(X) == len(y) == 1500
    assert X["x0"].astype(str).tolist() == y.tolist()
    assert y.tolist() == read_dat(content)[1].tolist()


def test_what_is_left_out_is_compared_on_the_seeds_that_it_has():
    def row(accuracy, leaves, own):
        found = {"accuracy": accuracy, "leaves": leaves, "seconds": 1.0, "seeds": 1}
        return {FAST: {**found, "ours": {"accuracy": own, "leaves": 10, "seconds": 4.0}}}

    found = against_ours([row(0.9, 5, 0.8), row(0.7, 20, 0.76), row(0.5, 10, 0.505), {}], FAST)
    assert found["data sets"] == 3
    assert found["points"] == "+1.17"
    assert (found["a point better"], found["a point worse"]) == (1, 1)
    assert (found["leaves"], found["seconds"]) == (pytest.approx(3.5 / 3), 0.25)
    assert against_ours([{}], FAST) == {}


def test_the_table_of_old_and_new_defaults_has_todays_figures():
    page = (RESULTS / "defaults.md").read_text(encoding="utf-8")
    shown = dict(re.findall(r"^\| ([\w-]+) \|.*\| ([\d.]+ \| \d+) \| [-+]", page, flags=re.MULTILINE))
    rows = [row for part in PARTS for row in json.loads((RESULTS / f"{part}.json").read_text())["rows"]]
    assert shown == {row["data"]: row[OURS].replace(" (", " | ").rstrip(")") for row in rows}
